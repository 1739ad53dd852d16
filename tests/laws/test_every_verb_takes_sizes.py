"""Every public verb takes sizes as inputs: its answer for a design is that of its mechanism.

The verbs are read from what the library publishes, so a new one is asked here too; what it needs
besides a state is in `NEEDED`.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.verbs.generated import verb_of
from korba.verbs.verb import Verb

TEXT = """
name = "press"
plane = "xy"
parameters = {r = "50 mm", l = "150 mm", heavy = "2 kg", stiff = "300 N/m", rough = 0.1}
body = [
  {name = "crank", mass = "0.3 kg", com = ["r/2", 0], inertia = "0.3 kg*r^2/12"},
  {name = "rod", mass = "0.5 kg", com = ["r + l/2", 0], inertia = "0.5 kg*l^2/12"},
  {name = "slider", mass = "heavy", com = ["r + l", 0], inertia = 1e-3},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + l", 0], ROUGH},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "1 rad + 2 rad/s*t"}]
[[force]]
name = "spring"
type = "spring"
body_a = "ground"
at_a = [0.5, 0]
body_b = "slider"
at_b = ["r + l", 0]
stiffness = "stiff"
free_length = 0.1
"""
TEXT = TEXT.replace("ROUGH", 'friction = {coefficient = "rough", radius = "10 mm"}')
DESIGNS = {
    "r": np.array([0.05, 0.04, 0.06]),
    "l": np.array([0.16, 0.15, 0.2]),
    "heavy": np.array([1.0, 2.0, 3.0]),
    "stiff": np.array([100.0, 300.0, 0.0]),
    "rough": np.array([0.1, 0.2, 0.05]),
}
TIMES = np.linspace(0.0, 1.0, 7)
NEEDED = {"body": "rod", "forces": {"A": 3.0, "B": -1.0}, "coordinate": "A"}
"""What verbs ask for besides a state."""
MORE = {"reactions": [{}, {"method": "groups"}, {"friction": True}]}
"""Options that are another program."""
PLACES = (kb, kb.papers)
VERBS = {
    name: x
    for at in PLACES
    for name in dir(at)
    if isinstance(x := verb_of(getattr(at, name)), Verb)
}
CASES = [(name, options) for name in VERBS for options in MORE.get(name, [{}])]


@pytest.fixture(scope="module")
def closed():
    """A driven mechanism with a loop, its designs in motion, and each of them as a mechanism."""
    m = kb.loads(TEXT)
    moved = kb.motion(m, TIMES, parameters=DESIGNS)
    return m, moved, [moved.run(k) for k in range(3)]


@pytest.fixture(scope="module")
def tree():
    """The same without its slide: a tree, as far as verbs know no loops."""
    lines = [line for line in TEXT.splitlines() if 'name = "D"' not in line]
    m = kb.loads("\n".join(line for line in lines if not line.startswith("drive")))
    moved = kb.simulate(m, until=TIMES[-1], times=TIMES, parameters=DESIGNS)
    return m, moved, [moved.run(k) for k in range(3)]


def numbers(said):
    """All arrays of an answer by name."""
    if isinstance(said, np.ndarray | float):
        return {"": np.asarray(said)} if np.asarray(said).dtype != object else {}
    if is_dataclass(said):
        said = {field.name: getattr(said, field.name) for field in fields(said)}
    if isinstance(said, list | tuple):
        said = dict(enumerate(said))
    if not isinstance(said, Mapping):
        return {}
    own = {name: numbers(part) for name, part in said.items()}
    return {f"{name}.{key}": x for name, parts in own.items() for key, x in parts.items()}


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_design_answers_as_its_mechanism(name, options, closed, tree):
    """verb(m, motion of designs) is verb(design, its motion) for every design of the batch."""
    verb = VERBS[name]
    m, moved, runs = closed if verb.closed else tree
    options = {**options, **{key: NEEDED[key] for key in verb.needed}}
    push = [np.ones(m.nv)] if "tau" in verb.inputs else []
    batch = numbers(verb(m, moved, *push, **options))
    for k, run in enumerate(runs):
        own = numbers(verb(run.mechanism, run, *push, **options))
        assert own.keys() == batch.keys()
        assert own
        for key, x in own.items():
            size, y = np.max(np.abs(x), initial=0.0), batch[key]
            y = y[k] if y.ndim > x.ndim else y
            assert_allclose(y, x, rtol=0, atol=1e-9 * max(1.0, size), err_msg=key)


@pytest.mark.parametrize("name", ["centre_of_mass", "driving_forces", "reactions"])
def test_sensitivities_are_limits_of_designs(name, closed):
    """Along a motion, through the loops: d(answer)/d(size) is what designs nearby converge to."""
    m, *_ = closed
    h, rod = np.array([1e-3, 5e-4, 2.5e-4]), 0.15
    near = {"l": rod + np.ravel([h, -h])}
    batch = numbers(VERBS[name](m, kb.motion(m, TIMES, parameters=near)))
    exact = numbers(kb.sensitivity(kb.motion(m, TIMES), "l").of(VERBS[name])["l"])
    for key, x in exact.items():
        if not x.ndim:
            continue
        up, down = np.split(batch[key], 2)
        D = (up - down) / (2 * h.reshape(-1, *[1] * x.ndim))
        D = (4 * D[1:] - D[:-1]) / 3
        size = np.max(np.abs(batch[key]), initial=0.0) / rod
        assert_allclose(x, (16 * D[1] - D[0]) / 15, rtol=0, atol=1e-9 * size, err_msg=key)


def test_motions_are_those_of_designs(closed, tree):
    """A driven motion, a simulation and positions of designs are those of each alone."""
    m, moved, runs = closed
    for k, run in enumerate(runs):
        alone = kb.motion(run.mechanism, TIMES)
        for x, y in ((moved.q, alone.q), (moved.v, alone.v), (moved.a, alone.a)):
            assert_allclose(x[k], y, rtol=0, atol=1e-10)
    crank = np.array([0.1, 1.0, 2.0])
    placed = kb.assemble(m, {"A": crank}, parameters=DESIGNS)
    for k, run in enumerate(runs):
        alone = kb.assemble(run.mechanism, {"A": float(crank[k])})
        assert_allclose(placed.q[k], alone.q, rtol=0, atol=1e-10)
    m, moved, runs = tree
    for k, run in enumerate(runs):
        alone = kb.simulate(run.mechanism, until=TIMES[-1], times=TIMES)
        assert_allclose(moved.q[k], alone.q, rtol=0, atol=1e-6)


def test_rods_that_spin_idly_are_no_obstacle():
    """Designs of a rod between two balls move and pull as each of them alone, whatever its spin."""
    m, rods = kb.linkages.rssr(0.2, 0.9, 0.6, 0.8), np.array([0.85, 0.95])
    moved = kb.motion(m, TIMES, parameters={"b": rods})
    forces = kb.reactions(m, moved)
    for k, rod in enumerate(rods):
        alone = kb.motion(kb.redimension(m, b=float(rod)), TIMES)
        own = kb.reactions(alone.mechanism, alone)
        for x, y in (
            (moved["D"][k], alone["D"]),
            (moved["a_D"][k], alone["a_D"]),
            (forces.force[k], own.force),
            (forces.efforts[k], own.efforts),
        ):
            assert_allclose(x, y, rtol=0, atol=1e-9 * np.abs(y).max())


def test_a_line_of_idle_motion_that_sizes_turn_is_named():
    """Forces are not told where the axis of a rod's spin lies elsewhere in every design."""
    text = kb.dumps(kb.linkages.rssr(0.2, 0.9, 0.6, 0.8))
    m = kb.loads(text.replace('C = ["b", 0]', 'C = ["b", "offset"]'))
    moved = kb.motion(m, TIMES[:2])
    assert np.isfinite(kb.reactions(m, moved).force).all()
    with pytest.raises(kb.StructureError, match="'coupler' moves idly about a line that depends"):
        kb.reactions(m, moved, parameters={"offset": 0.1})


def test_loops_run_as_designs():
    """A mechanism with a loop swings as each of its designs does, from a coordinate by its name."""
    m = kb.loads("\n".join(line for line in TEXT.splitlines() if not line.startswith("drive")))
    sizes = {name: DESIGNS[name] for name in ("r", "l", "heavy")}
    runs = kb.simulate(m, until=0.2, times=[0.0, 0.2], q={"A": 0.7}, parameters=sizes)
    for k, design in enumerate(zip(*sizes.values(), strict=True)):
        other = kb.redimension(m, **{n: float(x) for n, x in zip(sizes, design, strict=True)})
        alone = kb.simulate(kb.loads(kb.dumps(other)), until=0.2, times=[0.0, 0.2], q={"A": 0.7})
        assert_allclose(runs.q[k], alone.q, rtol=0, atol=1e-6)
        again = kb.simulate(other, until=0.2, times=[0.0, 0.2], q={"A": 0.7})
        assert_allclose(again.q, alone.q, rtol=0, atol=1e-6)
