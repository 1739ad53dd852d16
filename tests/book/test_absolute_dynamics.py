"""Mass matrix, loads and multipliers in absolute coordinates: (4.198), (4.199) as arrays."""

from dataclasses import replace

import numpy as np
import pytest
from book_mechanisms import yoke_of_example_3_5
from numpy.testing import assert_allclose

import korba as kb

G = 9.81


def ladder():
    """Example 4.10 at 60 degrees."""
    link = kb.Body("link", 2, inertia=0.1, frame=kb.Frame((-0.15, 0.5 * np.sqrt(0.75)), "60 deg"))
    A, B = (0, 0.8 * np.sqrt(0.75)), (-0.4, 0)
    joints = [
        kb.PinInSlot("A", "ground", "link", at=A, axis=(0, 1)),
        kb.PinInSlot("B", "ground", "link", at=B, axis=(1, 0)),
    ]
    return kb.Mechanism("ladder", [link], joints, plane="xy")


@pytest.mark.parametrize(
    ("omega", "q2", "reactions"),
    [
        (0.0, (-3.53987884, -3.40625, -13.625), (7.07975768, -12.8075)),
        (-2.0, (-2.53987884, -4.75340063, -12.08539928), (5.07975768, -10.11319874)),
    ],
)
def test_example_4_10_as_arrays(omega, q2, reactions):
    """M~ is diagonal, Q^Z the weight, q'' and -lambda those of the spec's numbers."""
    m, x = ladder(), np.pi / 3
    rates = omega * np.array([0.3 * np.sin(x), 0.5 * np.cos(x), 1.0])
    found = kb.course.absolute_dynamics(m, v=rates)
    assert_allclose(found.M, np.diag([2, 2, 0.1]), atol=1e-12)
    assert_allclose(found.Q, [0, -2 * G, 0], atol=1e-12)
    assert_allclose(found.accelerations, q2, atol=5e-9)
    assert found.owners == ("A", "B")
    A, B = found.of("A"), found.of("B")
    assert_allclose(A[:2], [-reactions[0], 0], atol=5e-8)
    assert_allclose(B[:2], [0, -reactions[1]], atol=5e-8)


def test_example_4_11_by_multipliers():
    """Task 1 at t = 0: forces of the pairs A, B, C and the moment that keeps 10 rad/s."""
    m = yoke_of_example_3_5()
    parts = {"1": (0.6, 0.004), "2": (1.45, 0.01)}
    bodies = [replace(b, mass=parts[b.name][0], inertia=parts[b.name][1]) for b in m.bodies]
    m = replace(m, bodies=[replace(b, com=(0, 0)) for b in bodies], gravity=(0, -G))
    found = kb.course.absolute_dynamics(
        m,
        kb.course.absolute_system(m).position(0.0)[0],
        [-0.49497475, 0.49497475, 10, -1.74487669, 0.51322338, -2.41708418],
    )
    assert_allclose(np.diag(found.M), [0.6, 0.6, 0.004, 1.45, 1.45, 0.01], atol=1e-12)
    expected = (-4.949747, -4.949747, 0, -10.552209, -5.132227, 20.539757)
    assert_allclose(found.accelerations, expected, atol=2e-5)
    by_joint = {joint.name: found.of(joint.name) for joint in m.joints}
    forces = {name: F[:2] if np.abs(F[:3]).max() else F[3:5] for name, F in by_joint.items()}
    assert_allclose(forces["A"], [-18.270551, 10.936189], atol=2e-4)
    assert_allclose(np.abs(forces["B"]), [15.300703, 8.020037], atol=2e-4)
    assert_allclose(forces["C"], [0, -1.237266], atol=2e-4)
    (drive,) = m.drives
    assert_allclose(found.of(drive.name)[2], 3.259588, atol=2e-4)


def test_what_does_not_fit_is_refused():
    """A state of the wrong length, an owner that is none, drivers that contradict each other."""
    m = ladder()
    with pytest.raises(kb.StructureError, match="q: expected the 3 numbers"):
        kb.course.absolute_dynamics(m, [0.0, 1.0])
    with pytest.raises(kb.StructureError, match="no equation is of 'C'; there are those of A, B"):
        kb.course.absolute_dynamics(m).of("C")
