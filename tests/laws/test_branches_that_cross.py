"""Motions through positions in which other branches cross: they go straight on, at every row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

TURNS = 2


def parallelogram(rng, at, name=""):
    """Crank and rocker of one length, the coupler as long as the base, the crank `at` an angle."""
    crank, base, x = *rng.uniform(0.05, 1.2, 2), rng.uniform(-3, 3)
    A, D = np.array([(x, 0.0), (x + base, 0.0)])
    arm = crank * np.array([np.cos(at), np.sin(at)])
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "rocker"), ("ground", "rocker")]
    joints = [
        kb.Revolute(pin + name, *(x if x == "ground" else x + name for x in own), at=tuple(p))
        for pin, own, p in zip("ABCD", ends, (A, A + arm, D + arm, D), strict=True)
    ]
    return [kb.Body(x + name) for x in ("crank", "rod", "rocker")], joints


def straight_on(m, t, names):
    """All cranks turn with the first, evenly."""
    done = kb.motion(m, t)
    for name in names:
        assert_allclose(done[name], t, rtol=0, atol=1e-9)
        assert_allclose(done[f"v_{name}"], 1.0, rtol=0, atol=1e-6)
        assert_allclose(done[f"a_{name}"], 0.0, rtol=0, atol=1e-3)


def in_line(rng, at, counts):
    """The start, and times in line and between, for some turns."""
    count = int(rng.choice(counts))
    t = np.pi - at + np.pi * np.arange(2 * TURNS * count + 1) / count
    return np.append(0.0, t), count


@pytest.mark.parametrize("seed", seeds())
def test_a_parallelogram_stays_one_wherever_rows_and_the_end_lie(seed):
    """In line at every row, or between, and at the end or soon after it."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(0.2, 2.9)
    bodies, joints = parallelogram(rng, at)
    drive = kb.JointDrive("d", "A", "t")
    m = kb.Mechanism("parallelogram", bodies, joints, plane="xy", drives=[drive])
    t, count = in_line(rng, at, [1, 2, 3, 5, 41])
    straight_on(m, t, ["D"])
    straight_on(m, t[: 2 + count * int(rng.integers(4))], ["D"])
    straight_on(m, np.append(0.0, t[1:] + 10.0 ** rng.uniform(-12, -1)), ["D"])


@pytest.mark.parametrize("seed", seeds(0.3))
def test_two_that_are_in_line_at_once_go_on_both(seed):
    """The equations turn over twice in one position: their determinant keeps its sign."""
    rng = np.random.default_rng([2, seed])
    at = rng.uniform(0.2, 2.9)
    (b1, j1), (b2, j2) = (parallelogram(rng, at, name) for name in ("1", "2"))
    how = {"drives": [kb.JointDrive("d", "A1", "t")], "couplings": [kb.Coupling("g", "A2", "A1")]}
    m = kb.Mechanism("two", b1 + b2, j1 + j2, plane="xy", **how)
    straight_on(m, in_line(rng, at, [1, 2, 3, 7])[0], ["D1", "D2"])


@pytest.mark.parametrize("seed", seeds(0.3))
def test_designs_side_by_side_go_straight_on_too(seed):
    """A batch of parallelograms that stand in line at rows is the motion of each alone."""
    rng = np.random.default_rng([3, seed])
    crank, base, at = *rng.uniform(0.05, 1.2, 2), rng.uniform(0.2, 2.9)
    m = kb.linkages.four_bar(crank, base, crank, base, at=f"{at} rad")
    m = replace(m, drives=[kb.JointDrive("d", "A", f"{at} + t")])
    t = in_line(rng, at, [1, 2, 3, 7])[0][: rng.integers(2, 9)]
    done = kb.motion(m, t, parameters={"density": np.array([1.0, 2.0])})
    assert (done.status == "finished").all()
    turned = done["D"] - done["D"][:, :1]
    assert_allclose(turned, np.broadcast_to(t, turned.shape), rtol=0, atol=1e-9)
    assert_allclose(done["v_D"], 1.0, rtol=0, atol=1e-6)
    assert_allclose(done["a_D"], 0.0, rtol=0, atol=1e-3)
