"""Units of FMI 3.0 and 2.0: FMPy reads them, and runs them as `kb.simulate` does."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_mechanisms import free_four_bar
from typer.testing import CliRunner

import korba as kb
from korba.cli import export_fmu_command  # noqa: F401  (adds its command)
from korba.cli.commands import app
from korba.export.fmu import build

ARM = """
name = "2-arm"
plane = "xy"
parameters = {l = "400 mm", heavy = "1.5 kg", light = "heavy/2"}
body = [
  {name = "upper", mass = "heavy", com = ["l/2", 0], inertia = 0.05},
  {name = "fore", mass = "light", com = ["l + 1", 0], inertia = 0.03, points = {tip = ["l", 1]}},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0], damping = 0.2},
  {name = "B", type = "revolute", parent = "upper", child = "fore", at = ["l", 0]},
]
"""
EXACT = {"CoSimulation": 1e-8, "ModelExchange": 2e-6}
"""What motions may differ by: in model exchange the steps are CVODE's, whose errors add up."""
each_mode = pytest.mark.parametrize("mode", EXACT)
each_version = pytest.mark.parametrize("version", ["", " 2.0"], ids=["3.0", "2.0"])


@cache
def four_bar():
    """A loop that moves freely under its weight."""
    return free_four_bar()


def driven_arm(law):
    """The arm with its first joint moved by a law in time."""
    return replace(kb.loads(ARM), drives=[kb.JointDrive("motor", "A", law)])


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    """Files of arms and of a four-bar, compiled in a hurry, without a warning."""
    strict = ("-Wall", "-Wextra", "-pedantic", "-Werror")
    flags, build.FLAGS = build.FLAGS, tuple(x for x in build.FLAGS if x != "-O2") + strict
    folder = tmp_path_factory.mktemp("units")
    if build.compiler() is None:
        pytest.fail("no C compiler (cc, gcc, clang or ziglang) was found: install one")
    here = {"platforms": [build.this_platform()]}
    arm = kb.export_fmu(kb.loads(ARM), folder / "arm.fmu", q={"A": "20 deg"}, **here)
    loop = kb.export_fmu(four_bar(), folder / "loop.fmu", parameters=("b",), **here)
    old = {"fmi": "2.0", **here}
    arm2 = kb.export_fmu(kb.loads(ARM), folder / "arm2.fmu", q={"A": "20 deg"}, **old)
    loop2 = kb.export_fmu(four_bar(), folder / "loop2.fmu", parameters=("b",), **old)
    limit, build.LONG = build.LONG, 0
    driven = kb.export_fmu(
        driven_arm("0 rad"), folder / "driven.fmu", drives=["motor"], parameters=(), **here
    )
    build.FLAGS, build.LONG = flags, limit
    return {"arm": arm, "loop": loop, "driven": driven, "arm 2.0": arm2, "loop 2.0": loop2}


def run(unit, mode, until=1.0, **more):
    """A run by FMPy to the time `until`, in ten parts."""
    fmpy = pytest.importorskip("fmpy")
    options = {"stop_time": until, "output_interval": until / 10, "record_events": False}
    return fmpy.simulate_fmu(str(unit.path), fmi_type=mode, **options, **more)


def test_descriptions_are_valid_and_name_everything(units):
    """FMPy finds no fault; variables have the names of a trajectory's columns."""
    validation = pytest.importorskip("fmpy.validation")
    assert all(not validation.validate_fmu(str(unit.path)) for unit in units.values())
    arm = units["arm"]
    assert arm.name == "f_2_arm"
    assert "names of units are small letters" in arm.notes[0]
    assert arm.inputs == ("tau_A", "tau_B")
    assert arm.outputs == ("A", "B", "v_A", "v_B", "a_A", "a_B", "fore.tip.x", "fore.tip.y")
    assert arm.parameters == ("l", "heavy")


@each_version
@each_mode
def test_a_tree_moves_as_it_does_here(units, mode, version):
    """Forces, sizes and starts that are set give the motion of `kb.simulate`, points too."""
    start = {"A": 0.4, "v_B": 0.5, "tau_A": 1.5, "l": 0.5}
    found = run(units["arm" + version], mode, start_values=start, relative_tolerance=1e-10)
    m = kb.loads(ARM)
    times = np.linspace(0, 1, 11)
    state = {"q": {"A": 0.4}, "v": {"B": 0.5}, "tau": [1.5, 0.0], "parameters": {"l": 0.5}}
    moved = kb.simulate(m, 1, times=times, method=kb.Method(rtol=1e-10), **state)
    exact = EXACT[mode]
    for name in ("A", "B", "v_A", "v_B"):
        assert_allclose(found[name], moved[name], rtol=0, atol=exact)
    assert_allclose(found["a_B"], moved["a_B"], rtol=0, atol=100 * exact)
    tip = kb.redimension(m, l=0.5)
    place = kb.compile(kb.pose, tip, body="fore")(moved.q) @ [0.5, 1, 0, 1]
    assert_allclose(found["fore.tip.y"], place[:, 1], rtol=0, atol=exact)


@each_version
@each_mode
def test_loops_stay_closed_and_leading_joints_keep_their_start(units, mode, version):
    """The crank keeps its start, the others follow it and the rod of another length."""
    start = {"A": 0.9, "v_A": 1.0, "b": 3.1}
    found = run(units["loop" + version], mode, start_values=start, relative_tolerance=1e-10)
    own = {"q": {"A": 0.9}, "v": {"A": 1.0}, "tau": np.zeros(4), "parameters": {"b": 3.1}}
    moved = kb.simulate(
        four_bar(), 1, times=np.linspace(0, 1, 11), method=kb.Method(rtol=1e-10), **own
    )
    exact = EXACT[mode]
    for name in ("A", "B", "C", "D", "v_A", "v_D"):
        assert_allclose(found[name], moved[name], rtol=0, atol=exact)
    gap = np.hypot(
        found["coupler.C.x"] - found["rocker.C.x"], found["coupler.C.y"] - found["rocker.C.y"]
    )
    assert gap.max() < 1e-6


def test_a_drive_may_be_moved_from_outside(units):
    """Position, velocity and acceleration are inputs; both modes then give the same motion."""
    assert units["driven"].inputs[2:] == ("motor", "v_motor", "a_motor")
    t = np.linspace(0, 1, 101)
    columns = {"time": t, "motor": 0.5 * t**2, "v_motor": t, "a_motor": 1.0 + 0 * t}
    given = np.rec.fromarrays([*columns.values(), 0 * t, 0 * t], names=[*columns, "tau_A", "tau_B"])
    start = {"v_motor": 0.0, "a_motor": 1.0}
    options = {"input": given, "start_values": start, "relative_tolerance": 1e-10}
    runs = {mode: run(units["driven"], mode, **options) for mode in EXACT}
    for found in runs.values():
        assert_allclose(found["A"], 0.5 * found["time"] ** 2, rtol=0, atol=1e-9)
        assert_allclose(found["a_A"], 1.0, rtol=1e-12)
        assert_allclose(found["B"], runs["ModelExchange"]["B"], rtol=0, atol=2e-6)
    assert np.ptp(found["B"]) > 1


def test_long_functions_are_not_optimised_by_gcc(units):
    """gcc takes the square of a function's length: above a length its source asks for no more."""

    def plain(name):
        with zipfile.ZipFile(units[name].path) as file:
            return "optimize" in file.read("sources/slope.c").decode()

    assert plain("driven") and not plain("arm")


def test_the_older_standard_keeps_the_newer_one_inside(units, tmp_path):
    """A unit of FMI 2.0 takes back a step, differentiates, and shows no function of FMI 3.0."""
    fmpy = pytest.importorskip("fmpy")
    from fmpy.fmi2 import FMU2Slave

    told = fmpy.read_model_description(str(units["loop 2.0"].path))
    place = fmpy.extract(str(units["loop 2.0"].path), str(tmp_path))
    name = units["loop 2.0"].name
    unit = FMU2Slave(guid=told.guid, unzipDirectory=place, modelIdentifier=name)
    unit.instantiate()
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    state = unit.getFMUstate()
    kept = unit.deSerializeFMUstate(unit.serializeFMUstate(state))
    ends = []
    for one in (state, kept):
        unit.setFMUstate(one)
        unit.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.3)
        ends.append(unit.getReal([0, 1, 5]))
    assert ends[0] == ends[1]
    assert ends[0][0] == 0.3
    assert unit.getDirectionalDerivative([1], [1], [1.0]) == [1.0]
    with pytest.raises(Exception, match="fmi2CancelStep"):
        unit.cancelStep()
    assert not hasattr(unit.dll, "fmi3DoStep")


def test_a_file_may_have_libraries_for_every_machine(tmp_path):
    """Zig compiles for all of them; a machine that FMI does not know is refused by name."""
    with pytest.raises(kb.StructureError, match=r"platforms: FMI 2\.0 has no machine 'aarch64"):
        kb.export_fmu(four_bar(), tmp_path / "a", fmi="2.0", platforms=["aarch64-darwin"])
    with pytest.raises(kb.StructureError, match=r"fmi: expected 3\.0 or 2\.0, got '1\.0'"):
        kb.export_fmu(four_bar(), tmp_path / "a", fmi="1.0")
    pytest.importorskip("ziglang")
    made = kb.export_fmu(kb.loads(ARM), tmp_path / "arm.fmu")
    assert set(made.platforms) == build.PLATFORMS.keys()
    heads = {"so": b"\x7fELF", "dll": b"MZ", "dylib": b"\xcf\xfa\xed\xfe"}
    with zipfile.ZipFile(made.path) as file:
        for name, each in build.PLATFORMS.items():
            library = file.read(f"binaries/{name}/{made.name}.{each.ending}")
            assert library.startswith(heads[each.ending])


def opened(unit, folder):
    """The unit in co-simulation, at its start, and the references of its variables by name."""
    fmpy = pytest.importorskip("fmpy")
    from fmpy.fmi3 import FMU3Slave

    told = fmpy.read_model_description(str(unit.path))
    place = fmpy.extract(str(unit.path), str(folder))
    made = FMU3Slave(guid=told.guid, unzipDirectory=place, modelIdentifier=unit.name)
    made.instantiate()
    made.enterInitializationMode()
    made.exitInitializationMode()
    return made, {each.name: each.valueReference for each in told.modelVariables}


@pytest.mark.parametrize("name", ["arm", "loop"])
def test_derivatives_are_those_of_the_verb(units, tmp_path, name):
    """By direction and by adjoint: d(accelerations) by states, forces and sizes."""
    unit, at = opened(units[name], tmp_path)
    m, size = (kb.loads(ARM), "l") if name == "arm" else (four_bar(), "b")
    state = np.array(unit.getFloat64(range(1, 1 + m.nq + m.nv)))
    q, v, tau = state[: m.nq], state[m.nq :], np.zeros(m.nv)
    J = kb.compile(kb.derivative(kb.forward_dynamics, m, ("q", "v", "tau", size)))(q, v, tau)
    J = np.column_stack(J)
    knowns = [*range(1, 1 + len(state)), *(at[f"tau_{j}"] for j in m.velocities), at[size]]
    unknowns = [at[f"a_{j}"] for j in m.velocities]
    rng = np.random.default_rng(1)
    seed, weights = rng.normal(size=len(knowns)), rng.normal(size=len(unknowns))
    along = unit.getDirectionalDerivative(unknowns, knowns, seed)
    back = unit.getAdjointDerivative(unknowns, knowns, weights, len(knowns))
    assert_allclose(along, J @ seed, rtol=1e-9, atol=1e-9)
    assert_allclose(back, weights @ J, rtol=1e-9, atol=1e-9)
    tip = at["fore.tip.x" if name == "arm" else "coupler.C.x"]
    itself = unit.getDirectionalDerivative([at["A"], tip], [at["A"]], [1.0])
    slope = (m, q, "fore", (0.4, 1)) if name == "arm" else (m, q, "coupler", (3, 0))
    assert_allclose(itself, [1.0, kb.jacobian(*slope)[3, 0]], rtol=1e-12)


def test_a_step_can_be_taken_back(units, tmp_path):
    """A state that is kept, also as bytes, gives the same step again; a bad start is an error."""
    unit, at = opened(units["loop"], tmp_path)
    state = unit.getFMUState()
    bytes_of = unit.serializeFMUState(state)
    ends = []
    for kept in (state, unit.deserializeFMUState(bytes_of)):
        unit.setFMUState(kept)
        unit.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.3)
        ends.append(unit.getFloat64([0, 1, 5]))
    assert ends[0] == ends[1]
    assert ends[0][0] == 0.3
    unit.reset()
    unit.enterInitializationMode()
    unit.setFloat64([1], [3.0])
    unit.setFloat64([at["b"]], [30.0])
    with pytest.raises(Exception, match="fmi3ExitInitializationMode"):
        unit.exitInitializationMode()


def test_steps_back_and_states_of_others_are_refused(units, tmp_path):
    """Time goes forward but for states that were kept; bytes of zeros, or no numbers, are none."""
    unit, _ = opened(units["loop"], tmp_path)
    start = unit.getFMUState()
    zeros = bytes(len(unit.serializeFMUState(start)))
    unit.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.3)
    with pytest.raises(Exception, match="fmi3DoStep"):
        unit.doStep(currentCommunicationPoint=0.1, communicationStepSize=0.1)
    unit.doStep(currentCommunicationPoint=0.3, communicationStepSize=0.1)
    for wrong in (zeros, b"\xff" * len(zeros)):
        with pytest.raises(Exception, match="fmi3DeserializeFMUState"):
            unit.deserializeFMUState(wrong)
    unit.setFMUState(start)
    unit.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)


def test_without_a_compiler_the_sources_are_written(tmp_path, monkeypatch):
    """The file then says so, and holds what is to be compiled."""
    monkeypatch.setattr(build, "compiler", lambda: None)
    monkeypatch.setattr(build, "zig", lambda *_: None)
    m = kb.Mechanism(
        "top",
        [kb.Body("b", 1, (0, 0, 0.2), (0.1, 0.1, 0.05))],
        [kb.Spherical("S", "ground", "b", at=(0, 0, 0))],
    )
    made = kb.export_fmu(m, tmp_path / "top.fmu")
    assert made.platforms == ()
    assert "no C compiler" in made.notes[0]
    with pytest.raises(kb.KorbaError, match=r"pip install 'korba\[zig\]'"):
        kb.export_fmu(m, tmp_path / "other.fmu", platforms=["x86_64-windows"])
    names = zipfile.ZipFile(made.path).namelist()
    assert "sources/buildDescription.xml" in names
    assert not any(name.startswith("binaries") for name in names)


def test_the_command_writes_once(tmp_path, monkeypatch):
    """`korba export-fmu` names what is inside, and overwrites nothing unless told to."""
    monkeypatch.setattr(build, "compiler", lambda: None)
    monkeypatch.setattr(build, "zig", lambda *_: None)
    file, out = tmp_path / "arm.toml", tmp_path / "arm.fmu"
    file.write_text(ARM)
    command = ["export-fmu", str(file), "-o", str(out), "--q", "A=30 deg", "--parameter", "l"]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    assert "parameters: l\n" in first.output
    assert b'start="0.523598' in zipfile.ZipFile(out).read("modelDescription.xml")
    assert CliRunner().invoke(app, command).exit_code == 1
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0


def test_a_compiler_that_fails_is_quoted(tmp_path, monkeypatch):
    """What does not run, or ends with an error, is said, and no file is written."""
    here = [build.this_platform()]
    for command in (["false"], [str(tmp_path / "nowhere")]):
        monkeypatch.setattr(build, "compiler", lambda own=command: own)
        with pytest.raises(kb.KorbaError, match="the compiler"):
            kb.export_fmu(kb.loads(ARM), tmp_path / "arm.fmu", platforms=here)
    assert not (tmp_path / "arm.fmu").exists()
