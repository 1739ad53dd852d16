"""Springs whose ends meet: linear ones of free length 0 pass, others say so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

KNOWN = json.loads((Path(__file__).parent / "e2_zero_length_spring.json").read_text())
TIMES = np.array(KNOWN["states"]["t"])
EXACT = kb.Method("dop853", rtol=1e-12, atol=1e-13)


def on_a_spring(**more):
    """A ball in the plane on a spring from the origin, drawn there."""
    d = KNOWN["data"]
    ball = kb.Body("ball", d["m"], (0, 0), 1e-3)
    spring = kb.Spring("s", "ground", (0, 0), "ball", (0, 0), stiffness=d["k"], **more)
    return kb.Mechanism(
        "orbit", [ball], [kb.Planar("P", "ground", "ball", at=(0, 0))], forces=[spring], plane="xy"
    )


def run(m, q, v):
    """At the times of the reference."""
    return kb.simulate(m, float(TIMES[-1]), q=q, v=v, times=TIMES, method=EXACT)


def test_it_goes_round_on_an_ellipse():
    """The orbit about the place where the weight hangs, to 1e-9 (e2)."""
    x, v = KNOWN["initial"]["orbit"]["x"], KNOWN["initial"]["orbit"]["v"]
    found = run(on_a_spring(), [*x, 0], [*v, 0])
    assert_allclose(found.q[:, :2], KNOWN["results"]["orbit"], atol=1e-9)


def test_it_passes_through_its_anchor():
    """Along a line through the anchor, and from the anchor itself, x = (v0 / w) sin(w t) (e2)."""
    m = replace(on_a_spring(), gravity=(0, 0, 0))
    found = run(m, [KNOWN["data"]["r0"], 0, 0], [0, 0, 0])
    assert_allclose(found.q[:, 0], KNOWN["results"]["through_x"], atol=1e-9)
    w = np.sqrt(KNOWN["data"]["k"] / KNOWN["data"]["m"])
    assert_allclose(run(m, [0, 0, 0], [1, 0, 0]).q[:, 0], np.sin(w * TIMES) / w, atol=1e-9)


def test_two_balls_swing_about_each_other():
    """Two free balls in space, their centre at rest, to 1e-9 (e2)."""
    p, start = KNOWN["data"]["pair"], KNOWN["initial"]["pair"]
    shares = np.array([-p["m2"], p["m1"]]) / (p["m1"] + p["m2"])
    bodies = [kb.Body(x, p[f"m{i}"], inertia=(0.1, 0.1, 0.1)) for i, x in ((1, "a"), (2, "b"))]
    spring = kb.Spring("s", "a", (0, 0, 0), "b", (0, 0, 0), stiffness=p["k"])
    joints = [kb.Free("A", "ground", "a"), kb.Free("B", "ground", "b")]
    m = kb.Mechanism("pair", bodies, joints, forces=[spring], gravity=(0, 0, 0))
    q = np.concatenate([[*(x * np.array(start["r"])), 1, 0, 0, 0] for x in shares])
    v = np.concatenate([[0, 0, 0, *(x * np.array(start["v"]))] for x in shares])
    found = run(m, q, v)
    assert_allclose(found.q[:, 7:10] - found.q[:, :3], KNOWN["results"]["pair_r"], atol=1e-9)


@pytest.mark.parametrize("more", [{"free_length": 0.1}, {"damping": 2.0}, {"law": "3 N"}])
def test_others_have_no_direction_where_their_ends_meet(more):
    """In the drawing it is a fault; in a verb and in a run the error names the spring."""
    with pytest.raises(kb.ModelError, match="'s': its two points coincide"):
        on_a_spring(**more)
    ball = kb.Body("ball", 0.5, inertia=1e-3, frame=kb.Frame((0.5, 0, 0)))
    spring = kb.Spring("s", "ground", (0, 0), "ball", (0, 0), stiffness=40, **more)
    joint = kb.Planar("P", "ground", "ball", at=(0, 0))
    m = kb.Mechanism("m", [ball], [joint], forces=[spring], plane="xy")
    with pytest.raises(kb.KorbaError, match="two points of force 's' meet there"):
        kb.forward_dynamics(m, [-0.5, 0, 0], [0, 0, 0], [0, 0, 0])
    with pytest.raises(kb.SimulationError, match="two points of force 's' meet there"):
        kb.simulate(m, 1.0, q=[-0.5, 0, 0], v=[0, 0, 0])
