"""Repeated programs: the same results as straight-line code from the same steps, for any tree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import EXTRAS, random_body, random_state, random_tree

import korba as kb
from korba.codegen import CacheFolder, compile_program, evaluate_program
from korba.system.tree import tree_of
from korba.verbs.dynamics import chosen
from korba.verbs.repetition.dynamics import repeated

EPS = np.finfo(float).eps
RECURSIONS = {
    "inverse_dynamics": "newton-euler",
    "bias_forces": "newton-euler",
    "forward_dynamics": "articulated-body",
}
CASES = [
    pytest.param(0, {}, id="plain"),
    pytest.param(1, {"floating": True}, id="floating"),
    pytest.param(2, {"coupled": True}, id="coupled"),
    pytest.param(3, {"rotors": True}, id="rotors"),
]


def thicket(seed):
    """A tree in which some joint types appear three times, some turned round."""
    rng = np.random.default_rng(seed)
    kinds = rng.permutation(3 * ["revolute", "prismatic", "screw", "universal", "spherical"])
    bodies, joints = [], []
    for i, kind in enumerate(kinds):
        bodies.append(random_body(rng, f"b{i}"))
        ends = ["ground" if i == 0 else f"b{rng.integers(max(0, i - 6), i)}", f"b{i}"]
        if rng.random() < 0.4:
            ends.reverse()
        place = {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}
        more = dict(EXTRAS.get(kind, {}), damping=rng.uniform(0, 1))
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", *ends, **place, **more))
    return kb.Mechanism("thicket", bodies, joints)


def states(m, seed, count):
    """Coordinates (quaternions unit), velocities and a third array, for some states."""
    tree = tree_of(m)
    found = [random_state(tree, seed + i) for i in range(count)]
    return [np.array(arrays) for arrays in zip(*found, strict=True)]


def straight(verb, m):
    return getattr(kb, verb).program(m, formulation=RECURSIONS[verb])


def over_links(name, m):
    """The verb repeated over the links, few as they are."""
    verb = getattr(kb, name)
    system = verb.system(m)
    sizes = verb.sizes(system, verb.checked(m, {}))
    return repeated(name, chosen(name, RECURSIONS[name]), system, sizes)


def assert_same(found, expected, factor=1e5):
    assert_allclose(found, expected, rtol=0, atol=factor * EPS * np.abs(expected).max())


@pytest.mark.parametrize(("seed", "options"), CASES)
def test_repetitions_equal_straight_line_code(seed, options):
    """On trees with every joint type, inverse and forward dynamics agree to rounding."""
    m = random_tree(seed, **options).m
    inputs = states(m, seed, 3)
    for verb in RECURSIONS if not m.couplings else ("inverse_dynamics", "bias_forces"):
        given = inputs[:2] if verb == "bias_forces" else inputs
        repetition = over_links(verb, m)
        assert_same(
            evaluate_program(repetition, *given), evaluate_program(straight(verb, m), *given)
        )


@pytest.mark.parametrize("verb", ["inverse_dynamics", "forward_dynamics"])
def test_machine_code_of_links_that_share_steps(verb):
    """Where links of one type differ in their numbers, one step serves them all, compiled too."""
    m = thicket(1)
    repetition = over_links(verb, m)
    inputs = states(m, 5, 11)
    expected = evaluate_program(straight(verb, m), *inputs)
    f = compile_program(repetition, CacheFolder(None))
    assert_same(evaluate_program(repetition, *inputs), expected, 1e8)
    assert_same(f(*inputs), expected, 1e8)
    assert_same(f(*[x[0] for x in inputs]), expected[0], 1e8)
    assert f.signature.operations.total == repetition.operations.total


def test_loads_of_every_kind_act_in_repetitions():
    """Springs, dampers, motors, moments and forces in world and body axes, and the time."""
    body = random_tree(3).m
    hinge = next(joint.name for joint in body.joints if joint.type == "revolute")
    slide = next(joint.name for joint in body.joints if joint.type == "prismatic")
    forces = [
        kb.Spring("rod", "b2", (0.1, 0, 0), "b7", (0, 0.2, 0), stiffness=3.0, damping=0.4),
        kb.PointForce("push", "b5", ("sin(t)", "2", f"{hinge}"), at=(0.1, 0.2, 0.3)),
        kb.PointForce("follower", "b3", ("1", "0", f"v_{hinge}"), axes="body"),
        kb.Moment("twist", "b4", ("0.3", "t", "0")),
        kb.JointForce("stop", slide, stiffness=2.0, rest=0.1, damping=0.3),
        kb.Motor("motor", hinge, voltage="3*t", torque_constant=0.2, resistance=1.5),
    ]
    m = kb.Mechanism("loaded", body.bodies, body.joints, forces=forces)
    inputs = [*states(m, 2, 4), np.array([0.7])]
    for verb in ("inverse_dynamics", "forward_dynamics"):
        repetition = over_links(verb, m)
        expected = evaluate_program(straight(verb, m), *inputs)
        assert_same(evaluate_program(repetition, *inputs), expected)
        unloaded = kb.Mechanism("plain", body.bodies, body.joints)
        without = evaluate_program(straight(verb, unloaded), *inputs[:3])
        assert np.abs(without - expected).max() > 1e-3


@pytest.mark.parametrize("law", ["2*j4", "0.3*j4^2 - j2"])
def test_a_coupling_in_a_long_chain_is_kept_by_a_force(law):
    """Articulated bodies take couplings: as many operations more as there are links."""
    bodies = [kb.Body(f"b{i}", 1.0, (i + 0.5, 0, 0), (0.1, 0.1, 0.1)) for i in range(80)]
    ends = ["ground", *(body.name for body in bodies)]
    hinge = {"axis": (0, 1, 0)}
    joints = [kb.Revolute(f"j{i}", ends[i], ends[i + 1], at=(i, 0, 0), **hinge) for i in range(80)]
    m = kb.Mechanism("chain", bodies, joints, [kb.Coupling("c", "j5", law)])
    rng = np.random.default_rng(0)
    q, v, a = 0.1 * rng.normal(size=(3, m.nv))
    tau = kb.inverse_dynamics(m, q, v, a)
    condition = np.linalg.cond(kb.mass_matrix(m, q))
    found = kb.forward_dynamics(m, q, v, tau)
    assert_allclose(found, a, rtol=0, atol=1e-15 * condition * np.abs(a).max())
    assert kb.operations(kb.forward_dynamics, m).total < 80 * 800
