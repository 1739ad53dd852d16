"""Mechanisms read from MJCF stand, weigh and move like MuJoCo's own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.expr import evaluate
from korba.files.mjcf_read import read_mjcf
from korba.model.drawing import drawing, joint_frames
from korba.spatial.pose import identity
from korba.spatial.rotation import rotation_of_quaternion, vee

mujoco = pytest.importorskip("mujoco")

PENDULUM = """
<mujoco model="pendulum">
  <option gravity="0 1 -9"/>
  <worldbody>
    <body name="rod" pos="0 0 1" euler="0 30 0">
      <joint name="hinge" axis="0 1 1" pos="0 0 .2" range="-90 45" damping=".1" frictionloss=".2"
             stiffness="3" springref="20" ref="10" actuatorfrcrange="-5 5"/>
      <geom name="bar" type="capsule" fromto="0 0 0 .1 0 -.5" size=".02" rgba="1 0 0 1"/>
      <site name="tip" pos=".1 0 -.5"/>
    </body>
  </worldbody>
</mujoco>"""

FLYING_BOX = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="box" pos="1 2 3" euler=".1 .2 .3">
      <freejoint/>
      <geom type="box" size=".1 .2 .3" pos=".1 0 0" euler=".4 0 0" mass="2"/>
      <geom type="cylinder" size=".1 .2" pos="0 0 .4" density="500"/>
      <body pos="0 0 1" quat="1 1 0 0"><geom type="sphere" size=".1"/></body>
    </body>
  </worldbody>
</mujoco>"""

BALLS = """
<mujoco>
  <worldbody>
    <frame pos="0 0 1" euler="0 0 45">
      <body name="upper" pos=".1 0 0">
        <joint name="shoulder" type="ball" pos="0 0 .1" damping=".3"/>
        <geom size=".1" pos="0 0 -.2"/>
        <body name="lower" pos="0 0 -.5" quat=".7 .1 .2 .3">
          <joint name="elbow" type="ball" pos=".1 .2 .3"/>
          <geom type="ellipsoid" size=".1 .2 .3"/>
        </body>
      </body>
    </frame>
  </worldbody>
</mujoco>"""

MANY_JOINTS = """
<mujoco>
  <default><joint armature=".02"/><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="plate" pos=".5 0 0" euler="20 0 10">
      <joint name="x" type="slide" axis="1 0 0" ref=".2" range="-1 1"/>
      <joint name="turn" axis="0 0 1" pos=".1 .2 0" ref="-30"/>
      <joint name="y" type="slide" axis="0 1 1"/>
      <geom type="box" size=".1 .2 .3" mass="3" pos=".1 .1 0"/>
      <body name="plate.1" pos="0 0 .3">
        <joint axis="1 0 0" pos="0 .1 0"/>
        <joint axis="0 1 0" ref="5"/>
        <geom type="box" size=".2 .1 .1" mass="1" pos="0 .3 0" euler="10 20 30"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""

FOUR_BAR = """
<mujoco>
  <option><flag contact="disable"/></option>
  <default><joint axis="0 1 0"/><geom type="capsule" size=".02"/></default>
  <worldbody>
    <body name="crank" pos="0 0 0">
      <joint name="A"/><geom fromto="0 0 0 0 0 .2"/>
      <body name="coupler" pos="0 0 .2">
        <joint name="B"/><geom fromto="0 0 0 .5 0 .1"/>
      </body>
    </body>
    <body name="rocker" pos=".5 0 0" euler="0 0 30">
      <joint name="D"/><geom fromto="0 0 0 0 0 .3"/>
    </body>
  </worldbody>
  <equality><connect name="C" body1="coupler" body2="rocker" anchor=".5 0 .1"/></equality>
</mujoco>"""

WELDED = """
<mujoco>
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="one" pos="0 0 1" euler="10 20 30"><joint axis="1 2 3"/><geom size=".1"/>
      <site name="o"/>
      <body name="two" pos=".3 0 0"><joint name="two" type="ball"/><geom size=".1"/>
        <site name="s" pos=".1 .2 .3" euler="0 50 0"/>
        <body name="three" pos=".1 0 0" euler="0 0 20"><joint type="slide"/><geom size=".1"/>
          <frame euler="0 0 -20"><site name="r" pos="0 .2 .3" euler="0 50 0"/></frame>
        </body>
      </body>
    </body>
    <site name="w" pos="0 0 1"/>
  </worldbody>
  <equality>{}</equality>
</mujoco>"""

EVERY_TREE = {
    "pendulum": PENDULUM,
    "flying box": FLYING_BOX,
    "balls": BALLS,
    "many joints": MANY_JOINTS,
    "four-bar": FOUR_BAR,
    "welded": WELDED.format(""),
}


def both(text, folder):
    """The mechanism that Korba reads and the model that MuJoCo compiles."""
    file = folder / "model.xml"
    file.write_text(text)
    return read_mjcf(file), mujoco.MjModel.from_xml_path(str(file))


def tree_poses(m, q):
    """X_WB of every body: X_WP X_PF X_FM X_BM^-1 along the tree, joint by joint."""
    X_WB = {"ground": identity()}
    for joint in m.joints:
        if joint.child not in X_WB:
            X_PF, X_BM = joint_frames(joint)
            X_FM = joint.pose(q.get(joint.name, joint.drawn_coordinates))
            X_WB[joint.child] = X_WB[joint.parent] @ X_PF @ X_FM @ X_BM.inverse()
    return X_WB


def body_name(model, b):
    return model.body(b).name or f"body{b}"


def by_joint(m, model, qpos):
    """MuJoCo's qpos as coordinates of Korba's joints, which come in the same order."""
    names = [joint.name for joint in m.joints if joint.nq][: model.njnt]
    return {
        name: qpos[start : start + m.joint(name).nq]
        for name, start in zip(names, model.jnt_qposadr, strict=True)
    }


def random_qpos(model, seed):
    """A configuration near and far from the reference, with unit quaternions."""
    data = mujoco.MjData(model)
    v = np.random.default_rng(seed).normal(size=model.nv)
    mujoco.mj_integratePos(model, data.qpos, v, 1.0)
    return data.qpos.copy()


def assert_same_poses(X_WB, model, qpos):
    data = mujoco.MjData(model)
    data.qpos = qpos
    mujoco.mj_kinematics(model, data)
    for b in range(1, model.nbody):
        X = X_WB[body_name(model, b)]
        assert_allclose(X.p, data.xpos[b], rtol=0, atol=1e-13)
        assert_allclose(X.R, rotation_of_quaternion(data.xquat[b]), rtol=0, atol=1e-13)


@pytest.mark.parametrize("text", EVERY_TREE.values(), ids=EVERY_TREE.keys())
@pytest.mark.parametrize("seed", range(3))
def test_bodies_stand_where_mujoco_puts_them(text, seed, tmp_path):
    """At equal joint coordinates every body has MuJoCo's pose."""
    m, model = both(text, tmp_path)
    qpos = random_qpos(model, seed)
    assert_same_poses(tree_poses(m, by_joint(m, model, qpos)), model, qpos)


@pytest.mark.parametrize("text", EVERY_TREE.values(), ids=EVERY_TREE.keys())
def test_the_drawing_position_is_the_reference_pose(text, tmp_path):
    """In the drawing position coordinates and poses are those of qpos0."""
    m, model = both(text, tmp_path)
    placed = drawing(m)
    for name, q in by_joint(m, model, model.qpos0).items():
        assert_allclose(placed.q[name], q, rtol=0, atol=1e-15)
    assert_same_poses(placed.X_WB, model, model.qpos0)


@pytest.mark.parametrize("text", EVERY_TREE.values(), ids=EVERY_TREE.keys())
def test_masses_are_those_mujoco_infers(text, tmp_path):
    """Total mass, centre of mass and the tensor about it agree in the reference pose."""
    m, model = both(text, tmp_path)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    X_WB = drawing(m).X_WB
    mass = sum(body.mass for body in m.bodies)
    moment = sum(body.mass * X_WB[body.name].point(body.com) for body in m.bodies)
    assert_allclose(mass, model.body_subtreemass[0], rtol=1e-14)
    assert_allclose(moment / mass, data.subtree_com[0], rtol=0, atol=1e-14)
    for b in range(1, model.nbody):
        body, R = m.body(body_name(model, b)), data.ximat[b].reshape(3, 3)
        R_WB = X_WB[body.name].R
        expected = R @ np.diag(model.body_inertia[b]) @ R.T
        assert_allclose(R_WB @ body.inertia @ R_WB.T, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_kinetic_energy_is_mujocos_with_armature(seed, tmp_path):
    """The energy of all bodies, discs of the armature included, is v' M v / 2 of MuJoCo."""
    as_read, model = both(MANY_JOINTS, tmp_path)
    assert len(as_read.bodies) == 5
    assert [joint.armature for joint in as_read.joints] == [0.02] * 5
    m = kb.expanded(as_read)
    data = mujoco.MjData(model)
    data.qpos = random_qpos(model, seed)
    data.qvel = np.random.default_rng(seed).normal(size=model.nv)
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    step, energy = 1e-5, 0.0
    X, before, after = (poses_with_discs(m, model, data, h) for h in (0.0, -step, step))
    for body in m.bodies:
        R = X[body.name].R
        w_B = vee(R.T @ (after[body.name].R - before[body.name].R)) / (2 * step)
        v_cm = (after[body.name].point(body.com) - before[body.name].point(body.com)) / (2 * step)
        energy += (body.mass * v_cm @ v_cm + w_B @ np.array(body.inertia) @ w_B) / 2
    assert len(m.bodies) == 5 + 5
    assert_allclose(energy, data.energy[1], rtol=1e-7)


def test_keyframes_become_poses(tmp_path):
    """A keyframe is a pose by its name, or a new one, whose q is MuJoCo's qpos."""
    text = """<mujoco><worldbody><body name="trunk"><freejoint name="base"/><geom size=".1"/>
      <body name="arm"><joint name="ball" type="ball"/><geom size=".1"/>
      <body name="hand"><joint name="elbow"/><geom size=".1"/></body></body></body></worldbody>
      <keyframe><key name="home" qpos="1 2 3 0 1 0 0 1 0 0 0 .5"/><key/></keyframe></mujoco>"""
    m, model = both(text, tmp_path)
    assert [pose.name for pose in m.poses] == ["home", "key1"]
    for k, pose in enumerate(m.poses):
        assert_allclose(kb.poses(m, pose.name)["hand"], kb.poses(m, model.key_qpos[k])["hand"])
    assert kb.loads(kb.dumps(m)) == m


def poses_with_discs(m, model, data, h):
    """Poses after the time h at constant joint velocities; couplings turn the discs."""
    q = by_joint(m, model, data.qpos + h * data.qvel)
    values = {name: float(value[0]) for name, value in q.items()}
    for coupling in m.couplings:
        q[coupling.coordinate] = evaluate([coupling.law], values)
    return tree_poses(m, q)


def test_a_pendulum_keeps_limits_friction_spring_shape_and_site(tmp_path):
    """What MuJoCo says about one hinge, in degrees, arrives in radians."""
    m, _ = both(PENDULUM, tmp_path)
    hinge, rod, (spring,) = m.joint("hinge"), m.body("rod"), m.forces
    assert (m.name, m.gravity, hinge.type) == ("pendulum", (0.0, 1.0, -9.0), "revolute")
    assert_allclose([*hinge.lower, *hinge.upper], np.radians([-90, 45]))
    assert (hinge.damping, hinge.friction.effort, hinge.max_effort) == (0.1, 0.2, 5.0)
    assert (spring.joint, spring.stiffness) == ("hinge", 3.0)
    assert_allclose([spring.rest, *hinge.drawn], np.radians([20, 10]))
    assert rod.point("tip") == (0.1, 0.0, -0.5)
    (bar,) = rod.shapes
    assert (bar.kind, bar.color) == ("capsule", (1.0, 0.0, 0.0, 1.0))
    assert_allclose(bar.size, [0.02, np.sqrt(0.26)])
    end = bar.frame.pose().point([0, 0, bar.size[1] / 2])
    assert_allclose(np.abs(end - [0.05, 0, -0.25]), [0.05, 0, 0.25], atol=1e-12)


def test_shapes_of_a_box_are_full_sides(tmp_path):
    """MuJoCo's half sizes become sides, radius and length; names of nameless bodies are made."""
    m, _ = both(FLYING_BOX, tmp_path)
    assert [body.name for body in m.bodies] == ["box", "body2"]
    assert [joint.name for joint in m.joints] == ["free0", "body2.fixed"]
    assert [s.size for s in m.body("box").shapes] == [(0.2, 0.4, 0.6), (0.1, 0.4)]


def test_bodies_between_several_joints_have_no_mass(tmp_path):
    """Three joints on one body make two massless bodies in between, with names of their own."""
    m, _ = both(MANY_JOINTS, tmp_path)
    chain = [(j.name, j.parent, j.child) for j in m.joints[:5]]
    assert chain == [
        ("x", "ground", "plate.1.2"),
        ("turn", "plate.1.2", "plate.2"),
        ("y", "plate.2", "plate"),
        ("hinge3", "plate", "plate.1.1"),
        ("hinge4", "plate.1.1", "plate.1"),
    ]
    assert [m.body(name).mass for name in ("plate.1.2", "plate.2", "plate.1.1")] == [0, 0, 0]
    assert m.coordinates == ("x", "turn", "y", "hinge3", "hinge4")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (FOUR_BAR, "spherical"),
        (WELDED.format('<weld body1="one" body2="three" anchor=".1 .2 .3"/>'), "fixed"),
        (WELDED.format('<weld body1="three"/>'), "fixed"),
        (
            WELDED.format('<weld body1="one" body2="three" relpose=".4 0 0 1 0 0 .1763269807"/>'),
            "fixed",
        ),
        (WELDED.format('<weld site1="s" site2="r"/>'), "fixed"),
        (WELDED.format('<connect site1="o" site2="w"/>'), "spherical"),
        (WELDED.format('<connect body1="three" body2="one" anchor=".1 .2 .3"/>'), "spherical"),
    ],
)
def test_loops_open_as_much_as_in_mujoco(text, kind, seed, tmp_path):
    """Away from closure the two frames of a closing joint are as far apart as MuJoCo's residual."""
    m, model = both(text, tmp_path)
    closing = m.joints[-1]
    assert closing.type == kind
    data = mujoco.MjData(model)
    data.qpos = random_qpos(model, seed)
    mujoco.mj_forward(model, data)
    X_WB = tree_poses(m, by_joint(m, model, data.qpos))
    X_PF, X_BM = joint_frames(closing)
    X_FM = (X_WB[closing.parent] @ X_PF).inverse() @ X_WB[closing.child] @ X_BM
    gap = np.linalg.norm(data.efc_pos[:3])
    assert_allclose(np.linalg.norm(X_FM.p), gap, rtol=0, atol=1e-12)
    if kind == "fixed":
        half_turn = np.sqrt(max(0.0, (3 - np.trace(X_FM.R)) / 4))
        assert_allclose(half_turn, np.linalg.norm(data.efc_pos[3:6]), rtol=0, atol=1e-7)
