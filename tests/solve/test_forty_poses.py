"""A platform on six legs with forty real poses (Dietmaier 1998): all of them, each once."""

import json
from pathlib import Path

import numpy as np

import korba as kb

DATA = json.loads((Path(__file__).parent / "dietmaier.json").read_text("utf-8"))
DRAWN = np.array([0.3, 0.2, 1.0])
"""Where the platform is drawn: in none of its poses."""


def platform():
    """The platform on legs between universal joints and balls, and what brings each to length."""
    bodies, joints, strokes = [kb.Body("platform", frame=kb.Frame(DRAWN))], [], {}
    ends = zip(DATA["base_points"], DATA["platform_points_in_its_frame"], strict=True)
    for i, (foot, head) in enumerate(ends):
        top = np.array(head) + DRAWN
        along = top - foot
        across = np.cross(along, (0.3, 0.5, 0.8))
        bodies += [kb.Body(f"lower{i}"), kb.Body(f"upper{i}")]
        cross = {"axis": across, "x_axis": np.cross(along, across)}
        joints += [
            kb.Universal(f"U{i}", "ground", f"lower{i}", at=foot, **cross),
            kb.Prismatic(f"P{i}", f"lower{i}", f"upper{i}", at=foot, axis=along),
            kb.Spherical(f"S{i}", f"upper{i}", "platform", at=top),
        ]
        strokes[f"P{i}"] = DATA["leg_lengths"][i] - float(np.linalg.norm(along))
    return kb.Mechanism("platform", bodies, joints), strokes


def test_all_forty_poses_of_a_platform_are_met():
    """A search by default meets every pose, counts it once, and every leg has its length."""
    m, strokes = platform()
    modes = kb.configurations(m, strokes)
    assert len(modes) == DATA["expected_real_poses"]
    X = np.array([mode.pose("platform") for mode in modes])
    away = np.abs(X[:, None] - X[None]).max(axis=(2, 3)) + np.eye(len(X))
    assert away.min() > 1e-3
    heads = np.array([[*p, 1.0] for p in DATA["platform_points_in_its_frame"]])
    legs = (X @ heads.T)[:, :3] - np.array(DATA["base_points"]).T
    lengths = np.linalg.norm(legs, axis=1)
    assert np.abs(lengths - DATA["leg_lengths"]).max() < 1e-10
