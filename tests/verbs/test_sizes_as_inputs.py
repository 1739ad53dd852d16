"""Named sizes as inputs of a verb: one program answers for every design."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.system import store

ARM = """
korba = 1
name = "arm"
gravity = ["wind", 0, "-9.81 m/s^2"]
[parameters]
upper = "300 mm"
fore = "0.8*upper"
heavy = "2 kg"
stiff = "40 N/m"
drag = 0.3
wind = "0.2 m/s^2"
[[body]]
name = "upper"
mass = "heavy"
com = ["upper/2", 0, 0]
inertia = ["0.001 kg*m^2", "heavy*upper^2/12", "heavy*upper^2/12"]
[[body]]
name = "fore"
mass = "0.5*heavy"
com = ["upper + fore/2", 0, 0]
inertia = ["0.001 kg*m^2", "0.01 kg*m^2", "0.01 kg*m^2"]
points = {tip = ["upper + fore", 0, 0]}
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "upper"
at = [0, 0, 0]
axis = [0, 0, 1]
damping = "drag*1 N*m*s"
[[joint]]
name = "B"
type = "revolute"
parent = "upper"
child = "fore"
at = ["upper", 0, 0]
axis = [0, 1, 0]
[[force]]
name = "spring"
type = "spring"
body_a = "ground"
at_a = [0, 1, 0]
body_b = "fore"
at_b = ["upper + fore", 0, 0]
stiffness = "stiff"
free_length = "fore"
"""
WRITTEN_OUT = """
korba = 1
name = "written out"
[parameters]
lean = "20 deg"
turn = "0.3 rad"
arm = 0.01
ratio = 50
soft = "2000 N*m/rad"
spin = 1e-4
down = 0.4
[[body]]
name = "one"
mass = "2 kg"
com = [0.3, 0, 0.1]
inertia = [0.1, 0.11, 0.12]
[[body]]
name = "two"
mass = "1 kg"
com = [0.7, 0.1, 0]
inertia = [0.05, 0.06, 0.07]
[[body]]
name = "three"
mass = "1 kg"
inertia = [0.05, 0.06, 0.07]
com = [0.1, 0.2, 0.0]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "one"
at = [0, 0, 0]
axis = ["sin(lean)", 0.2, "cos(lean)"]
armature = "arm"
drawn = "turn"
[[joint]]
name = "B"
type = "revolute"
parent = "one"
child = "two"
at = [0.5, 0, 0]
axis = [0, 1, "lean/1 rad"]
rotor = {ratio = "ratio", mass = 0.1, inertia = ["spin", "spin", "2*spin"]}
elastic = {stiffness = "soft"}
[[joint]]
name = "C"
type = "universal"
parent = "two"
child = "three"
on_parent = {origin = [0.2, "arm", 0], rotation = ["lean", "turn", 0.1]}
on_child = {origin = [0, 0, 0.1], rotation = "turn"}
axis = ["down", 0.3, 0.5]
"""
"""Sizes in axes, turned frames, drawn coordinates, armature, rotors and elastic joints."""
DESIGN = {"upper": 0.45, "heavy": "1200 g", "stiff": 60.0, "drag": 0.1, "wind": "3 m/s^2"}
VERBS = {
    kb.inverse_dynamics: {},
    kb.forward_dynamics: {},
    kb.mass_matrix: {},
    kb.energy: {},
    kb.momentum: {},
    kb.reactions: {},
    kb.poses: {},
    kb.acceleration: {"body": "fore", "point": "tip"},
    kb.jacobian_rate: {"body": "fore", "point": "tip"},
    kb.centre_of_mass: {},
}


def arrays_of(verb, m, shape=(4,)):
    """A random state for every input of a verb."""
    rng = np.random.default_rng(5)
    return [rng.normal(size=(*shape, m.nv)) for _ in verb.inputs]


def flat(result):
    """All numbers of a result in one list of arrays."""
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, np.ndarray):
        return [result]
    return (
        [getattr(result, name) for name in ("force", "moment", "point")]
        if hasattr(result, "joints")
        else list(result)
    )


def difference(function, x, h):
    """d f/dx by central differences with Richardson's two extrapolations: error h^6."""
    D = [(function(x + d) - function(x - d)) / (2 * d) for d in (h, h / 2, h / 4)]
    D = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(D)]
    return (16 * D[1] - D[0]) / 15


def assert_same(one, two):
    """Results equal to rounding."""
    for x, y in zip(flat(one), flat(two), strict=True):
        assert_allclose(x, y, rtol=0, atol=2e-13 * max(1.0, np.abs(y).max()))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_design_answers_as_its_mechanism(verb):
    """verb(m, ..., parameters=design) is verb(redimension(m, design), ...)."""
    m, more = kb.loads(ARM), VERBS[verb]
    arrays = arrays_of(verb, m)
    expected = verb(kb.redimension(kb.loads(ARM), **DESIGN), *arrays, **more)
    assert_same(verb(m, *arrays, **more, parameters=DESIGN), expected)


@pytest.mark.parametrize(
    ("verb", "formulation"),
    [
        (getattr(kb, name), f)
        for name, all_ in kb.formulations().items()
        for f in all_
        if name != "momentum"
    ],
)
def test_every_formulation_takes_sizes(verb, formulation):
    """Each formulation by name gives the answer of the design."""
    m = kb.loads(ARM)
    arrays = arrays_of(verb, m, ())
    expected = verb(kb.redimension(m, **DESIGN), *arrays)
    assert_same(verb(m, *arrays, formulation=formulation, parameters=DESIGN), expected)


def test_designs_broadcast_with_states():
    """Sizes carry batch axes like any input, in a call and in what is compiled."""
    m = kb.loads(ARM)
    q, v, a = arrays_of(kb.inverse_dynamics, m, (3,))
    upper, heavy = np.array([0.2, 0.3, 0.5])[:, None, None], np.array([1.0, 4.0])[:, None]
    tau = kb.inverse_dynamics(m, q, v, a, parameters={"upper": upper, "heavy": heavy})
    assert tau.shape == (3, 2, 3, 2)
    one = kb.redimension(m, upper=0.5, heavy=4.0)
    assert_allclose(tau[2, 1], kb.inverse_dynamics(one, q, v, a), atol=1e-13)
    f = kb.compile(kb.inverse_dynamics, m, parameters=("heavy", "upper"))
    p = np.stack(np.broadcast_arrays(heavy[..., None], upper[..., None]), axis=-1)[..., 0, :]
    assert_allclose(f(q, v, a, p), tau, atol=1e-13)


def test_a_new_design_is_not_compiled_again(monkeypatch):
    """What was compiled with sizes as inputs serves every redimensioned mechanism."""
    m = kb.loads(ARM)
    q, v, a = arrays_of(kb.inverse_dynamics, m)
    kb.compile(kb.inverse_dynamics, m, parameters=("upper", "heavy"))
    kb.compile(kb.velocity, m, body="fore", point="tip", parameters=("upper",))
    fresh = kb.redimension(kb.loads(ARM), upper=0.5)
    expected = kb.inverse_dynamics(fresh, q, v, a), kb.velocity(fresh, q, v, "fore", "tip")
    design = kb.redimension(kb.redimension(m, upper=0.4), upper="500 mm")
    monkeypatch.setattr(store, "compile_cached", None)
    assert_same(kb.inverse_dynamics(design, q, v, a), expected[0])
    assert_same(kb.velocity(design, q, v, "fore", "tip"), expected[1])
    assert_same(kb.inverse_dynamics(m, q, v, a, parameters={"upper": 0.5}), expected[0])
    other = kb.redimension(m, stiff=50.0)
    with pytest.raises(TypeError):  # the spring was no input: this one has to be compiled
        kb.inverse_dynamics(other, q, v, a)


def test_a_size_by_formula_follows_the_others():
    """An input that is a formula of a given size is not held at its nominal value."""
    m = kb.loads(ARM)
    (q,) = arrays_of(kb.pose, m, ())
    kb.compile(kb.pose, m, body="fore", parameters=("upper", "fore"))
    expected = kb.pose(kb.redimension(kb.loads(ARM), upper=0.7), q, "fore")
    assert_same(kb.pose(m, q, "fore", parameters={"upper": 0.7}), expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rod": 1.0}, "no parameter 'rod' in mechanism 'arm'; there are upper, fore"),
        ({"upper": "2 kg"}, "'upper' is a length, got '2 kg'"),
        ({"upper": [1.0, np.nan]}, "'upper': expected finite numbers, got nan"),
        ({"upper": None}, "'upper': expected a number in SI, a text with a unit or an array"),
        ({"upper": [1.0, 2.0], "heavy": [1.0] * 3}, "shapes do not fit together: upper"),
        (3.0, "parameters: expected a mapping from names"),
        ("upper", "parameters: expected a mapping from names"),
        (("upper",), "parameters: expected a mapping from names"),
        ({"drag": "3 kg"}, "kg"),
    ],
)
def test_wrong_sizes_are_named(given, message):
    """A size that is none, or of another kind, is refused in a sentence."""
    m = kb.loads(ARM)
    with pytest.raises(kb.KorbaError, match=message):
        kb.mass_matrix(m, np.zeros(2), parameters=given)


def test_inputs_are_named_once():
    """A program has one column for each size."""
    with pytest.raises(kb.StructureError, match="'upper' is named twice"):
        kb.compile(kb.mass_matrix, kb.loads(ARM), parameters=("upper", "upper"))


@pytest.mark.parametrize(
    "verb", [kb.inverse_dynamics, kb.forward_dynamics, kb.mass_matrix, kb.energy, kb.poses]
)
def test_derivatives_by_sizes(verb):
    """d(result)/d(size) is the limit of differences of designs, mixed with other inputs."""
    m = kb.loads(ARM)
    arrays = arrays_of(verb, m)
    program = kb.derivative(verb, m, ("upper", "q", "heavy"))
    results = len(program.shapes) // 3
    found = kb.compile(program)(*arrays)
    by_q = kb.compile(kb.derivative(verb, m, "q"))(*arrays)

    def at(name, x):
        return np.array(kb.compile(verb, m, parameters=(name,))(*arrays, [x]))

    for name, first, x in (("upper", 0, 0.3), ("heavy", 2, 2.0)):
        own = found[first * results : (first + 1) * results]
        expected = difference(partial(at, name), x, 1e-2 * x)
        whole = own[0] if results == 1 else np.array(own)
        assert_allclose(whole, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))
    for one, two in zip(
        found[results : 2 * results], [by_q] if results == 1 else by_q, strict=True
    ):
        assert_allclose(one, two, atol=1e-12 * max(1.0, np.abs(two).max()))


def test_derivatives_may_keep_sizes_as_inputs():
    """What `parameters` names stays an input of the derivative; "p" is all of it."""
    m = kb.loads(ARM)
    q, v, a = arrays_of(kb.inverse_dynamics, m)
    f = kb.compile(kb.derivative(kb.inverse_dynamics, m, "heavy", parameters=("upper",)))
    g = kb.compile(kb.derivative(kb.inverse_dynamics, m, "p", parameters=("upper", "heavy")))
    other = kb.redimension(m, upper=0.5)
    expected = kb.compile(kb.derivative(kb.inverse_dynamics, other, "heavy"))(q, v, a)
    assert_allclose(f(q, v, a, [0.5]), expected, atol=1e-12)
    assert_allclose(g(q, v, a, [0.5, 2.0])[..., 1], expected, atol=1e-12)
    with pytest.raises(kb.StructureError, match=r"the parameter upper, .* got 'rod'"):
        kb.derivative(kb.mass_matrix, m, "rod")


@pytest.mark.parametrize(
    "design",
    [
        {},
        {"lean": "35 deg", "turn": -0.4, "arm": 0.02, "ratio": 30, "soft": 500.0, "spin": 3e-4},
        {"down": 0.05},  # another coordinate direction is now the least aligned
        {"ratio": 1.0},
        {"arm": 0.0},
    ],
    ids=str,
)
def test_sizes_in_what_is_written_out_and_turned(design):
    """Axes, frames, drawn angles, armature, rotors and springs of joints follow their sizes."""
    m = kb.loads(WRITTEN_OUT)
    full = dict(m.parameters) | design
    other = kb.redimension(kb.loads(WRITTEN_OUT), **design)
    for verb in (kb.inverse_dynamics, kb.forward_dynamics, kb.mass_matrix, kb.poses):
        arrays = arrays_of(verb, m)
        one, two = flat(verb(m, *arrays, parameters=full)), flat(verb(other, *arrays))
        for x, y in zip(one, two, strict=True):
            assert_allclose(x, y, rtol=0, atol=1e-11 * max(1.0, np.abs(y).max()))
    by_name = {"B.twist": 0.1}  # the others as drawn, which is a size here
    assert_same(kb.poses(m, by_name, parameters=full), kb.poses(other, by_name))


@pytest.mark.parametrize(
    ("text", "bad", "message"),
    [
        (ARM, {"heavy": -1.0}, r"heavy = -1, .*body 'upper', mass: mass is negative"),
        (
            ARM,
            {"stiff": [1.0, -2.0]},
            r"design \[1\].*force 'spring', stiffness: expected at least",
        ),
        (ARM, {"drag": -0.1}, r"joint 'A', damping: expected at least 0"),
        (WRITTEN_OUT, {"arm": -0.1}, r"joint 'A', armature: expected at least 0"),
        (WRITTEN_OUT, {"soft": -1.0}, r"joint 'B', elastic, stiffness"),
    ],
)
def test_a_design_that_no_mechanism_has_is_refused(text, bad, message):
    """In the words of the model, which names the element; the design by its number and sizes."""
    m = kb.loads(text)
    with pytest.raises(kb.StructureError, match=f"(?s){message}"):
        kb.mass_matrix(m, np.zeros(m.nq), parameters=bad)


def test_twists_of_joints_between_points_are_sizes_too():
    """Bennett's alpha turns frames of joints that join points, as in the design made anew."""
    m = kb.linkages.bennett(0.2, 0.3)
    other = kb.redimension(m, alpha=0.65)
    q = kb.assemble(m, {"A": np.array([1.0])}, parameters={"alpha": 0.65}).q[0]
    assert q == pytest.approx(kb.assemble(other, {"A": 1.0}).q, abs=1e-12)
    placed = kb.pose(m, q, "second", parameters={"alpha": 0.65})
    assert placed == pytest.approx(kb.pose(other, q, "second"), abs=1e-12)
