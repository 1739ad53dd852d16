"""Mechanisms of many loops, solved in pieces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from driven_linkages import bodies, on_the_circle, rates_are_derivatives, rssr
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program
from korba.positions import loop_system as loops
from korba.positions.loop_system import loop_system
from korba.solve.motion import loops_of

FILES = Path(__file__).parents[2] / "examples" / "structure"


def chain(count, law):
    """Four-bars in a row: the rocker of each is the crank of the next."""
    parts, joints, crank = bodies("r0"), [], "r0"
    joints.append(kb.Revolute("A", "ground", crank, at=(0, 0)))
    angle = np.pi / 2
    for k in range(1, count + 1):
        A = np.array([0.8 * (k - 1), 0.0])
        B, D = A + 0.2 * np.array([np.cos(angle), np.sin(angle)]), A + np.array([0.8, 0])
        half = 0.5 * np.linalg.norm(D - B)
        up = np.array([-(D - B)[1], (D - B)[0]]) / (2 * half)
        C = 0.5 * (B + D) + np.sqrt(0.36 - half**2) * up
        angle = np.arctan2(*(C - D)[::-1])
        parts += bodies(f"b{k}", f"r{k}")
        joints += [
            kb.Revolute(f"B{k}", crank, f"b{k}", at=B),
            kb.Revolute(f"C{k}", f"b{k}", f"r{k}", at=C),
            kb.Revolute(f"D{k}", "ground", f"r{k}", at=D),
        ]
        crank = f"r{k}"
    drives = [kb.JointDrive("d", "A", law)]
    return kb.Mechanism(f"chain of {count}", parts, joints, plane="xy", drives=drives)


def test_a_long_chain_moves_as_its_four_bars_one_after_the_other():
    """In 100 four-bars every rocker has the angle that two circles give from the one before."""
    done = kb.motion(chain(100, "0.4*sin(t)"), np.linspace(0, 2, 101))
    assert loops_of(done).solvable
    assert done.audit.residual < loops_of(done).rounding
    theta = np.pi / 2 + done["A"]
    for k in range(1, 101):
        angle = on_the_circle(0.2, (0.6, 0.6, 0.8), theta)
        theta = angle
        assert_allclose(done[f"D{k}"], angle - angle[0] + done[f"D{k}"][0], atol=1e-13 * (k + 10))
    rates_are_derivatives(done)
    point = done.point("r100", (80.0, 0.3))
    assert np.isfinite(point.acceleration).all()


def without_idle_turn():
    """The spatial four-bar with a universal joint, which keeps the rod from turning idly."""
    m = rssr("0.1*sin(t)")
    C = kb.Universal("C", "rod", "rocker", at=(0.9, 0.3, 0.5), axis=(0, 1, 0), x_axis=(1, 0, 0))
    return replace(m, joints=[C if joint.name == "C" else joint for joint in m.joints])


def from_file(name, *driven):
    m = kb.load(FILES / f"{name}.toml")
    return replace(m, drives=[kb.JointDrive(f"drive {c}", c, "0.1*sin(t)") for c in driven])


WHOLE = {
    "valve gear": lambda: from_file("fig_1_10a_valve_gear", "A"),
    "manipulator": lambda: from_file("fig_1_12_parallel_manipulator", "A", "B", "C"),
    "spherical": lambda: from_file("fig_1_21d_spherical_four_bar", "A"),
    "ball joint": without_idle_turn,
}


@pytest.mark.parametrize("name", WHOLE)
def test_pieces_give_what_the_whole_gives(name, monkeypatch):
    """Residuals, Newton steps and rates of a system in pieces equal those of the whole."""
    m = WHOLE[name]()
    whole = loop_system(m)
    assert whole.pieces is None
    monkeypatch.setattr(loops, "MANY", 1)
    pieces = loop_system(replace(m))
    assert pieces.solvable
    rng = np.random.default_rng(1)
    q = whole.tree.normalised(whole.drawn + 0.01 * rng.normal(size=(3, len(whole.drawn))))
    wanted, clock = 0.01 * rng.normal(size=whole.wanted), np.array([0.3, 1.0])
    for key, inputs in {
        "residuals": (q, wanted, clock),
        "newton": (q, wanted, clock),
        "rates": (q, wanted, wanted, clock),
    }.items():
        one = evaluate_program(getattr(whole, key).program, *inputs)
        two = evaluate_program(getattr(pieces, key).program, *inputs)
        if key == "residuals":
            one, two = ([np.linalg.norm(x, axis=1)] for x in (one, two))
        for a, b in list(zip(one, two, strict=True))[: 2 if key == "newton" else 3]:
            assert_allclose(b, a, rtol=1e-9, atol=1e-11)
