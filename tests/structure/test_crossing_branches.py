"""Where branches cross, the mobility is that of one branch, not of all that they span."""

import numpy as np
import pytest

import korba as kb

UNIVERSAL = {"axis": (1, 0, 0), "x_axis": (0, 1, 0)}


def plate(n, way, low=kb.Spherical, **axes):
    """A plate on n equal parallel rods between balls."""
    feet = [(np.cos(2 * np.pi * i / n), np.sin(2 * np.pi * i / n), 0.0) for i in range(n)]
    joints = []
    for i, p in enumerate(feet):
        joints.append(low(f"a{i}", "ground", f"r{i}", at=p, **axes))
        joints.append(kb.Spherical(f"b{i}", f"r{i}", "p", at=tuple(np.add(p, way))))
    return kb.Mechanism("plate", [kb.Body("p"), *(kb.Body(f"r{i}") for i in range(n))], joints)


@pytest.mark.parametrize(
    ("m", "spins"),
    [
        (plate(4, (0, 0, 1), kb.Universal, **UNIVERSAL), 0),
        (plate(4, (0.3, 0.2, 1)), 4),
        (plate(6, (0.3, 0.2, 1)), 6),
    ],
    ids=["universal", "four", "six"],
)
def test_a_plate_on_equal_parallel_rods_swings_in_two_ways(m, spins):
    """It swings on a sphere; a turn is another branch, or none: both together leave loops open."""
    found = kb.mobility(m)
    assert (found.actual, found.local) == (2, spins)


def test_a_plate_on_three_rods_swings_and_turns():
    """Three rods take three freedoms of six: there is one branch, and it has three."""
    assert kb.mobility(plate(3, (0.3, 0.2, 1))).actual == 3
