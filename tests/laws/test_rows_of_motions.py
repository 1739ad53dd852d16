"""Trajectories: rows taken, kept and written are those of the whole, on random linkages."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb

TIMES = np.linspace(0.0, 0.4, 9)
ROWS = [slice(2, 7), slice(None, None, 3), slice(8, None)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_rows_are_taken_of_everything(kind, seed):
    """Columns, points and poses of some rows are those rows of the columns, points and poses."""
    moved = kb.motion(loaded(kind, seed), TIMES)
    for rows in ROWS:
        part = moved[rows]
        assert part.names == moved.names
        assert_array_equal(part.columns, moved.columns[rows])
        for body in ("crank", "rod", "rocker"):
            one, all_of_it = part.point(body, (0.1, 0.2, 0)), moved.point(body, (0.1, 0.2, 0))
            assert_allclose(one.position, all_of_it.position[rows], rtol=0, atol=1e-15)
            assert_allclose(one.acceleration, all_of_it.acceleration[rows], rtol=0, atol=1e-12)
            assert_allclose(part.body(body).rotation, moved.body(body).rotation[rows], atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_bodies_are_rigid_and_turn_at_their_rates(kind, seed):
    """v_P = v_O + w x r, a_P = a_O + e x r + w x (w x r), and R' is w x R, for every body."""
    rng = np.random.default_rng(seed)
    moved = kb.motion(loaded(kind, seed), TIMES)
    step = 1e-4
    sides = [kb.motion(moved.mechanism, TIMES[1:] + s) for s in (-step, step)]
    for body in ("crank", "rod", "rocker"):
        at = rng.normal(size=3)
        frame, P = moved.body(body), moved.point(body, at)
        w, e = frame.angular_velocity, frame.angular_acceleration
        r = P.position - frame.position
        size = 1 + np.abs(P.acceleration).max()
        assert_allclose(np.linalg.norm(r, axis=1), np.linalg.norm(at), rtol=1e-12)
        assert_allclose(P.velocity, frame.velocity + np.cross(w, r), atol=1e-12 * size)
        turning = np.cross(e, r) + np.cross(w, np.cross(w, r))
        assert_allclose(P.acceleration, frame.acceleration + turning, atol=1e-11 * size)
        if kind != "rssr":  # its rod spins as it likes, from run to run
            low, high = (side.body(body).rotation for side in sides)
            rate = (high - low) / (2 * step)
            expected = np.cross(w[1:, None, :], np.swapaxes(frame.rotation[1:], 1, 2))
            assert_allclose(rate, np.swapaxes(expected, 1, 2), atol=1e-5 * size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_a_table_has_every_digit(kind, seed, tmp_path):
    """Numbers in a CSV file and in an archive are those of the motion, to the last bit."""
    moved = kb.motion(loaded(kind, seed), TIMES)
    moved.save(tmp_path / "moved.csv")
    with (tmp_path / "moved.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.reader(stream) if row and not row[0].startswith("#")]
    heads = [name.partition(" ")[0] for name in rows[0]]
    numbers = np.array(rows[1:], dtype=float)
    for name in ("A", "v_A", "a_D"):
        assert_array_equal(numbers[:, heads.index(name)], moved[name])
    moved.save(tmp_path / "moved.npz")
    again = kb.Trajectory.load(tmp_path / "moved.npz")
    assert_array_equal(again.columns, moved.columns)
    assert again.mechanism == moved.mechanism
