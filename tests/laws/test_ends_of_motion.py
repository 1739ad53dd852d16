"""Where a coordinate can move its mechanism no further: motion and range name the same place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from test_no_open_loops import four_bar
from test_spatial_closed_forms import MAKERS, linked, loop_modes, mechanism

import korba as kb

SPATIAL = ["RCCC", "CCRC", "RSSR", "RSST", "TSSR"]


def drawn(m, name):
    """A coordinate in the drawing."""
    values = np.concatenate([joint.drawn_coordinates for joint in m.joints])
    return float(values[m.coordinates.index(name)])


def stopped(m, name, sign):
    """The error of a motion in which a coordinate is driven up or down by 7."""
    law = f"{drawn(m, name)!r} + {sign}*t"
    with pytest.raises(kb.DeadPointError) as stop:
        kb.motion(replace(m, drives=[kb.JointDrive("d", name, law)]), np.linspace(0, 7, 141))
    return stop.value


def agree(m):
    """Both ends of the first coordinate's range are where motions end, for the same reason."""
    name = m.coordinates[0]
    found = kb.input_range(m, name)
    for sign, limit in ((-1, found.lower), (1, found.upper)):
        if limit is not None:
            stop = stopped(m, name, sign)
            assert drawn(m, name) + sign * stop.t == pytest.approx(limit.value, rel=0, abs=1e-7)
            words = {"fold": "comes to a dead point", "asymptote": "run beyond all bounds"}
            assert words[limit.cause] in str(stop).replace("runs beyond", "run beyond")
    return found


@pytest.mark.parametrize("seed", seeds())
def test_motion_ends_where_the_range_ends_in_space(seed):
    """Pins, slides, cylinders and balls: dead points, and slides that run away."""
    rng, kind, modes = np.random.default_rng([17, seed]), SPATIAL[seed % len(SPATIAL)], []
    while len(modes) == 0:
        rows = MAKERS[kind](rng)
        modes = loop_modes(rows, rng.uniform(-3, 3))
    agree(mechanism(rows, modes[0]))


@pytest.mark.parametrize("seed", seeds(0.3))
def test_motion_ends_where_the_range_ends_in_the_plane(seed):
    """Random four-bars."""
    m = four_bar(np.random.default_rng([18, seed]))
    m = m if isinstance(m, kb.Mechanism) else m[0]
    agree(replace(m, drives=()))


@pytest.mark.parametrize("seed", seeds(0.4))
def test_slides_of_rccc_run_away_at_the_dead_points_of_its_angles(seed):
    """The closed form has positions up to the limits and none beyond."""
    rng, found = np.random.default_rng([19, seed]), None
    while found is None or found.full_turn:
        rows, value = linked(rng, "RCCC"), rng.uniform(-3, 3)
        modes = loop_modes(rows, value)
        if len(modes):
            found = kb.input_range(mechanism(rows, modes[0]), "1")
    for limit, ahead in ((found.lower, -1e-9), (found.upper, 1e-9)):
        assert limit.cause == "asymptote"
        assert any(name.endswith("stroke") for name in limit.stuck)
        assert len(loop_modes(rows, limit.value - ahead))
        assert not len(loop_modes(rows, limit.value + ahead))


def test_a_line_that_turns_parallel_to_another():
    """A slot that drives a pin along a line at distance 1: tan(A) has no bound at a right angle."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Prismatic("S", "crank", "block", at=(0, 1), axis=(0, 1)),
        kb.Revolute("B", "block", "rod", at=(0, 1)),
        kb.Prismatic("T", "ground", "rod", at=(0, 1), axis=(1, 0)),
    ]
    bodies = [kb.Body(name) for name in ("crank", "block", "rod")]
    found = agree(kb.Mechanism("slot", bodies, joints, plane="xy"))
    assert found.upper.value == pytest.approx(np.pi / 2, abs=1e-9)
    assert found.upper.stuck == ("T", "S")
    assert "T, S beyond all bounds" in str(found)
    assert found.ends[1] < found.upper.value
    assert np.tan(found.ends[1]) == pytest.approx(-found.upper.values["T"], rel=1e-9)
