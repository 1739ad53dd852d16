"""The drift table of Example 4.11, task 2: (4.199) in absolute coordinates, by plain RK4 steps."""

import numpy as np
import pytest

import korba as kb

TABLE = {0.0: 1.27e-3, 50.0: 1.4e-5}
"""Largest |Phi| in m at t = 0.6 s after steps of 5 ms: nothing done, Baumgarte's alpha = beta."""
CRANK, ROD = (0.6, 0.004), (1.45, 0.01)
M = np.diag([CRANK[0], CRANK[0], CRANK[1], ROD[0], ROD[0], ROD[1]])
WEIGHT = 9.81 * np.array([0.0, -CRANK[0], 0.0, 0.0, -ROD[0], 0.0])


@pytest.fixture(scope="module")
def system():
    """Crank and rod on a line, each body with its frame at its mass centre."""
    a, b, c, d, w = 0.07, 0.11, 0.37, 0.25, 0.2
    crank = np.pi / 4
    rod = np.pi - np.arcsin((w + (a + b) * np.sin(crank)) / (c + d))
    one, two = (np.array([np.cos(x), np.sin(x), 0.0]) for x in (crank, rod))
    A = np.array([0.0, w, 0.0])
    B = A + (a + b) * one
    C = B - (c + d) * two
    bodies = [
        kb.Body("crank", *CRANK[:1], inertia=CRANK[1], frame=kb.Frame(tuple(A + a * one))),
        kb.Body("rod", *ROD[:1], inertia=ROD[1], frame=kb.Frame(tuple(C + d * two))),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "rod", at=B),
        kb.PinInSlot("C", "ground", "rod", at=C, axis=(1, 0)),
    ]
    return kb.course.absolute_system(kb.Mechanism("crank and rod", bodies, joints, plane="xy"))


def acceleration(system, t, q, v, alpha):
    """[M Phi_q'; Phi_q 0] [q''; lambda] = [Q; gamma - 2 alpha Phi_q v - alpha^2 Phi]   (4.199)."""
    rows = system.rows(q, v, t)
    J, n = rows.phi_q, len(rows.phi)
    whole = np.block([[M, J.T], [J, np.zeros((n, n))]])
    Q = WEIGHT + (3 - 5 * t) * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    right = rows.gamma - 2 * alpha * (J @ v) - alpha**2 * rows.phi
    return np.linalg.solve(whole, np.concatenate([Q, right]))[:6]


def last_residual(system, h, alpha):
    """The largest |Phi| at the end, from a crank at 10 rad/s."""
    null = np.linalg.svd(system.rows(system.start).phi_q)[2][-1]
    y = np.concatenate([system.start, null * 10.0 / null[2]])

    def slope(t, y):
        return np.concatenate([y[6:], acceleration(system, t, y[:6], y[6:], alpha)])

    for t in np.arange(round(0.6 / h)) * h:
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        k4 = slope(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.abs(system.rows(y[:6]).phi).max()


@pytest.mark.parametrize("alpha", TABLE)
def test_drift_of_absolute_coordinates(system, alpha):
    """The table that was recomputed for the book, to its two digits."""
    assert last_residual(system, 5e-3, alpha) == pytest.approx(TABLE[alpha], rel=0.025)
