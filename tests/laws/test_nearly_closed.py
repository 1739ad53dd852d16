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


def cranks(rng, digits, count=3, other=0.0):
    """Equal parallel cranks, more than are needed, written in frames of their own with few digits.

    Exactly as written no two of them have one length, and nothing would move. The last one may be
    longer by an `other` length.
    """
    base, arm = rng.uniform(-1, 1, (count, 2)), rng.uniform(0.3, 1, 2)
    turns, names = rng.uniform(-3, 3, count + 1), ["plate", *(f"c{i}" for i in range(count))]
    starts = [base.mean(axis=0) + arm, *base]
    arms = np.tile(arm, (count, 1))
    arms[-1] *= 1.0 + other

    def written(k, p):
        """A point of the k-th body in its frame, rounded."""
        c, s = np.cos(turns[k]), np.sin(turns[k])
        place = np.array([[c, s], [-s, c]]) @ (p - starts[k])
        return kb.Frame((*np.round(place, digits), 0.0), rotation=-turns[k])

    bodies = [kb.Body(name, 1.0, inertia=np.eye(3)) for name in names]
    joints = []
    for i, p in enumerate(base):
        own = kb.Frame((*np.round(p, digits), 0.0))
        joints.append(
            kb.Revolute(f"A{i}", "ground", f"c{i}", on_parent=own, on_child=written(i + 1, p))
        )
        ends = {"on_parent": written(i + 1, p + arms[i]), "on_child": written(0, p + arms[i])}
        joints.append(kb.Revolute(f"B{i}", f"c{i}", "plate", **ends))
    return kb.Mechanism("cranks", bodies, joints, gravity=(0, 0, 0))


@pytest.mark.parametrize("digits", [7, 8, 10])
@pytest.mark.parametrize("seed", seeds(0.3))
def test_what_moves_by_equal_lengths_moves_by_those_of_its_digits(seed, digits):
    """Cranks to spare keep their one freedom, and turn with it, as loops of a robot's file do."""
    m = cranks(np.random.default_rng(seed), digits)
    assert kb.mobility(m).actual == 1
    run = kb.simulate(m, 0.5, v={"A0": 1.0}, times=3)
    np.testing.assert_allclose(run["A0"], run["A0"][0] + run.t, atol=10.0 ** (2 - digits))


@pytest.mark.parametrize(("digits", "other"), [(7, 0.03), (8, 0.01), (10, 0.01)])
@pytest.mark.parametrize("seed", seeds(0.3, 4))
def test_what_lengths_block_is_blocked_whatever_the_digits(seed, digits, other):
    """A crank that is longer leaves nothing: by a hundredth, or three where there are 7 digits.

    Where two cranks stand nearly in one place, 7 digits leave a way of a tenth for a hundredth.
    """
    assert kb.mobility(cranks(np.random.default_rng(seed), digits, other=other)).actual == 0
