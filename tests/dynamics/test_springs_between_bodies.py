"""Springs and dampers in series, bushings, moments between bodies, curves by a table."""

from __future__ import annotations

import numpy as np
import pytest
from element_references import EXACT, reference
from numpy.testing import assert_allclose

import korba as kb


def sled(known):
    """E3: a mass on a line, a Maxwell element to the wall, a spring and a force beside it."""
    d, start = known["data"], known["initial"]
    ends = ("ground", (-1, 0), "b", (0, 0))
    forces = [kb.SeriesSpring("M", *ends, d["k"], d["c"], start["s"])]
    forces += [kb.Spring("S", *ends, d["k2"], 1.0)] if d["k2"] else []
    forces += [kb.PointForce("F", "b", (d["F0"], 0))] if d["F0"] else []
    slide = kb.Prismatic("x", "ground", "b", at=(0, 0), axis=(1, 0))
    body = kb.Body("b", d["m"], inertia=1)
    return kb.Mechanism("sled", [body], [slide], forces=forces, plane="xy")


@pytest.mark.parametrize("name", ["e3_maxwell_element", "e3b_zener_element"])
def test_a_damper_in_series_is_exponentials(name):
    """E3: place, speed, elongation and force of the element to 1e-8 (exponentials, 30 digits)."""
    known = reference(name)
    m, t, start = sled(known), np.array(known["states"]["t"]), known["initial"]
    found = kb.simulate(m, t[-1], q={"x": start["x"]}, v={"x": start["v"]}, times=t, method=EXACT)
    x, v, s, f = np.array(known["results"]["values"]).T
    assert_allclose(found["x"], x, atol=1e-8)
    assert_allclose(found["v_x"], v, atol=1e-8)
    assert_allclose(found["s_M"], s, atol=1e-8)
    assert_allclose(known["data"]["k"] * found["s_M"], f, atol=1e-6)
    assert kb.loads(kb.dumps(m)) == m


def test_its_state_is_asked_of_a_run_only():
    """Forces at a state cannot know how far the spring is drawn: a sentence says so."""
    m = sled(reference("e3_maxwell_element"))
    with pytest.raises(
        kb.StructureError, match=r"'M': a series-spring with s as a state of its own"
    ):
        kb.forward_dynamics(m, [0.0], [0.0], [0.0])


def chain(*forces, gravity=(0, 0)):
    """Two links on pins."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0)),
    ]
    bodies = [kb.Body(name, 1.0, (x, 0), 0.1) for name, x in (("a", 0.5), ("b", 1.4))]
    return kb.Mechanism("chain", bodies, joints, forces=forces, plane="xy", gravity=gravity)


def test_a_bushing_of_turns_is_a_torsion_spring():
    """Between ground and the second link its angle is A + B, and so is its damping's rate."""
    torsion = kb.Bushing(
        "t", "ground", (0, 0), "b", (0, 0), [0, 0, 5, 0, 0, 0], [0, 0, 0.7, 0, 0, 0]
    )
    q, v = np.array([0.4, -1.1]), np.array([0.3, 0.9])
    taken = kb.inverse_dynamics(chain(torsion), q, v, 0 * v) - kb.inverse_dynamics(
        chain(), q, v, 0 * v
    )
    assert_allclose(taken, np.full(2, 5 * q.sum() + 0.7 * v.sum()), rtol=1e-12)


def test_a_moment_of_a_body_is_an_effort_in_its_joint():
    """Given by one body to the other, it is the effort of the joint that both have in common."""
    q, v, tau = [0.3, 0.8], [0.1, -0.4], [0.0, 2.5]
    given = kb.forward_dynamics(chain(), q, v, tau)
    between = chain(kb.Moment("M", "b", (0, 0, 2.5), "world", "a"))
    assert_allclose(kb.forward_dynamics(between, q, v, [0, 0]), given, rtol=1e-12)


def test_a_bushing_keeps_momentum_and_energy():
    """Two free bodies in space on a bushing: momentum stays, and with equal turning stiffnesses
    kinetic energy and that of the springs together.
    """
    K = [4, 4, 4, 30, 30, 30]
    bushing = kb.Bushing("b", "one", (0.2, 0, 0), "two", (0.2, 0, 0), K)
    bodies = [
        kb.Body("one", 1.0, (0, 0.1, 0), (0.1, 0.2, 0.25)),
        kb.Body("two", 2.0, (0.5, 0, 0), (0.3, 0.2, 0.3)),
    ]
    joints = [kb.Free(f"F{k}", "ground", body.name, at=(0, 0, 0)) for k, body in enumerate(bodies)]
    m = kb.Mechanism("pair", bodies, joints, forces=[bushing], gravity=(0, 0, 0))
    v = np.array([0.3, 0, 0.1, 0.2, -0.5, 0.4, -0.1, 0.2, 0.1, 0.6, 0.3, -0.2])
    run = kb.simulate(m, 2.0, v=v, times=9, method=EXACT)
    whole = np.asarray(kb.momentum(m, run))
    assert_allclose(whole, whole[[0] * 9], atol=1e-9)
    one, two = (np.asarray(kb.pose(m, run.q, name)) for name in ("one", "two"))
    R = np.swapaxes(one[:, :3, :3], -1, -2) @ two[:, :3, :3]
    d = np.linalg.norm((two - one)[:, :3] @ [0.2, 0, 0, 1], axis=-1)
    angle = np.arccos(np.clip((np.trace(R, axis1=-2, axis2=-1) - 1) / 2, -1, 1))
    energy = np.asarray(kb.energy(m, run)[0]) + 15 * d**2 + 2 * angle**2
    assert_allclose(energy, energy[0], rtol=1e-8)


def test_a_table_of_a_line_is_a_linear_spring():
    """Forces over lengths on a straight line are those of its stiffness; files keep the table."""
    ends = ("ground", (0.3, 0.4), "b", (1.5, 0))
    table = kb.Curve((0.0, 1.0, 3.0), (-40.0, 10.0, 110.0))
    one, two = chain(kb.Spring("s", *ends, curve=table)), chain(kb.Spring("s", *ends, 50, 0.8))
    state = [0.2, 0.5], [0.4, 0.1], [0, 0]
    assert_allclose(kb.forward_dynamics(one, *state), kb.forward_dynamics(two, *state), rtol=1e-12)
    assert kb.loads(kb.dumps(one)) == one
    motion = (
        kb.simulate(one, 0.5, times=3, method=EXACT),
        kb.simulate(two, 0.5, times=3, method=EXACT),
    )
    assert_allclose(motion[0].q, motion[1].q, atol=1e-9)


@pytest.mark.parametrize(
    ("force", "told"),
    [
        (lambda: kb.Bushing("f", "a", (0, 0), "b", (0, 0)), "stiffness: is missing"),
        (lambda: kb.Bushing("f", "a", (0, 0), "b", (0, 0), [1, 2, 3]), "six numbers, or 6 x 6"),
        (lambda: kb.Bushing("f", "a", (0, 0), "b", (0, 0), [-1] * 6), "negative number"),
        (lambda: kb.Bushing("f", "a", (0, 0), "c", (0, 0), [1] * 6), "there is no body 'c'"),
        (lambda: kb.SeriesSpring("f", "a", (0, 0), "b", (1, 0)), "stiffness: is missing"),
        (lambda: kb.SeriesSpring("f", "a", (0, 0), "b", (1, 0), 5, 0), "above 0"),
        (lambda: kb.SeriesSpring("f", "a", (1, 0), "b", (1, 0), 5, 1), "coincide"),
        (lambda: kb.Moment("f", "b", (0, 0, 1), "world", "c"), "there is no body 'c'"),
        (
            lambda: kb.Spring(
                "f", "a", (0, 0), "b", (1, 0), curve={"x": ["1 s", "2 s", "3 s"], "y": [0, 1, 4]}
            ),
            "curve: x: ",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(force, told):
    """Missing, negative or unknown values are told by the field of the load."""
    with pytest.raises(kb.ModelError, match=told):
        chain(force())
