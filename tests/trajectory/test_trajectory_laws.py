"""Whatever moves is the same Trajectory: columns, units, points, notes, exports and files."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb

LINKAGE = """
name = "linkage, of four"
plane = "xy"
body = [
  {name = "crank"},
  {name = "coupler", points = {tip = [0.3, 0.5]}},
  {name = "rocker"},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2], upper = 0.5},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
drive = [{name = "motor", type = "joint", joint = "A", position = "-10*t"}]
"""
ARM = """
name = "arm"
plane = "xy"
body = [
  {name = "upper", mass = 1, com = [0.5, 0], inertia = 0.1},
  {name = "lower", mass = 1, com = [1.5, 0], inertia = 0.1, points = {tip = [2, 0]}},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0]},
  {name = "B", type = "prismatic", parent = "upper", child = "lower", at = [1, 0], axis = [1, 0]},
]
force = [
  {name = "push", type = "joint", joint = "A", law = "sin(t)"},
  {name = "spring", type = "joint", joint = "B", stiffness = 50, damping = 1},
]
"""


def driven():
    return kb.motion(kb.loads(LINKAGE), np.linspace(0, 0.6, 61))


def simulated():
    return kb.simulate(kb.loads(ARM), 1.0, q={"A": 0.3}, times=41)


def batch():
    return kb.simulate(kb.loads(ARM), 1.0, q={"A": np.linspace(0, 1, 6).reshape(2, 3)}, times=5)


def programmed():
    t = np.linspace(0, 0.1, 5)
    return kb.programmed_motion(
        kb.loads(ARM), t, body="lower", point=(2, 0), direction=(-1, 1), speed="t", q=[0.3, 0.1]
    )


def semi_canonical():
    return kb.papers.semi_canonical(kb.loads(ARM), 0.1, step=0.01, q=[0.3, 0], v=[0, 1])


def absolute():
    return kb.course.absolute_motion(kb.loads(LINKAGE), np.linspace(0, 0.6, 7))


ALL = [driven, simulated, batch, programmed, semi_canonical, absolute]


@pytest.mark.parametrize("make", ALL)
def test_columns_are_the_arrays_and_have_units(make):
    """Columns by name are those of q, v and a; every one has a unit."""
    moved = make()
    m = moved.mechanism
    assert isinstance(moved, kb.Trajectory)
    assert moved.names[0] == "t"
    assert moved.columns.shape == (*moved.q.shape[:-1], len(moved.names))
    for prefix, values, names in (
        ("", moved.q, m.coordinates),
        ("v_", moved.v, m.velocities),
        ("a_", moved.a, m.velocities),
    ):
        for k, name in enumerate(names):
            assert_array_equal(moved[prefix + name], values[..., k])
    assert set(moved.units) == set(moved.names)
    assert len(moved) == len(moved.t) == moved.q.shape[-2]


@pytest.mark.parametrize("make", ALL)
def test_points_are_where_the_rates_say(make):
    """The velocity of a point is the rate of its position: by differences over the rows."""
    moved = make()
    body = moved.mechanism.bodies[1].name
    path = moved.point(body, "tip")
    assert_allclose(
        path.position, moved.point(body, (dict(moved.mechanism.body(body).points))["tip"]).position
    )
    assert path.position.shape == (*moved.q.shape[:-1], 3)
    fine = np.diff(path.position, axis=-2) / np.diff(moved.t)[:, None]
    mean = 0.5 * (path.velocity[..., 1:, :] + path.velocity[..., :-1, :])
    bend = np.abs(path.acceleration).max() * np.diff(moved.t).max()
    assert np.abs(fine - mean).max() < 0.5 * bend + 1e-9
    turned = moved.body(body)
    assert turned.rotation.shape == (*moved.q.shape[:-1], 3, 3)


@pytest.mark.parametrize("make", ALL)
def test_a_file_holds_everything_exactly(make, tmp_path):
    """Saved and loaded: the same bits, mechanism, notes, audit and effort."""
    moved = make()
    moved.save(tmp_path / "moved.npz")
    again = kb.Trajectory.load(tmp_path / "moved.npz")
    assert again.mechanism == moved.mechanism
    assert again.names == moved.names
    assert again.units == moved.units
    assert_array_equal(again.columns, moved.columns)
    assert_array_equal(again.status, moved.status)
    assert (again.message, again.method, again.notes) == (moved.message, moved.method, moved.notes)
    assert str(again) == str(moved)
    for name, value in moved.audit.measures.items():
        assert_array_equal(again.audit[name], value)
    assert dict(again.endings) == dict(moved.endings)
    assert_allclose(
        again.point(moved.mechanism.bodies[1].name).position,
        moved.point(moved.mechanism.bodies[1].name).position,
        rtol=0,
    )


def test_units_follow_the_kinds_of_joints():
    """Angles are in rad, lengths in m, and what belongs to them in their units."""
    units = simulated().units
    assert [units[name] for name in ("t", "A", "B", "v_A", "a_B")] == [
        "s",
        "rad",
        "m",
        "rad/s",
        "m/s^2",
    ]
    assert (units["kinetic"], driven().units["singularity"]) == ("J", "1")
    assert (programmed().units["tau_A"], programmed().units["tau_B"]) == ("N m", "N")
    assert semi_canonical().units["p_B"] == "kg m/s"


def test_degrees_are_for_angles_only(tmp_path):
    """In degrees on request: angles and their rates, no lengths; numbers keep 17 digits."""
    moved = simulated()
    names = ["t", "A", "B", "v_A"]
    moved.save(tmp_path / "deg.csv", names, degrees=True)
    moved.save(tmp_path / "rad.csv", names)
    deg, rad = (
        np.loadtxt(tmp_path / f"{x}.csv", delimiter=",", skiprows=1) for x in ("deg", "rad")
    )
    assert_array_equal(rad, np.column_stack([moved[name] for name in names]))
    assert_allclose(deg[:, 1], np.degrees(moved["A"]), rtol=1e-15)
    assert_array_equal(deg[:, 2], moved["B"])


def test_a_batch_is_written_run_by_run(tmp_path):
    """The CSV file of a batch has the number of the run first."""
    moved = batch()
    moved.save(tmp_path / "runs.csv", ["t", "A"])
    table = np.genfromtxt(tmp_path / "runs.csv", delimiter=",", names=True)
    assert table.dtype.names == ("run", "t", "A")
    assert_array_equal(table["run"], np.repeat(np.arange(6), 5))
    assert_array_equal(table["A"], moved["A"].ravel())


def test_runs_and_rows_are_parts_of_the_whole():
    """`[1, 2]` is a run, `[2:4]` some times; energies and accelerations go along."""
    whole = batch()
    one = whole[1, 2]
    assert_array_equal(one["balance"], whole["balance"][1, 2])
    assert_array_equal(one.a, whole.a[1, 2])
    assert one.status == "finished"
    assert one.effort.steps == whole.effort.steps[1, 2]
    some = one[2:4]
    assert_array_equal(some["kinetic"], one["kinetic"][2:4])
    assert_array_equal(some.t, one.t[2:4])
    with pytest.raises(kb.KorbaError, match="single run"):
        one.run(0)


def test_more_columns_may_be_added():
    """`with_columns` gives a new trajectory; the old one stays."""
    moved = driven()
    more = moved.with_columns({"height": moved.point("coupler", "tip").position[:, 1]}, "m")
    assert more.units["height"] == "m"
    assert "height" not in moved.names


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "missing", "foreign", "pickle"])
def test_damaged_files_are_refused(damage, tmp_path):
    """A file that is cut, changed or something else is a FileError, never anything else."""
    path = tmp_path / "moved.npz"
    driven().save(path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        data[len(data) // 3] ^= 0xFF
        path.write_bytes(data)
    elif damage == "text":
        path.write_text("t,A\n0,1\n")
    elif damage == "missing":
        path.unlink()
    elif damage == "foreign":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("q.npy", b"nothing")
    else:
        np.savez(path, about=np.array([{}], dtype=object))
    with pytest.raises(kb.FileError, match=r"moved\.npz"):
        kb.Trajectory.load(path)


def test_archives_that_unpack_to_far_more_are_refused(tmp_path):
    """Before anything is unpacked, with the sizes; small ones that were packed again are read."""
    path, moved = tmp_path / "moved.npz", kb.motion(kb.loads(LINKAGE), [0.0, 0.1])
    moved.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert_array_equal(kb.Trajectory.load(path).columns, moved.columns)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("column x.npy", bytes(2**25))
    with pytest.raises(kb.FileError, match=rf"would unpack to \d{{8}}, the most is {2**24}"):
        kb.Trajectory.load(path)


@pytest.mark.parametrize("key", ["message", "method", "remarks", "units", "events", "endings"])
def test_archives_with_other_than_texts_are_refused(key, tmp_path):
    """What is told of a run is text; anything else is damage, and no error later on."""
    path = tmp_path / "moved.npz"
    driven().save(path)
    arrays = dict(np.load(path))
    wrong = [{}] if key in ("remarks", "events") else {"1": [1]}
    told = json.loads(arrays["about"].tobytes()) | {key: wrong}
    np.savez(path, **arrays | {"about": np.frombuffer(json.dumps(told).encode(), np.uint8)})
    with pytest.raises(kb.FileError, match="expected a text"):
        kb.Trajectory.load(path)


def test_any_flipped_byte_is_refused_or_harmless(tmp_path):
    """Bytes flipped one at a time give a KorbaError or the same trajectory."""
    path, moved = tmp_path / "moved.npz", kb.motion(kb.loads(LINKAGE), [0.0, 0.1])
    moved.save(path)
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, len(whole), 200):
        data = bytearray(whole)
        data[place] ^= 0x10
        path.write_bytes(data)
        try:
            again = kb.Trajectory.load(path)
        except kb.KorbaError:
            continue
        assert_array_equal(again.columns, moved.columns)


def test_limits_and_idle_bodies_are_noted():
    """A driven motion says which limit was passed, when and by how much; in text and HTML too."""
    moved = driven()
    beyond = moved["B"] - 0.5
    (note,) = moved.notes
    first = moved.t[np.argmax(beyond > 0)]
    assert f"B passed its limits -inf to 0.5 rad, seen first at t = {first:.6g} s" in note
    assert f"by up to {beyond.max():.6g} rad" in note
    assert note in str(moved)
    assert note in moved.to_dict()["notes"]
    idle = kb.Mechanism(
        "spin",
        [kb.Body("a"), kb.Body("rod"), kb.Body("b")],
        [
            kb.Prismatic("A", "ground", "a", at=(0, 0, 0), axis=(1, 0, 0)),
            kb.Spherical("B", "a", "rod", at=(0, 0, 0)),
            kb.Spherical("C", "rod", "b", at=(1, 1, 0)),
            kb.Prismatic("D", "ground", "b", at=(1, 1, 0), axis=(0, 1, 0)),
        ],
        drives=[kb.JointDrive("push", "A", "0.2*t")],
    )
    assert "body rod moves idly" in kb.motion(idle, [0, 0.1]).notes[0]


def test_wheels_that_part_are_noted():
    """A mesh leaves the centre distance free: driven apart, a note says by how much."""
    wheels = [kb.Body("one"), kb.Body("slide"), kb.Body("two")]
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Prismatic("P", "ground", "slide", at=(0.3, 0), axis=(1, 0)),
        kb.Revolute("B", "slide", "two", at=(0.3, 0)),
        kb.GearMesh(
            "Z", "one", "two", at=(0.1, 0), x_axis=(1, 0), parent_radius=0.1, child_radius=0.2
        ),
    ]
    drives = [kb.JointDrive("turn", "A", "t"), kb.JointDrive("pull", "P", "0.01*t")]
    m = kb.Mechanism("gears", wheels, joints, plane="xy", drives=drives)
    (note,) = kb.motion(m, [0.0, 1.0]).notes
    assert "wheels of Z part: their centre distance is off by up to 0.01 m" in note
    together = kb.Mechanism(
        "gears", wheels, joints, plane="xy", drives=[drives[0], kb.JointDrive("hold", "P", "0*t")]
    )
    assert kb.motion(together, [0.0, 1.0]).notes == ()


def test_friction_that_is_not_used_is_noted():
    """Simulations and programmed motions say that dry friction does not act."""
    m = kb.loads(
        ARM.replace("at = [0, 0]}", 'at = [0, 0], friction = {coefficient = 0.1, radius = "1 cm"}}')
    )
    assert "friction" in kb.simulate(m, 0.1).notes[0]


def test_configurations_have_points_and_poses():
    """A point of a configuration is where its pose takes it; the same for many at once."""
    m = kb.loads(LINKAGE)
    one, many = kb.assemble(m, {"A": 0.3}), kb.assemble(m, {"A": [0.3, 0.4]})
    X = one.pose("coupler")
    assert_allclose(one.point("coupler", "tip"), X[:3, :3] @ (0.3, 0.5, 0) + X[:3, 3], atol=1e-15)
    assert_allclose(many.point("coupler", "tip")[0], one.point("coupler", "tip"), atol=1e-12)
    assert_allclose(many.pose("coupler")[0], X, atol=1e-12)
    assert kb.configurations(m, {"A": 0.3})[0].point("coupler").shape == (3,)


def test_other_libraries_get_names_and_units(tmp_path):
    """pandas, xarray and Parquet, where they are installed, hold the columns with their units."""
    pandas, moved = pytest.importorskip("pandas"), simulated()
    pytest.importorskip("xarray")
    pytest.importorskip("pyarrow")
    frame = moved.to_dataframe(degrees=True)
    assert list(frame.columns) == list(moved.names)
    assert frame.attrs["units"]["A"] == "deg"
    data = batch().to_xarray()
    assert data["A"].dims == ("run", "run_1", "t")
    assert data["v_A"].attrs["units"] == "rad/s"
    moved.save(tmp_path / "moved.parquet")
    assert_array_equal(pandas.read_parquet(tmp_path / "moved.parquet")["A"], moved["A"])


def test_a_run_whose_energy_does_not_add_up_says_so():
    """Steps of five seconds give no motion of a pendulum, and the notes say it; short ones do."""
    body = kb.Body("a", mass=1.0, com=(0.5, 0), inertia=0.1)
    m = kb.Mechanism("t", [body], [kb.Revolute("A", "ground", "a", at=(0, 0))], plane="xy")
    wild = kb.simulate(m, until=100.0, method=kb.Method("rk4", step=5.0), q=[0.1])
    assert wild.audit.energy > 0.1
    assert any("not to be trusted" in note for note in wild.notes)
    assert not kb.simulate(m, until=5.0, method=kb.Method("rk4", step=1e-3), q=[0.1]).notes


def test_a_body_has_its_pose_in_every_row():
    """`.body(name).pose` is kb.pose of the row, for motions and batches."""
    motion = kb.motion(kb.loads(LINKAGE), [0.0, 0.01, 0.02])
    pose = motion.body("coupler").pose
    assert_allclose(pose, kb.pose(motion.mechanism, motion.q, "coupler"), atol=1e-14)
    assert pose.shape == (3, 4, 4)
