"""MJCF files that Korba writes, as MuJoCo reads them: the same dynamics, loops as constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.errors import FileError
from korba.files.mjcf_open import opened
from korba.model.drawing import drawing
from korba.spatial.rotation import quaternion_of, rotation_of_quaternion
from korba.system.system import any_system

mujoco = pytest.importorskip("mujoco")

TYPES = [
    kb.Revolute,
    kb.Prismatic,
    kb.Cylindrical,
    kb.Universal,
    kb.Planar,
    kb.Spherical,
]


def turned(rng):
    """A random rotation."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return R * np.sign(np.linalg.det(R))


def random_frame(rng):
    """A frame anywhere."""
    return kb.Frame(tuple(rng.normal(size=3)), turned(rng).tolist())


def random_robot(seed):
    """A tree of joints of all types, some with their child towards the base, drawn anywhere."""
    rng = np.random.default_rng(seed)
    bodies, joints, names = [], [], ["ground"]
    for k in range(6):
        R, moments = turned(rng), rng.uniform(0.5, 1.0, 3)
        name, inner = f"b{k}", names[rng.integers(len(names))]
        com = tuple(rng.normal(size=3))
        bodies.append(kb.Body(name, rng.uniform(1, 3), com, (R * moments @ R.T).tolist()))
        cls = TYPES[(k + seed) % len(TYPES)]
        ends = (inner, name) if rng.random() < 0.7 else (name, inner)
        frames = {"on_parent": random_frame(rng), "on_child": random_frame(rng)}
        more = {"damping": rng.uniform(0.1, 1)}
        if cls in (kb.Revolute, kb.Prismatic):
            more["armature"] = rng.uniform(0.1, 0.5)
        made = cls(f"j{k}", *ends, **frames, **more)
        if cls is not kb.Spherical:
            made = replace(made, drawn=tuple(rng.uniform(-1, 1, made.nq)))
        joints.append(made)
        names.append(name)
    springs = [
        kb.JointForce(f"s{j.name}", j.name, stiffness=rng.uniform(1, 5), rest=0.3)
        for j in joints
        if j.nq == 1
    ]
    springs.append(kb.Spring("rope", "ground", (1, 2, 0), "b2", (0, 1, 1), 30.0, 0.4, damping=2.0))
    return kb.Mechanism("robot", bodies, joints, forces=springs)


def written(m, folder):
    """MuJoCo's model and data of a mechanism."""
    kb.write_mjcf(m, folder / "model.xml")
    model = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
    return model, mujoco.MjData(model)


def state(m, model, q, v):
    """MuJoCo's coordinates and velocities, and G with v_mujoco = G v."""
    qpos, G = np.array(model.qpos0), np.zeros((model.nv, m.nv))
    placed = drawing(m)
    values, speeds, tree = list(m.coordinates), list(m.velocities), any_system(m).tree
    rate = {name: tree.velocities[i] for name, i in tree.rates.items()}
    for k in range(model.njnt):
        name, a, dof = model.joint(k).name, model.jnt_qposadr[k], model.jnt_dofadr[k]
        if name in values:
            qpos[a] = q[values.index(name)]
            G[dof, speeds.index(rate[name])] = 1.0
            continue
        joint = m.joint(name)
        forward = model.body(model.jnt_bodyid[k]).name == joint.child
        X = placed.X_BM(joint) if forward else placed.X_PF(joint)
        own = q[[values.index(x) for x in joint.coordinates()]]
        R = rotation_of_quaternion(own)
        turn = X.R @ (R if forward else R.T) @ X.R.T
        qpos[a : a + 4] = quaternion_of(turn)
        columns = [speeds.index(x) for x in joint.velocities()]
        G[dof : dof + 3, columns] = X.R if forward else -X.R @ R
    return qpos, G @ v, G


@pytest.mark.parametrize("seed", range(4))
def test_open_robots_are_those_of_mujoco(seed, tmp_path):
    """Mass matrix, bias and passive forces, and accelerations agree to 1e-10."""
    m = random_robot(seed)
    model, data = written(m, tmp_path)
    rng = np.random.default_rng(seed + 50)
    q = np.array([x for j in m.joints for x in j.drawn_coordinates]) + 0.3 * rng.normal(size=m.nq)
    for joint in (j for j in m.joints if j.type == "spherical"):
        places = [m.coordinates.index(x) for x in joint.coordinates()]
        q[places] /= np.linalg.norm(q[places])
    hung = opened(m).joints
    turning = [j for j in m.joints if j.type == "spherical" and hung.get(j.child, [0])[0] is not j]
    v = rng.normal(size=m.nv) * (not turning)  # else G depends on q
    data.qpos, data.qvel, G = state(m, model, q, v)
    tau = rng.normal(size=m.nv)
    data.qfrc_applied = np.linalg.solve(G.T, tau)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    near, old = 1e-10, hasattr(data, "qM")  # before 3.12
    mujoco.mj_fullM(model, M, data.qM) if old else mujoco.mj_fullM(model, data, M)
    size = np.abs(M).max()
    assert_allclose(G.T @ M @ G, kb.mass_matrix(m, q), rtol=0, atol=near * size)
    h = G.T @ (data.qfrc_bias - data.qfrc_passive)
    assert_allclose(h, kb.bias_forces(m, q, v), rtol=0, atol=near * np.abs(h).max())
    a = kb.forward_dynamics(m, q, v, tau)
    assert_allclose(data.qacc, G @ a, rtol=0, atol=10 * near * np.abs(a).max())


def tensors():
    """Tensors in all positions: of plates, of rods, with axes nearly along those of the body."""
    rng = np.random.default_rng(5)
    for k in range(60):
        R, scale = turned(rng), 10 ** rng.uniform(-5, 1)
        if k % 2:
            R = np.linalg.qr(np.eye(3) + 1e-6 * (R - R.T))[0]
        a, b = scale * rng.uniform(0.1, 1, 2)
        moments = [(a, b, a + b), (a, b, max(a, b)), (a, a * (1 + 1e-9), a / 2), (0, a, a)][k % 4]
        tensor = R * moments @ R.T
        yield (tensor + tensor.T) / 2
    yield np.diag([2.0, 2.0 + 1.0 + 1e-7, 1.0])  # of a file with seven digits
    yield np.diag([0.1, 0.2, 0.1 + 0.2])


def test_an_inertia_stands_in_the_file_to_its_last_digit(tmp_path):
    """MuJoCo takes every tensor that a body can have, of flat bodies too, and reads what it is."""
    for given in tensors():
        body = kb.Body("a", 1.0, (0, 0, 0), given.tolist())
        joint = kb.Spherical("A", "ground", "a", at=(0, 0, 0))
        kb.write_mjcf(kb.Mechanism("one", [body], [joint]), tmp_path / "one.xml")
        read = np.array(kb.read_mjcf(tmp_path / "one.xml").body("a").inertia)
        moments = np.linalg.eigvalsh(given)
        beyond = max(moments[2] - moments[:2].sum(), 1e-12 - moments[0], 0.0)
        near = 50 * np.finfo(float).eps * moments[2] + 1.001 * beyond
        assert_allclose(read, given, rtol=0, atol=near)


def four_bar(plane="xy"):
    """A four-bar with uneven masses, a spring and some damping."""
    at = {"A": (0, 0, 0), "B": (0.1, 0.3, 0), "C": (0.6, 0.5, 0), "D": (0.7, 0, 0)}
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "rocker"), ("ground", "rocker")]
    axis = {} if plane else {"axis": (0, 0, 1)}
    joints = [
        kb.Revolute(name, *pair, at=p, **axis)
        for (name, p), pair in zip(at.items(), ends, strict=True)
    ]
    joints[0] = replace(joints[0], damping=0.02)
    bodies = [
        kb.Body(name, mass, com, (0.01, 0.012, 0.015) if plane is None else 0.015)
        for name, mass, com in (
            ("crank", 1.0, (0.05, 0.2, 0)),
            ("rod", 2.0, (0.3, 0.4, 0)),
            ("rocker", 1.5, (0.7, 0.2, 0)),
        )
    ]
    return kb.Mechanism("four-bar", bodies, joints, plane=plane, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("plane", ["xy", None])
def test_loops_are_constraints(plane, tmp_path):
    """Velocities that the loops allow, and no others, are those of MuJoCo's constraint rows."""
    m = four_bar(plane)
    model, data = written(m, tmp_path)
    q = kb.assemble(m, {"A": 0.4}).q
    small = kb.linearise(m, q)
    names = [model.joint(k).name for k in range(model.njnt)]
    places = [m.velocities.index(name) for name in names]
    v = 3.0 * small.ways[:, 0]
    data.qpos, data.qvel = q[places], v[places]
    mujoco.mj_forward(model, data)
    J = np.zeros((data.nefc, model.nv))
    J[:] = data.efc_J.reshape(data.nefc, model.nv)
    assert_allclose(data.efc_pos, 0.0, atol=1e-12)
    assert_allclose(J @ small.ways[places], 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(J, tol=1e-9) == model.nv - 1
    a = kb.linearise(m, q, v).a
    assert_allclose(data.qacc, a[places], rtol=0, atol=1e-3 * np.abs(a).max())


def test_a_robot_comes_back_as_it_was(tmp_path):
    """Written and read again, a four-bar in space moves as before."""
    m = four_bar(None)
    kb.save(m, tmp_path / "again.xml")
    again = kb.load(tmp_path / "again.xml")
    one, other = (
        kb.linearise(each, {"A": 0.3}, {"A": 4.0}, coordinates="A") for each in (m, again)
    )
    assert_allclose(other.A, one.A, rtol=1e-9)
    places = [[each.velocities.index(name) for name in "ABC"] for each in (m, again)]
    assert_allclose(other.a[places[1]], one.a[places[0]], rtol=1e-9)
    robot = random_robot(0)
    kb.write_mjcf(robot, tmp_path / "robot.xml")
    read = kb.read_mjcf(tmp_path / "robot.xml")
    assert [body.name for body in read.bodies if body.mass > 1e-6] == sorted(
        (body.name for body in robot.bodies), key=[b.name for b in read.bodies].index
    )
    assert {x for x in robot.coordinates if "q" not in x} <= {*read.coordinates}


def test_couplings_screws_limits_and_points(tmp_path):
    """Gears are equalities of joints, a screw is two joints and one, ranges and sites stay."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1), lower=-1, upper=2, drawn=0.2),
        kb.Revolute(
            "B", "ground", "b", at=(1, 0, 0), axis=(0, 0, 1), friction=kb.Friction(effort=3)
        ),
        kb.Screw("S", "ground", "c", at=(2, 0, 0), axis=(0, 0, 1), lead=0.02, drawn=0.5),
        kb.Free("F", "ground", "d", at=(0, 0, 3)),
    ]
    bodies = [kb.Body(x, 1.0, (0.1, 0, 0), (1, 1, 1), points={"P": (0.5, 0, 0)}) for x in "abcd"]
    law = kb.Coupling("gear", "B", "0.3 - 2*A + A^2")
    m = kb.Mechanism("parts", bodies, joints, [law])
    model, data = written(m, tmp_path)
    for A, S in ((0.2, 0.5), (0.9, -0.4)):
        B = 0.3 - 2 * A + A * A
        data.qpos[model.jnt("A").qposadr[0]] = A
        data.qpos[model.jnt("B").qposadr[0]] = B
        data.qpos[model.jnt("S").qposadr[0]] = S
        data.qpos[model.jnt("S.advance").qposadr[0]] = 0.02 / (2 * np.pi) * S
        mujoco.mj_forward(model, data)
        assert_allclose(data.efc_pos[: model.neq], 0.0, atol=1e-12)
        for name in "abc":
            X = kb.pose(m, {"A": A, "S": S}, name)
            assert_allclose(data.body(name).xpos, X[:3, 3], atol=1e-12)
            assert_allclose(data.body(name).xmat.reshape(3, 3), X[:3, :3], atol=1e-12)
    assert_allclose(model.jnt_range[model.jnt("A").id], [-1, 2])
    assert model.dof_frictionloss[model.jnt("B").dofadr[0]] == 3
    assert model.site("b.P").pos[0] == 0.5
    assert model.jnt_type[model.jnt("F").id] == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"couplings": [kb.Coupling("k", "D", "sin(A)")]}, "polynomial of degree 4"),
        ({"couplings": [kb.Coupling("k", "D", "A + B")]}, "couples one joint to one other"),
    ],
)
def test_what_mjcf_cannot_say_is_told(change, words, tmp_path):
    """One error lists all of it."""
    m = four_bar()
    joints = [j for j in m.joints if j.name != "C"]
    m = kb.Mechanism("open", m.bodies, joints, plane="xy", **change)
    with pytest.raises(FileError, match=words):
        kb.write_mjcf(m, tmp_path / "x.xml")


def test_loops_of_slides_only_are_refused(tmp_path):
    """Three slides in a triangle cannot be cut where MuJoCo could close them."""
    joints = [
        kb.Prismatic(name, *ends, at=(0, 0), axis=way)
        for name, ends, way in (
            ("x", ("ground", "a"), (1, 0)),
            ("y", ("ground", "b"), (0, 1)),
            ("z", ("a", "b"), (1, 1)),
        )
    ]
    m = kb.Mechanism("wedges", [kb.Body("a", 1), kb.Body("b", 1)], joints, plane="xy")
    with pytest.raises(FileError, match="closes a loop of joints that MJCF cannot close"):
        kb.write_mjcf(m, tmp_path / "x.xml")
