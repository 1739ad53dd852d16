"""Every verb from arrays to arrays meets the same laws; a new verb is met by its public name."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sample_mechanisms
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import Program, evaluate_program
from korba.codegen.program import parted
from korba.verbs.generated import verb_of
from korba.verbs.options import joined
from korba.verbs.verb import Verb

VERBS = {n: v for n in kb.__all__ if isinstance(v := verb_of(getattr(kb, n)), Verb)}
EXPECTED = (
    *("pose", "poses", "velocity", "acceleration", "jacobian", "jacobian_rate", "centre_of_mass"),
    *("inverse_dynamics", "forward_dynamics", "bias_forces", "mass_matrix", "energy", "momentum"),
    *("reactions", "driving_forces", "generalised_forces", "reduce"),
    *("inertia_forces", "shaking_forces", "regressor"),
)
FORCES = {"reactions", "driving_forces"}
WHOLE = {*FORCES, "inverse_dynamics", "forward_dynamics", "regressor"}
"""Those that take motions only that the loops allow."""
CLOSED = [name for name, verb in VERBS.items() if verb.closed and name not in WHOLE]
WRENCH = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.5])
FORCES = {"A": 1.5, "D": np.array([0.2, -0.4])}
STEP = 1e-6


@cache
def arm():
    """A hinge, a slide, a wrist of two axes and a follower, with loads in the time."""
    inertia = (0.2, 0.25, 0.3)
    bodies = [kb.Body(name, 1.2, (0.2, 0.1, -0.1), inertia) for name in "abcd"]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0.2, 1), damping=0.1),
        kb.Prismatic("B", "a", "b", at=(1, 0, 0), axis=(1, 1, 0)),
        kb.Universal("C", "b", "c", at=(1, 1, 0), axis=(0, 0, 1), x_axis=(1, 0, 0)),
        kb.Revolute("D", "b", "d", at=(1, 0.5, 0), axis=(0.3, 1, 0)),
    ]
    couplings = [kb.Coupling("follows", "D", "0.5*A + 0.3*B^2")]
    forces = [
        kb.JointForce("push", "A", law="3*t - 2*A"),
        kb.Spring("s", "ground", (0, 1, 0), "c", (0.2, 0, 0), stiffness=5, free_length=0.3),
    ]
    return kb.Mechanism("arm", bodies, joints, couplings, forces)


@cache
def arm_of(name):
    """The arm that a verb is asked about: with drives where it asks for what they do."""
    if name != "driving_forces":
        return arm()
    turns = [kb.JointDrive(f"drive {q}", q, "t") for q in ("A", "B", "C.first", "C.second")]
    return replace(arm(), drives=turns)


@cache
def four_bar():
    """A planar four-bar, drawn at 90 degrees of its crank."""
    body = {"mass": 1.0, "com": (0.5, 0.5), "inertia": 0.2}
    return sample_mechanisms.four_bar(((0, 0), (0, 1), (3, 2), (3, 0)), body)


def options_of(verb, body):
    """Options that a verb needs, and a point where it takes one."""
    known = {"body": body, "point": (0.3, -0.2, 0.1), "coordinate": "A"}
    return {name: known[name] for name in verb.options if name in known}


def mappings_of(verb, body="c"):
    known = {"forces": FORCES, "external": {body: WRENCH}}
    return {name: known[name] for name in verb.named}


def states(m, batch=(), seed=0):
    """Arrays for every input that a verb may have."""
    rng = np.random.default_rng(seed)
    sizes = {"q": m.nq, "v": m.nv, "a": m.nv, "tau": m.nv}
    return {name: rng.uniform(-0.6, 0.6, (*batch, size)) for name, size in sizes.items()}


def asked(verb, m, at, body="c", t=0.4):
    """The verb's answer as a list of arrays."""
    more = {"t": t} if verb.timed else {}
    arrays = [at[name] for name in verb.inputs]
    return flat(verb, verb(m, *arrays, **options_of(verb, body), **mappings_of(verb, body), **more))


def flat(verb, result):
    return [np.asarray(x) for x in parted(verb.pack(result))[0]]


def inputs_of(verb, program, at, t=0.4):
    """What a program takes, in its order."""
    values = {name: at[name] for name in verb.inputs} | {"t": np.array([t])}
    values |= {n: joined(n, given, verb.named[n]) for n, given in mappings_of(verb).items()}
    names = program.inputs if isinstance(program, Program) else program.signature.inputs
    return [values[name] for name, _ in names]


def listed(results):
    return list(results) if isinstance(results, tuple) else [results]


def close(found, expected, factor=1e-12):
    for one, two in zip(found, expected, strict=True):
        scale = max(1.0, np.abs(two).max(initial=0.0))
        assert_allclose(np.asarray(one, dtype=float), two, rtol=0, atol=factor * scale)


def test_the_catalogue_has_the_verbs_it_had():
    """Nothing that maps arrays to arrays is a plain function."""
    assert set(EXPECTED) <= set(VERBS)


@pytest.mark.parametrize("name", VERBS)
def test_compiled_is_called(name):
    """kb.compile gives the function that the call goes through, and kb.operations counts it."""
    verb, m = VERBS[name], arm_of(name)
    options = {**options_of(verb, "c"), **mappings_of(verb)}
    f = kb.compile(verb, m, **options)
    at = states(m)
    close(listed(f(*inputs_of(verb, f, at))), asked(verb, m, at), 0)
    assert kb.compile(verb, m, **options) is f
    constant = not any(node.op == "variable" for node in f.program.nodes)
    assert kb.operations(verb, m, **options).total > 0 or constant


@pytest.mark.parametrize("name", VERBS)
def test_the_formula_of_numbers_is_the_answer(name):
    """The same function computes with numbers and writes the program."""
    verb, m = VERBS[name], arm_of(name)
    at = states(m)
    scalar = {
        key: {k: np.ravel(x)[0] if key == "forces" else x for k, x in given.items()}
        for key, given in mappings_of(verb).items()
    }
    more = {"t": 0.4} if verb.timed else {}
    arrays = [at[name] for name in verb.inputs]
    by_hand = verb.formula(verb.system(m), *arrays, **options_of(verb, "c"), **scalar, **more)
    close(
        flat(verb, by_hand), flat(verb, verb(m, *arrays, **options_of(verb, "c"), **scalar, **more))
    )


@pytest.mark.parametrize("name", VERBS)
def test_derivatives_are_finite_differences(name):
    """d(result)/d(input) of every input, t and mappings included."""
    verb, m = VERBS[name], arm_of(name)
    options = {**options_of(verb, "c"), **mappings_of(verb)}
    value = verb.program(m, **options)
    at = states(m, seed=1)
    if "forces" in verb.named:
        at["q"] = np.broadcast_to(at["q"], (2, m.nq))
    inputs = inputs_of(verb, value, at)
    names = [each for each, _ in value.inputs]
    slopes = listed(evaluate_program(kb.derivative(verb, m, names, **options), *inputs))
    count = len(value.shapes)
    for k in range(len(names)):
        columns = []
        for e in np.eye(inputs[k].shape[-1]):
            up, down = ([*inputs[:k], inputs[k] + h * e, *inputs[k + 1 :]] for h in (STEP, -STEP))
            sides = [listed(evaluate_program(value, *each)) for each in (up, down)]
            columns.append([(a - b) / (2 * STEP) for a, b in zip(*sides, strict=True)])
        expected = [np.stack(parts, axis=-1) for parts in zip(*columns, strict=True)]
        close(slopes[k * count : (k + 1) * count], expected, 1e-7)


@pytest.mark.parametrize("name", VERBS)
def test_batches_broadcast(name):
    """Batch axes stand in front, are broadcast, and each row is the answer to its state."""
    verb, m = VERBS[name], arm_of(name)
    at = states(m, (3, 2))
    for key in verb.inputs[1:]:
        at[key] = at[key][0]
    t = np.array([0.1, 0.7])
    whole = asked(verb, m, at, t=t)
    row = {key: value[2, 1] if value.ndim == 3 else value[1] for key, value in at.items()}
    alone = asked(verb, m, row, t=0.7)
    if "forces" in verb.named:
        alone = [each[1] for each in alone]
    for one, two in zip(whole, alone, strict=True):
        assert one.shape[:2] == (3, 2)
        assert_allclose(one[2, 1], two, atol=1e-13 * max(1, np.abs(two).max()))


@pytest.mark.parametrize("name", VERBS)
def test_unknown_options_are_refused_with_those_there_are(name):
    """In a call, in kb.compile, kb.operations and kb.derivative."""
    verb, m = VERBS[name], arm_of(name)
    arrays = [states(m)[key] for key in verb.inputs]
    there_are = f"{name}: there is no option 'colour'; there are {', '.join(verb.words) or 'none'}"
    for ask in (
        lambda: verb(m, *arrays, colour="red"),
        lambda: kb.compile(verb, m, colour="red"),
        lambda: kb.operations(verb, m, colour="red"),
        lambda: kb.derivative(verb, m, "q", colour="red"),
    ):
        with pytest.raises(kb.StructureError) as error:
            ask()
        assert str(error.value) == there_are


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_looks_like_a_function(name):
    """Name, signature with the mechanism first, docstring, help, pickle and copy."""
    verb = VERBS[name]
    assert list(inspect.signature(verb).parameters)[:2] == ["m", "q"]
    assert inspect.isroutine(verb)
    assert len(verb.__doc__) > 20
    text = pydoc.plain(pydoc.render_doc(verb))
    assert re.search(rf"\b{name}\(\s*m: ", text)  # on one line, or a line for each
    assert verb.__doc__.splitlines()[0] in text
    assert repr(verb) == f"<verb {name}({', '.join(inspect.signature(verb).parameters)})>"
    assert pickle.loads(pickle.dumps(verb)) is verb  # noqa: S301
    assert copy.deepcopy(verb) is verb


@pytest.mark.parametrize("name", VERBS)
def test_arguments_by_name_and_by_place_are_the_same(name):
    """As with any function."""
    verb, m = VERBS[name], arm_of(name)
    at = {key: states(m)[key] for key in verb.inputs}
    options = {**options_of(verb, "c"), **mappings_of(verb)}
    by_name = flat(verb, verb(m=m, **at, **options))
    by_place = flat(verb, verb(m, *at.values(), **options))
    close(by_name, by_place, 0)
    with pytest.raises(TypeError, match="missing a required argument"):
        verb(m)


@pytest.mark.parametrize("name", CLOSED)
def test_kinematics_of_closed_mechanisms(name):
    """All independent coordinates go in, closing joints' too; compiled and differentiated alike."""
    verb, m = VERBS[name], four_bar()
    at = states(m) | {"q": kb.assemble(m, {"A": 0.3}).q}
    answers = asked(verb, m, at, body="rocker")
    options = {**options_of(verb, "rocker"), **mappings_of(verb, "rocker")}
    f = kb.compile(verb, m, **options)
    close(listed(f(*inputs_of(verb, f, at))), answers, 0)
    slope = kb.compile(kb.derivative(verb, m, "q", **options))(*inputs_of(verb, f, at))
    moved = [
        asked(verb, m, at | {"q": at["q"] + h * np.eye(4)[0]}, "rocker") for h in (STEP, -STEP)
    ]
    slopes = [each[..., 0] for each in listed(slope)]
    close(slopes, [(up - down) / (2 * STEP) for up, down in zip(*moved, strict=True)], 1e-7)


def test_closed_kinematics_are_those_of_the_motion():
    """Poses, velocities and accelerations of the rocker along a driven motion are the motion's."""
    base = four_bar()
    drive = kb.JointDrive("turn", "A", "1 + 2*t")
    m = kb.Mechanism("driven", base.bodies, base.joints, drives=[drive], plane="xy")
    motion = kb.motion(m, np.linspace(0, 1, 7))
    point = (0.4, -0.3, 0.0)
    told = motion.point("rocker", point)
    X = kb.pose(m, motion.q, "rocker")
    V = kb.velocity(m, motion.q, motion.v, "rocker", point)
    A = kb.acceleration(m, motion.q, motion.v, motion.a, "rocker", point=point)
    assert_allclose((X @ [*point, 1])[:, :3], told.position, atol=1e-13)
    assert_allclose(V[:, 3:], told.velocity, atol=1e-12)
    assert_allclose(A[:, 3:], told.acceleration, atol=1e-11)
    J = kb.jacobian(m, motion.q, "rocker", point)
    assert_allclose(np.einsum("tij,tj->ti", J, motion.v), V, atol=1e-12)
    D = X @ [3, 0, 0, 1]
    assert_allclose(D[:, :2], np.broadcast_to((3, 0), (7, 2)), atol=1e-9)


@pytest.mark.parametrize("name", sorted(name for name, verb in VERBS.items() if not verb.closed))
def test_verbs_of_trees_refuse_loops(name):
    """With a sentence that names the joints that close the loops."""
    verb, m = VERBS[name], four_bar()
    given = {"forces": {"A": 1.0}} if verb.named and "forces" in verb.named else {}
    with pytest.raises(kb.StructureError, match="has loops"):
        verb(m, *[np.zeros(4)] * len(verb.inputs), **given)


def test_points_by_name():
    """A point of a body may be named wherever a place is taken."""
    rod = kb.Body("rod", 1.0, (0.5, 0), 0.1, points={"tip": (1.0, 0.0)})
    m = kb.Mechanism("rod", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    by_name = kb.velocity(m, [0.3], [2.0], "rod", "tip")
    assert_allclose(by_name, kb.velocity(m, [0.3], [2.0], "rod", (1, 0)))
    with pytest.raises(kb.StructureError, match="no point 'top'; there are tip"):
        kb.jacobian(m, [0.3], "rod", "top")


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.needed])
def test_options_that_are_missing_are_named(name):
    """kb.compile says which option a verb cannot do without."""
    with pytest.raises(
        kb.StructureError, match=f"{name} needs the option '{VERBS[name].needed[0]}'"
    ):
        kb.compile(VERBS[name], arm())


def test_a_question_asked_again_is_looked_at_as_the_first_was():
    """Arrays go straight to the program the second time; all else still has its way and errors."""
    links = [kb.Body(name, 1.0, (0.5, 0.0), 0.1) for name in "ab"]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0)),
    ]
    m = kb.Mechanism("two links", links, joints, plane="xy")
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    first = kb.inverse_dynamics(m, q, v, a)
    for again in (q, q.tolist(), {"A": q[0], "B": q[1]}):
        assert_allclose(kb.inverse_dynamics(m, again, v, a), first, rtol=1e-14)
    assert kb.inverse_dynamics(m, np.array([q, q, q]), v, a).shape == (3, 2)
    motion = kb.simulate(m, 0.1, q=q, times=5)
    assert kb.inverse_dynamics(m, motion).shape == (5, 2)
    with pytest.raises(kb.KorbaError, match=r"q: expected shape"):
        kb.inverse_dynamics(m, np.zeros(3), v, a)
    with pytest.raises(kb.KorbaError, match="nan"):
        kb.inverse_dynamics(m, np.full(2, np.nan), v, a)
    with pytest.raises(kb.StructureError, match="expected a mechanism"):
        kb.inverse_dynamics("m", q, v, a)
