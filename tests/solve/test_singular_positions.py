"""Transmission angles and singular positions of motions against closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from linkages import crank_rocker, four_bar, slider_crank
from numpy.testing import assert_allclose

import korba as kb
from korba.positions.follow import Along, follow, on_time
from korba.solve.dead_point import dead_point
from korba.solve.motion import driven_loops

FILES = Path(__file__).parents[2] / "examples" / "structure"


def test_transmission_angle_of_a_four_bar():
    """Extremes at the crank in line with the base, and between samples 90 deg."""
    (a, b, c, d), m = (0.2, 0.6, 0.6, 0.8), crank_rocker()
    done = kb.motion(m, np.linspace(0, 1, 38))
    found = kb.transmission_angle(done)
    assert (found.joint, found.output) == ("C", "rocker")
    assert found.minimum == pytest.approx(np.arccos((b * b + c * c - (d - a) ** 2) / (2 * b * c)))
    assert found.t_minimum == pytest.approx(0.75, abs=1e-5)
    assert found.maximum == pytest.approx(np.pi / 2, abs=1e-6)
    span = a * a + d * d - 2 * a * d * np.cos(done["A"] + np.pi / 2)
    assert_allclose(np.sin(found.angle), np.sqrt(1 - ((b * b + c * c - span) / (2 * b * c)) ** 2))
    assert_allclose(found.pressure + found.angle, np.pi / 2)


def test_transmission_angle_of_a_slider_crank():
    """cos mu = |r sin theta - e| / l."""
    r, length, e, theta = 0.3, 0.8, 0.1, 0.3
    m, _ = slider_crank(r, length, e, theta, drives=[kb.JointDrive("motor", "A", "2*pi*t")])
    done = kb.motion(m, np.linspace(0, 1, 41))
    found = kb.transmission_angle(done)
    assert_allclose(np.cos(found.angle), np.abs(r * np.sin(done["A"] + theta) - e) / length)
    assert found.minimum == pytest.approx(np.arccos((r + e) / length), abs=1e-9)
    assert_allclose(kb.transmission_angle(done, "C", "slider").angle, found.angle)
    with pytest.raises(kb.StructureError, match="does not belong to the output"):
        kb.transmission_angle(done, "C", "crank")


def test_quick_return_of_a_swinging_guide():
    """Slow over quick stroke is (pi - b) / b with cos b = r / d, and the block pushes squarely."""
    r, d, theta = 0.2, 0.5, 0.4
    B = np.array([r * np.cos(theta), d + r * np.sin(theta)])
    m = kb.Mechanism(
        "shaper",
        [kb.Body(name) for name in ("crank", "block", "lever")],
        [
            kb.Revolute("A", "ground", "crank", at=(0, d)),
            kb.Revolute("B", "crank", "block", at=B),
            kb.Prismatic("S", "lever", "block", at=B, axis=B),
            kb.Revolute("O", "ground", "lever", at=(0, 0)),
        ],
        drives=[kb.JointDrive("motor", "A", "2*pi*t")],
        plane="xy",
    )
    (loop,) = kb.grashof(m)
    assert loop.kind == "swinging block"
    assert set(loop.turning) == {"A", "B"}
    done = kb.motion(m, np.linspace(0, 1, 61))
    quick = np.arccos(r / d)
    assert kb.time_ratio(done, "O") == pytest.approx((np.pi - quick) / quick, abs=1e-9)
    assert kb.transmission_angle(done).minimum == pytest.approx(np.pi / 2, abs=1e-7)


def test_change_points_of_a_parallelogram_are_located():
    """The branches cross where all links are in line; times to 1e-9, however coarse the motion."""
    drives = [kb.JointDrive("motor", "A", "2*pi*t")]
    m = four_bar((0.3, 0.7, 0.3, 0.7), 1.0, drives=drives)
    times = [(np.pi - 1) / (2 * np.pi), (2 * np.pi - 1) / (2 * np.pi)]
    for count in (37, 361):
        done = kb.motion(m, np.linspace(0, 1, count))
        assert_allclose(done["D"], done["A"], atol=1e-10)
        found = kb.singularities(done)
        assert [each.kind for each in found] == ["change point", "change point"]
        assert_allclose([each.t for each in found], times, atol=1e-9)
        assert "A, B, C in line" in found[0].in_line
        passed = np.searchsorted(times, done.t)
        assert np.all(np.sign(found.determinant) == np.where(passed == 1, -1, 1))
        assert found.smallest.min() < 0.1
    assert kb.input_range(m, "A").returns


def test_change_points_with_rows_to_spare():
    """A doubled parallelogram, over-constrained, has its change points found as well."""
    m = kb.load(FILES / "fig_1_19b_doubled_parallelogram.toml")
    m = replace(m, drives=[kb.JointDrive("motor", "A", "2*pi*t")])
    found = kb.singularities(kb.motion(m, np.linspace(0, 1, 73)))
    assert [each.kind for each in found] == ["change point", "change point"]
    assert found[1].t - found[0].t == pytest.approx(0.5, abs=1e-9)


def test_dead_points_and_folds():
    """Driven by its crank the rocker has two dead points; driven by the rocker they are folds."""
    (a, b, c, d), m = (0.2, 0.6, 0.6, 0.8), crank_rocker()
    done = kb.motion(m, np.linspace(0, 1, 73))
    found = [each for each in kb.singularities(done) if each.coordinate == "D"]
    assert all(each.in_line == ("A, B, C in line",) for each in found)
    for each, reach in zip(found, (b - a, b + a), strict=True):
        line = np.arccos((d * d + reach**2 - c * c) / (2 * d * reach))
        angle = np.pi + line if reach < b else 2 * np.pi + line
        assert each.t == pytest.approx((angle - np.pi / 2) / (2 * np.pi), abs=1e-9)
        assert each.kind == "dead point"
    back = replace(m, drives=[kb.JointDrive("motor", "D", "-t")])
    with pytest.raises(kb.DeadPointError) as caught:
        kb.motion(back, np.linspace(0, 1, 50))
    last = kb.singularities(caught.value)[-1]
    assert (last.kind, last.t) == ("fold", caught.value.t)
    assert found[1].values["D"] == pytest.approx(-last.t, abs=1e-9)


def test_a_reversing_drive_is_no_dead_point():
    """Where the drive itself turns back everything stands still, and nothing is singular."""
    m = replace(crank_rocker(), drives=[kb.JointDrive("motor", "A", "0.2*sin(t) + 0.4")])
    found = kb.singularities(kb.motion(m, np.linspace(0, 3, 40)))
    assert len(found) == 0
    assert str(found) == "no singular position"


def test_a_path_that_does_not_turn_back_has_no_dead_point():
    """Where nodes end without a fold before the end, the last of them is told, not a later time."""
    system = driven_loops(crank_rocker())
    along = Along(system, on_time(system))
    nodes = replace(follow(along, system.drawn, 0.0, 0.1), complete=False)
    error = dead_point(system, nodes, 0.3, None)
    assert error.t == nodes.s[-1]
    assert "cannot be followed further than t = 0.1 s" in str(error)


def test_what_is_felt_from_outside_comes_first():
    """Dead points of input and output stand before those between moving links, each in time."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    found = kb.singularities(kb.motion(m, np.linspace(0, 2, 73)))
    outer = len(found) - found.inner
    assert {each.coordinate for each in found[:outer]} == {"D"}
    assert {each.coordinate for each in found[outer:]} <= {"B", "C"}
    assert found.inner > 0
    for part in (found[:outer], found[outer:]):
        assert [each.t for each in part] == sorted(each.t for each in part)
    lines = str(found).splitlines()
    assert lines[outer] == "between moving links:"
    assert lines[0].startswith("dead point of D")
