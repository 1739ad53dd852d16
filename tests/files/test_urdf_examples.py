"""Every robot of example-robot-data reads, and comes back from a written file."""

import functools
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robot_files import ROBOTS
from urdf_cases import EXAMPLES, world_poses

from korba.files.urdf_read import read_urdf
from korba.files.urdf_write import write_urdf

read = functools.cache(read_urdf)
EPS = np.finfo(float).eps


def robot_id(path):
    return f"{path.parent.parent.name}-{path.stem}"


each_robot = pytest.mark.parametrize("path", EXAMPLES, ids=robot_id)
MOVING = {"revolute", "continuous", "prismatic"}


def test_the_robots_are_there():
    """The collection below is not empty, where the robots are installed."""
    assert ROBOTS.exists()
    assert len(EXAMPLES) >= 60


def masses(root) -> list[float]:
    return [float(e.get("value")) for e in root.findall("link/inertial/mass")]


@each_robot
def test_links_joints_and_masses_are_those_of_the_file(path):
    """Counts and masses agree with an independent reader of the XML."""
    root = ET.parse(path).getroot()
    m = read(path)
    links = [e.get("name") for e in root.findall("link")]
    joints = root.findall("joint")
    children = {e.find("child").get("link") for e in joints}
    alone = {e.find("parent").get("link") for e in joints} | children | {links[0] if links else ""}
    kept = [name for name in links if name in alone]
    held = [e for e in joints if e.find("child").get("link") in links]
    base = "world" in kept and "world" not in children
    assert len(m.bodies) == len(kept) - base
    assert len(m.joints) == len(held) + (bool(links) and not base)
    names = {e.get("name") for e in joints}
    moving = [e for e in held if e.get("type") in MOVING]
    free = [
        e for e in moving if e.find("mimic") is None or e.find("mimic").get("joint") not in names
    ]
    assert m.coordinates == tuple(e.get("name") for e in free)
    assert math.fsum(b.mass for b in m.bodies) == math.fsum(masses(root))


@each_robot
def test_merging_keeps_mass_and_motion(path):
    """Bodies merged along fixed joints have the same mass, centre of mass and moving joints."""
    whole, merged = read(path), read_urdf(path, merge_fixed=True)
    assert merged.coordinates == whole.coordinates
    assert all(j.nv or j.parent == "ground" for j in merged.joints)
    poses, fewer = world_poses(whole, {}), world_poses(merged, {})
    for m, X in ((whole, poses), (merged, fewer)):
        first = sum((b.mass * X[b.name].point(b.com) for b in m.bodies), np.zeros(3))
        if m is whole:
            expected = first
    total = sum(b.mass for b in whole.bodies)
    assert_allclose(first, expected, rtol=0, atol=1e3 * EPS * max(total, 1))
    points = {n: fewer[b.name].point(p) for b in merged.bodies for n, p in b.points}
    points |= {b.name: fewer[b.name].p for b in merged.bodies}
    assert points.keys() == {b.name for b in whole.bodies}
    for name, p in points.items():
        assert_allclose(p, poses[name].p, rtol=0, atol=1e3 * EPS)


@each_robot
def test_a_floating_robot_has_six_freedoms_more(path):
    """`floating` adds the free joint of the root link."""
    m, flying = read(path), read(path, floating=True)
    assert flying.nv == m.nv + (6 if m.bodies else 0)
    assert flying.nq == m.nq + (7 if m.bodies else 0)


@pytest.mark.parametrize(
    ("path", "floating"),
    [(path, False) for path in EXAMPLES] + [(path, True) for path in EXAMPLES[::4]],
    ids=lambda x: robot_id(x) if isinstance(x, Path) else str(x),
)
def test_a_written_robot_reads_back_the_same(path, floating, tmp_path):
    """read(write(m)) is m, up to rounding of rotations and of axes made unit."""
    m = read(path, floating=True) if floating else read(path)
    write_urdf(m, tmp_path / "again.urdf")
    again = read_urdf(tmp_path / "again.urdf")
    assert again.coordinates == m.coordinates
    assert again.couplings == m.couplings
    for a, b in zip(m.bodies, again.bodies, strict=True):
        assert (a.name, a.mass, a.com, a.as_given) == (b.name, b.mass, b.com, b.as_given)
        assert a.inertia == b.inertia
        assert len(a.shapes) == len(b.shapes)
        for s, t in zip(a.shapes, b.shapes, strict=True):
            assert (s.kind, s.size, s.file, s.scale, s.color) == (
                t.kind,
                t.size,
                t.file,
                t.scale,
                t.color,
            )
            same_frame(s.frame, t.frame)
    for j, k in zip(m.joints, again.joints, strict=True):
        assert (type(j), j.name, j.parent, j.child) == (type(k), k.name, k.parent, k.child)
        for key in ("lower", "upper", "max_effort", "max_velocity", "damping", "friction"):
            assert getattr(j, key) == getattr(k, key)
        if j.on_parent or k.on_parent:
            same_frame(j.on_parent or type(k.on_parent)(), k.on_parent or type(j.on_parent)())
        if j.axis:
            assert_allclose(np.array(j.axis) / np.linalg.norm(j.axis), k.axis, rtol=0, atol=4 * EPS)


def same_frame(a, b):
    assert_allclose(a.origin, b.origin, rtol=4 * EPS, atol=4 * EPS)
    assert_allclose(a.rotation, b.rotation, rtol=0, atol=16 * EPS)
