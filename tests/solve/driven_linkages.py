"""Mechanisms and checks that the tests of driven motion share."""

import numpy as np
from numpy.testing import assert_allclose

import korba as kb
from korba.solve.motion import loops_of


def bodies(*names):
    return [kb.Body(name, 1.0, (0, 0), 0.1) for name in names]


def rates_are_derivatives(done, factor=1.0):
    """v and a against differences of q and v, at inner times."""
    h, own = done.t[1] - done.t[0], loops_of(done).own
    top = max(1.0, np.abs(done.a).max())
    speed = (done.q[2:] - done.q[:-2]) / (2 * h)
    keep = own >= 0
    assert_allclose(speed[:, keep], done.v[1:-1, own[keep]], atol=20 * factor * h**2 * top)
    change = (done.v[2:] - done.v[:-2]) / (2 * h)
    assert_allclose(change, done.a[1:-1], atol=200 * factor * h**2 * top)


def on_the_circle(a, lengths, theta):
    """Rocker angle of the four-bar from the intersection of two circles, coupler above."""
    b, c, d = lengths
    B = a * np.array([np.cos(theta), np.sin(theta)])
    D = np.array([d, 0 * theta[0]])[:, None]
    r = np.linalg.norm(D - B, axis=0)
    along = (r**2 + b**2 - c**2) / (2 * r)
    u = (D - B) / r
    C = B + along * u + np.sqrt(b**2 - along**2) * np.array([-u[1], u[0]])
    return np.unwrap(np.arctan2(*(C - D)[::-1]))


def rssr(law):
    """A crank and a rocker on skew axes, joined by a rod with two ball joints."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Spherical("B", "crank", "rod", at=(0.1, 0, 0)),
        kb.Spherical("C", "rod", "rocker", at=(0.9, 0.3, 0.5)),
        kb.Revolute("D", "ground", "rocker", at=(0.9, 0, 0.1), axis=(0.1, 1, 0.2)),
    ]
    parts = [kb.Body(name, 1.0) for name in ("crank", "rod", "rocker")]
    return kb.Mechanism("rssr", parts, joints, drives=[kb.JointDrive("d", "A", law)])
