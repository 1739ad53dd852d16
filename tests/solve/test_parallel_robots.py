"""Forward and inverse kinematics of parallel robots are each other's inverse."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import korba as kb

FOLDER = Path(__file__).parents[2] / "examples" / "parallel"


@cache
def example(name):
    """Builders and closed forms of an example, which checks itself as it runs."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def legs(stewart, p, R):
    """Strokes of the legs by the closed form, by name."""
    values = np.array([*map(stewart["lengths"], p, R)]) - stewart["home"]
    return {f"leg {i + 1}": values[:, i] for i in range(6)}


def poses(count, reach, turn, seed=5):
    """Random poses about the origin."""
    rng = np.random.default_rng(seed)
    R = Rotation.from_rotvec(rng.uniform(-turn, turn, size=(count, 3))).as_matrix()
    return rng.uniform(-reach, reach, size=(count, 3)), R


def turning(stewart, p, R):
    """Determinant of the legs' Plücker coordinates: its sign changes between branches."""
    arms = stewart["HEADS"] @ R.T
    along = p + arms - stewart["FEET"]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    return np.linalg.det(np.hstack([along, np.cross(arms, along)]))


def test_stewart_forward_after_inverse_is_the_identity():
    """FK(IK(x)) = x to 1e-12, with the leg lengths of the closed form in between."""
    stewart = example("stewart")
    p, R = poses(30, 0.3, 0.4)
    p = p + stewart["HOME"]
    found = kb.inverse_kinematics(stewart["m"], "platform", p, R, follow=False)
    strokes = legs(stewart, p, R)
    for name, stroke in strokes.items():
        assert_allclose(found[name], stroke, atol=1e-12)
    X = kb.assemble(stewart["m"], {name: found[name] for name in strokes}).pose("platform")
    assert_allclose(X[:, :3, 3], p, atol=1e-12)
    assert_allclose(X[:, :3, :3], R, atol=1e-12)


def test_large_steps_are_cut_and_stay_on_the_branch():
    """Far poses come out right although Newton's method does not get there in one go."""
    stewart = example("stewart")
    p, R = poses(500, 0.3, 0.7)
    p = p + stewart["HOME"]
    sizes = np.array([turning(stewart, *each) for each in zip(p, R, strict=True)])
    same = sizes / turning(stewart, stewart["HOME"], np.eye(3)) > 0.05
    assert 300 < same.sum() < 500
    p, R = p[same], R[same]
    X = kb.assemble(stewart["m"], legs(stewart, p, R)).pose("platform")
    assert_allclose(X[:, :3, 3], p, atol=1e-11)


def test_many_configurations_are_those_found_one_by_one():
    """Many positions agree with each alone, and keep the shape of its values."""
    m = example("five_bar")["m"]
    A, B = np.linspace(-0.3, 0.3, 4)[:, None], np.linspace(-0.2, 0.2, 3)
    many = kb.assemble(m, {"A": A, "B": B})
    assert many.q.shape == (4, 3, m.nq)
    assert many.closed.all()
    assert_allclose(many["A"], np.broadcast_to(A, (4, 3)), atol=1e-14)
    for i, j in ((0, 0), (1, 2), (3, 1)):
        one = kb.assemble(m, {"A": A[i, 0], "B": B[j]})
        assert_allclose(many.q[i, j], one.q, atol=1e-12)


def test_configurations_out_of_reach_are_refused_or_nan():
    """An error counts them; with refuse=False only their coordinates are missing."""
    m = example("five_bar")["m"]
    values = {"A": np.array([0.0, 2.4, 0.1]), "B": np.array([0.0, -2.4, 0.1])}
    with pytest.raises(kb.AssemblyError, match=r"1 of 3 configurations .* first with A = 2\.4"):
        kb.assemble(m, values)
    many = kb.assemble(m, values, refuse=False)
    assert many.closed.tolist() == [True, False, True]
    assert np.isnan(many.q[1]).all()
    assert not np.isnan(many.q[[0, 2]]).any()


def test_another_branch_on_request():
    """From a configuration of the other assembly mode all configurations are of that mode."""
    m = example("five_bar")["m"]
    modes = kb.configurations(m, {"A": 0.0, "B": 0.0})
    turn = np.linspace(-0.1, 0.1, 5)
    one, two = (kb.assemble(m, {"A": turn, "B": -turn}, near=mode) for mode in modes)
    home = example("five_bar")["HOME"]
    high, low = ((many.pose("left rod") @ [*home, 0.0, 1.0])[:, 1] for many in (one, two))
    assert np.all(high > 0.3)
    assert np.all(low < 0.2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"A": [0.1]}, "can still move 1 way "),
        ({"A": [0.1], "B": 0.1, "C": 0.1}, "too few"),
        ({"A": 0.1, "B": [0.1, np.nan]}, "expected finite numbers"),
        ({"A": [0.1], "X": 0.1}, "no coordinate 'X'"),
    ],
)
def test_values_that_do_not_determine_the_robot_are_refused(values, message):
    """As many coordinates as freedoms have to be held."""
    with pytest.raises(kb.StructureError, match=message):
        kb.assemble(example("five_bar")["m"], values)


@pytest.mark.parametrize("name", ["delta", "three_rrr"])
def test_robots_have_the_freedoms_of_their_actuators(name):
    """Delta and 3-RRR have three freedoms, and nothing is over-constrained."""
    found = kb.mobility(example(name)["m"])
    assert (found.actual, found.local, found.passive) == (3, 0, 0)
