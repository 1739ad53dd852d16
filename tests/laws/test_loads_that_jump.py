"""Loads that jump with the sign of a velocity hold it at rest, as dry friction so strong does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

TIGHT = kb.Method(rtol=1e-11, atol=1e-12)


def chain(seed, brakes):
    """A slide and two links on it, under gravity and pushes in time, with brakes or friction."""
    r = np.random.default_rng(seed)
    rubs = [kb.Friction(effort=b) if brakes is None else None for b in sizes(seed)]
    joints = [
        kb.Prismatic("x", "ground", "slide", at=(0, 0), axis=(1, 0), friction=rubs[0]),
        kb.Revolute("A", "slide", "one", at=(0, 0), friction=rubs[1]),
        kb.Revolute("B", "one", "two", at=(0.3, 0), friction=rubs[2]),
    ]
    bodies = [
        kb.Body(
            name, r.uniform(0.5, 2), com=(at, r.uniform(-0.1, 0.1)), inertia=r.uniform(0.01, 0.1)
        )
        for name, at in (("slide", 0.0), ("one", 0.2), ("two", 0.5))
    ]
    pushes = [
        kb.JointForce(f"push {j.name}", j.name, law=f"{s * r.uniform(0.5, 4)}*sin({w}*t)")
        for j, s, w in zip(joints, (2, 1, 0.5), r.uniform(1, 6, 3), strict=True)
    ]
    forces = [*pushes, *(brakes or [])]
    return kb.Mechanism("chain", bodies, joints, forces=forces, plane="xy", gravity=(0, -1.0))


def sizes(seed):
    """How strong the brakes of a chain are."""
    return np.random.default_rng([seed, 1]).uniform([0.5, 0.2, 0.1], [6, 2, 1])


def brakes_of(seed, way):
    """Those brakes as loads, or as given forces."""
    laws = {
        "law": "-{b}*sign(v)",
        "comparison": "where(v < 0, {b}, -{b})",
        "tau": "-{b}*sign(v_{name})",
    }
    made = {n: laws[way].format(b=b, name=n) for n, b in zip("xAB", sizes(seed), strict=True)}
    if way == "tau":
        return [], made
    return [kb.JointForce(f"brake {n}", n, law=law) for n, law in made.items()], None


@pytest.mark.parametrize("way", ["law", "tau", "comparison"])
@pytest.mark.parametrize("seed", seeds(0.02))
def test_brakes_hold_as_friction_does(seed, way):
    """A chain with brakes halts, rests and slips again where it does with friction so strong."""
    loads, tau = brakes_of(seed, way)
    rough = kb.simulate(chain(seed, None), 2.0, times=41, method=TIGHT, events="friction")
    braked = kb.simulate(chain(seed, loads), 2.0, times=41, method=TIGHT, tau=tau)
    assert [e.name for e in braked.events] == [e.name for e in rough.events]
    assert_allclose(braked.events.t, rough.events.t, atol=1e-8)
    assert_allclose(braked.q, rough.q, atol=1e-8)
    assert_allclose(braked["sticks_A"], rough["sticks_A"])
    assert braked.audit.energy < 1e-8


@pytest.mark.parametrize("seed", seeds(0.02))
def test_brakes_beside_friction_add_up(seed):
    """A brake and dry friction on the same joint are dry friction of both together."""
    b = sizes(seed)
    joints = tuple(
        replace(j, friction=kb.Friction(effort=0.5 * x))
        for j, x in zip(chain(seed, []).joints, b, strict=True)
    )
    half = [
        kb.JointForce(f"brake {n}", n, law=f"-{0.5 * x}*sign(v)")
        for n, x in zip("xAB", b, strict=True)
    ]
    m = replace(chain(seed, half), joints=joints)
    rough = kb.simulate(chain(seed, None), 2.0, times=41, method=TIGHT, events="friction")
    both = kb.simulate(m, 2.0, times=41, method=TIGHT, events="friction")
    assert_allclose(both.q, rough.q, atol=1e-8)


@pytest.mark.parametrize("method", ["dop853", "stiff", kb.Method("rk4", step=1e-3)])
@pytest.mark.parametrize("seed", seeds(0.02))
def test_a_braked_block_comes_to_rest_as_its_closed_form_does(seed, method):
    """It stops after v m / b, rests while the push is below the brake, and slips from there on."""
    r = np.random.default_rng(seed)
    mass, v, b, slope = r.uniform(0.5, 3), r.uniform(0.5, 2), r.uniform(2, 6), r.uniform(0.5, 2)
    x = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(1, 0))
    begins = mass * v / b + 0.5
    push = f"where(t < {begins}, 0, {slope}*(t - {begins}))"
    forces = [
        kb.JointForce("brake", "x", law=f"-{b}*sign(v)"),
        kb.JointForce("push", "x", law=push),
    ]
    m = kb.Mechanism("m", [kb.Body("block", mass)], [x], forces=forces, plane="xy", gravity=(0, 0))
    again = begins + b / slope
    run = kb.simulate(m, again + 1.0, v={"x": v}, method=method)
    halts, slips = run.events["x halts"].t, run.events["x slips"].t
    assert_allclose([halts[0], slips[0]], [mass * v / b, again], atol=1e-8)
    assert_allclose(run.q[-1], 0.5 * mass * v * v / b + slope / (6 * mass), rtol=1e-6)


@pytest.mark.parametrize("seed", seeds(0.01))
def test_brakes_are_the_limit_of_smooth_ones(seed):
    """Uneven brakes move a chain as far as steep ones without a jump do, but for their creep."""
    r = np.random.default_rng([seed, 2])
    pairs = {n: (b, b * r.uniform(0.5, 1.5)) for n, b in zip("xAB", sizes(seed), strict=True)}
    jumps = [kb.JointForce(n, n, law=f"where(v < 0, {a}, -{b})") for n, (a, b) in pairs.items()]
    smooth = [
        kb.JointForce(n, n, law=f"{(a - b) / 2} - {(a + b) / 2}*tanh(v/1e-5)")
        for n, (a, b) in pairs.items()
    ]
    one = kb.simulate(chain(seed, jumps), 1.0, times=11)
    other = kb.simulate(chain(seed, smooth), 1.0, times=11, method="stiff")
    assert_allclose(one.q, other.q, atol=2e-4)


def test_a_drag_on_a_slider_is_one_in_its_slide():
    """A force on the slider that asks for the sign of its speed holds the whole slider-crank."""
    m = kb.linkages.slider_crank(0.1, 0.3)
    bodies = tuple(replace(b, mass=1.0, inertia=0.01 * np.eye(3)) for b in m.bodies)
    push = kb.JointForce("push", "A", law="1.5*sin(3*t)")
    drag = kb.PointForce("drag", "slider", force=("-20*sign(v_slide)", 0))
    brake = kb.JointForce("drag", "slide", law="-20*sign(v)")
    m = replace(m, bodies=bodies, drives=(), gravity=(0, 0, 0))
    machines = [replace(m, forces=(push, each)) for each in (drag, brake)]
    how = {"v": {"A": 2.0}, "times": 31, "method": TIGHT}
    one, other = (kb.simulate(each, 3.0, **how) for each in machines)
    assert_allclose(one.q, other.q, atol=1e-8)
    assert len(one.events["slide halts"]) == 2
    for each in machines:
        assert_allclose(kb.run_up(each, "A", one.t, speed=2.0).q, one.q, atol=1e-7)


@pytest.mark.parametrize("seed", seeds(0.01))
def test_brakes_on_a_loop_are_friction_on_a_loop(seed):
    """Brakes on crank and slide of a slider-crank hold together as dry friction there does."""
    r = np.random.default_rng(seed)
    b, moment = r.uniform([0.1, 1], [0.5, 5]), r.uniform(0.5, 3)

    def machine(rough):
        rubs = [kb.Friction(effort=x) if rough else None for x in b]
        m = kb.linkages.slider_crank(0.1, 0.3)
        joints = {j.name: j for j in m.joints}
        slide = next(j.name for j in m.joints if j.type == "prismatic")
        joints["A"] = replace(joints["A"], friction=rubs[0])
        joints[slide] = replace(joints[slide], friction=rubs[1])
        forces = [kb.JointForce("push", "A", law=f"{moment}*sin(3*t)")]
        if not rough:
            forces += [
                kb.JointForce(f"brake {n}", n, law=f"-{x}*sign(v)")
                for n, x in zip(("A", slide), b, strict=True)
            ]
        return replace(m, joints=tuple(joints.values()), forces=tuple(forces), drives=())

    rough = kb.simulate(machine(True), 2.0, times=21, method=TIGHT, events="friction")
    braked = kb.simulate(machine(False), 2.0, times=21, method=TIGHT)
    assert_allclose(braked.q, rough.q, atol=1e-7)
    assert [e.name for e in braked.events] == [e.name for e in rough.events]


@pytest.mark.parametrize("seed", seeds(0.01))
def test_brakes_behind_gears_count_by_their_ratio(seed):
    """A brake on a joint that a coupling moves is one of ratio times the size before the gear."""
    r = np.random.default_rng(seed)
    ratio, b = r.uniform(0.3, 3) * r.choice([-1, 1]), r.uniform(0.2, 1.0)

    def geared(*forces):
        joints = [kb.Revolute(n, "ground", n, at=(k, 0)) for k, n in enumerate("AB")]
        bodies = [kb.Body(n, 1.0, inertia=0.1) for n in "AB"]
        push = kb.JointForce("push", "A", law="2*sin(2*t)")
        gear = kb.Coupling("gear", "B", f"{ratio}*A")
        return kb.Mechanism(
            "m", bodies, joints, forces=[push, *forces], couplings=[gear], plane="xy"
        )

    behind = kb.simulate(geared(kb.JointForce("b", "B", law=f"-{b}*sign(v)")), 3.0, times=31)
    before = kb.simulate(
        geared(kb.JointForce("b", "A", law=f"-{b * abs(ratio)}*sign(v)")), 3.0, times=31
    )
    assert_allclose(behind.q, before.q, atol=1e-9)
    assert len(behind.events["A halts"]) >= 1


def test_many_braked_runs_are_those_of_each_alone():
    """In lanes every run halts and slips when it does alone."""
    m = chain(3, brakes_of(3, "law")[0])
    v = np.random.default_rng(3).normal(size=(7, 3))
    many = kb.simulate(m, 1.5, q=np.zeros(3), v=v, times=16)
    for k in range(len(v)):
        alone = kb.simulate(m, 1.5, q=np.zeros(3), v=v[k], times=16)
        assert_allclose(many.q[k], alone.q, atol=1e-9)


def test_what_drives_ahead_holds_nothing():
    """A load that pushes the way it goes does not stick: the least push decides the side."""
    x = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(1, 0))
    forces = [kb.JointForce("ahead", "x", law="2*sign(v)"), kb.JointForce("push", "x", law="-0.1")]
    m = kb.Mechanism("m", [kb.Body("block", 1)], [x], forces=forces, plane="xy", gravity=(0, 0))
    assert_allclose(kb.simulate(m, 2.0).q[-1], -0.5 * 2.1 * 4, rtol=1e-9)


def cart(*forces, arm=0.0):
    """A slide with an arm, under a push that comes and goes."""
    x = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(1, 0))
    turn = kb.Revolute("A", "block", "arm", at=(0, 0))
    bodies = [kb.Body("block", 1), kb.Body("arm", 1, com=(arm, 0), inertia=0.1)]
    loads = [kb.JointForce("push", "x", law="3*sin(2*t)"), *forces]
    return kb.Mechanism("cart", bodies, [x, turn], forces=loads, plane="xy", gravity=(0, 0))


def test_a_force_on_a_body_holds_as_one_in_the_joint_does():
    """A drag through the pin of an arm on a slide brakes the slide, however the arm turns."""
    at = {"v": [0.7, 3.0], "times": 61, "method": TIGHT}
    drag = kb.PointForce("drag", "arm", force=("-2*sign(v_x)", 0))
    brake = kb.JointForce("brake", "x", law="-2*sign(v)")
    one, other = (kb.simulate(cart(each), 6.0, **at) for each in (drag, brake))
    assert_allclose(one.q, other.q, atol=1e-9)
    assert [e.name for e in one.events] == [e.name for e in other.events]
    assert len(one.events["x halts"]) >= 2


@pytest.mark.parametrize("seed", seeds(0.02))
def test_what_jumps_together_holds_together(seed):
    """Of two forces with one sign the one that does not hold keeps its part, as smooth ones do."""
    r = np.random.default_rng(seed)
    b, c, at = r.uniform(2, 3), r.uniform(-0.5, 0.5), tuple(r.uniform(-0.2, 0.2, 2))

    def run(sign, **how):
        forces = [
            kb.JointForce("brake", "x", law=f"-{b}*{sign.format('v')}"),
            kb.JointForce("turn", "A", law=f"{c}*{sign.format('v_x')} - 0.05*sign(v)"),
            kb.PointForce("drag", "arm", at=at, force=(f"-0.4*{sign.format('v_x')}", 0)),
        ]
        return kb.simulate(cart(*forces, arm=0.1), 2.0, v=[0.1, 1.0], times=21, **how)

    jumps, smooth = run("sign({})"), run("tanh({}/1e-6)", method="stiff")
    assert len(jumps.events["x halts"]) >= 1
    assert_allclose(jumps.q, smooth.q, atol=1e-4)
    assert jumps.audit.energy < 1e-6


def test_friction_and_what_jumps_elsewhere_too_is_refused():
    """Where friction holds a joint whose sign others follow, their part is open: an error."""
    m = cart(kb.JointForce("b", "x", law="-sign(v)"), kb.JointForce("turn", "A", law="sign(v_x)"))
    rough = replace(m.joints[0], friction=kb.Friction(effort=1.0))
    with pytest.raises(kb.StructureError, match="loads on other joints jump with the sign of v_x"):
        kb.simulate(replace(m, joints=(rough, m.joints[1])), 1.0, events="friction")


@pytest.mark.parametrize(("method", "many"), [("dop853", 0), ("dop853", 1), ("stiff", 0)])
def test_what_cannot_be_decided_ends_with_the_name_of_the_load(method, many):
    """A brake on the one joint that asks for the sum of both speeds: the run says which it is."""
    m = cart(kb.JointForce("hand", "x", law="-4*sign(v_x + 0.01*v_A)"))
    v = np.outer(np.arange(1, 4), [1, 0.1]) if many else [1, 0.1]
    with pytest.raises(kb.SimulationError, match="'hand' jumps"):
        kb.simulate(m, 5.0, q=[0, 0], v=v, times=11, method=method)
