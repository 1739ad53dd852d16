"""Loops of a file close but for its digits: they are closed first, and nothing is lost over it."""

import numpy as np
import pytest
from law_counts import seeds
from scaled import scaled

import korba as kb


def robot(rng, miss):
    """A flying base with a four-bar in space, the frames of one joint apart by about `miss`."""
    names = ("base", "crank", "coupler", "rocker", "leg")
    bodies = [kb.Body(name, 1.0, frame=kb.Frame()) for name in names]
    points = np.array([[0, 0, 0], [0.2, 0.9, 0], [1.6, 1.2, 0], [2, 0, 0]])
    points[:, :2] += rng.uniform(-0.1, 0.1, (4, 2))
    *off, turn = miss * rng.uniform(-1, 1, 4)
    closing = {
        "on_parent": kb.Frame(points[3] + off, rotation=turn),
        "on_child": kb.Frame(points[3]),
    }
    hinge = {"axis": (0, 0, 1)}
    joints = [
        kb.Free("F", "ground", "base"),
        kb.Revolute("A", "base", "crank", at=points[0], **hinge),
        kb.Revolute("B", "crank", "coupler", at=points[1], **hinge),
        kb.Revolute("C", "coupler", "rocker", at=points[2], **hinge),
        kb.Revolute("D", "rocker", "base", **closing),
        kb.Revolute("L", "base", "leg", at=(1, -1, 0), **hinge),
    ]
    return kb.Mechanism("robot", bodies, joints)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", seeds(0.5))
def test_a_loop_open_by_its_digits_is_closed_by_as_little(seed, size):
    """Mobility and positions are those of the closed drawing, whatever digits were left out."""
    rng = np.random.default_rng(seed)
    miss = 10.0 ** rng.uniform(-12, -6.5)
    m = scaled(robot(rng, miss), size, 1.0)
    assert kb.mobility(m).actual == 8
    position = kb.assemble(m, {"A": 0.1, "L": 0.2})
    assert position.residual < 1e-12
    assert position["A"] == 0.1


def test_a_loop_open_by_more_is_a_fault():
    """What is open by more than its digits is refused with its name and how far it is."""
    with pytest.raises(kb.ModelError, match="joint 'D': does not meet"):
        robot(np.random.default_rng(0), 1e-5)
