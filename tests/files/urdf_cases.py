"""Files and mechanisms that the tests of the URDF reader and writer share."""

from collections import deque
from dataclasses import replace
from pathlib import Path

import numpy as np
from robot_files import ROBOTS

from korba.files.urdf_read import read_urdf
from korba.model.body import GROUND, Body, Shape
from korba.model.coupling import Coupling
from korba.model.drawing import drawing
from korba.model.frame import Frame
from korba.model.joint import Friction
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism
from korba.spatial.pose import Pose, identity
from korba.spatial.rotation import rotation_of_rpy

PACKAGE = ROBOTS / "example-robot-data" if isinstance(ROBOTS, Path) else Path("none")
EXAMPLES = sorted(PACKAGE.rglob("*.urdf"))

SMALL = [
    """<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.05" length="0.2"/></geometry>
      <material name="grey"/></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="50" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.2"/><axis xyz="1 1 0"/><mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
</robot>
""",
    """<robot name="cart"><link name="world"/><link name="cart"><inertial><mass value="3"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="tool">
<visual><geometry><mesh filename="package://a/b.stl" scale="1 1 0.001"/></geometry></visual></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="mount" type="fixed"><parent link="cart"/><child link="tool"/>
<origin xyz="0.1 0 0" rpy="0 0 1"/></joint></robot>
""",
    """<robot name="ball"><link name="world"/><link name="ball"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="puck"/>
<joint name="fly" type="floating"><parent link="world"/><child link="ball"/></joint>
<joint name="table" type="planar"><parent link="ball"/><child link="puck"/><axis xyz="0 1 0"/>
</joint><transmission name="t"/><gazebo reference="ball"/></robot>
""",
]


def written(tmp_path, text: str) -> Path:
    """A file with that text."""
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read_text(tmp_path, text, **options) -> Mechanism:
    """The mechanism of a URDF text."""
    return read_urdf(written(tmp_path, text), **options)


def world_poses(m: Mechanism, q: dict) -> dict[str, Pose]:
    """X_WB of all bodies of a tree at the coordinates of every joint, the drawing's without."""
    placed = drawing(m)
    hinges: dict[str, list] = {}
    for joint in m.joints:
        X_PB = (
            placed.X_PF(joint)
            @ joint.pose(np.asarray(q.get(joint.name, placed.q[joint.name])))
            @ placed.X_BM(joint).inverse()
        )
        hinges.setdefault(joint.parent, []).append((joint.child, X_PB))
        hinges.setdefault(joint.child, []).append((joint.parent, X_PB.inverse()))
    poses, queue = {GROUND: identity()}, deque([GROUND])
    while queue:
        body = queue.popleft()
        for other, X in hinges.get(body, []):
            if other not in poses:
                poses[other] = poses[body] @ X
                queue.append(other)
    return poses


def random_tree(seed: int, count: int = 7) -> Mechanism:
    """A tree with all joint types of URDF, drawn anywhere, placed in the drawing or by frames."""
    rng = np.random.default_rng(seed)

    def frame() -> Frame:
        return Frame.of_pose(Pose(rotation_of_rpy(*rng.normal(size=3)), rng.normal(size=3)))

    drawn = bool(seed % 2)
    bodies, joints = [], []
    for i in range(count):
        A = rng.normal(size=(3, 3))
        moments = A @ A.T
        tensor = np.trace(moments) * np.eye(3) - moments
        box = Shape("box", (0.1, 0.2, 0.3), frame=frame(), color=(0.1 * i, 0, 0, 1))
        body = Body(
            f"b{i}",
            rng.uniform(0.1, 3),
            rng.normal(size=3),
            0.5 * (tensor + tensor.T),
            frame=frame() if drawn else None,
            shapes=(box, Shape("mesh", file="a&b.stl", scale=(1, 2, 3))),
        )
        kind = ["revolute", "prismatic", "fixed", "planar", "free"][(i + seed) % 5]
        cls = JOINT_TYPES[kind]
        inner = GROUND if i == 0 else f"b{rng.integers(i)}"
        ends = [inner, body.name]
        if kind in ("revolute", "prismatic", "fixed") and rng.random() < 0.3:
            ends.reverse()
        keys = {"at": rng.normal(size=3)} if drawn else {"on_parent": frame(), "on_child": frame()}
        keys["axis"], keys["x_axis"] = rng.normal(size=3), rng.normal(size=3)
        if kind != "fixed":
            keys["drawn"] = random_coordinates(cls, rng)
            keys["damping"], keys["friction"] = 0.5, Friction(effort=0.25)
        if kind == "prismatic":
            keys |= {"lower": -1, "max_effort": 5.0}
        bodies.append(body)
        joints.append(cls(f"j{i}", *ends, **keys))
    single = [joint.name for joint in joints if joint.nq == 1]
    coupling = Coupling("c", single[1], f"2.5*({single[0]} + 1)")
    joints = [replace(j, drawn=None) if j.name == single[1] else j for j in joints]
    return Mechanism("tree", bodies, joints, [coupling])


def random_coordinates(cls, rng) -> tuple[float, ...]:
    """Coordinates of a joint type, with a unit quaternion where there is one."""
    q = rng.normal(size=len(cls.rest))
    if len(q) == 7:
        q[3:] /= np.linalg.norm(q[3:])
    return tuple(float(x) for x in q)
