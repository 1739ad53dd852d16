"""Cams by their lift, curved slots and Geneva drives of any sizes: motion, forces and energy."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose

import korba as kb

G = 9.81
RISES = ("harmonic", "cycloidal", "poly345", "poly4567", "trapezoid")
KINDS = ("roller", "arm", "flat", "face", "geneva", "inner", "slot")


def law(rng, size):
    """Up by any rise, a dwell, down by another, a dwell."""
    up, down = rng.choice(RISES, 2)
    first, rest = rng.uniform(80, 140), rng.uniform(5, 40)
    back = rng.uniform(90, 360 - first - rest - 5)
    fall = f"{down}((phi - {first + rest!r} deg)/({back!r} deg))"
    return f"{size}*({up}(phi/({first!r} deg)) - {fall})"


def pair(kind, rng):
    """A pair between `driver` on A at the origin and `led`, and the guide of that."""
    at, slide = {"at": (0, 0)}, kb.Prismatic("B", "ground", "led", at=(0, 0.06), axis=(0, 1))
    base = rng.uniform(0.05, 0.07)
    if kind in ("roller", "flat"):
        sizes = {"lift": law(rng, "9 mm"), "base": base, "x_axis": (0, 1)}
        if kind == "flat":
            return slide, kb.CamFlat("K", "driver", "led", **at, **sizes)
        e = float(rng.uniform(-0.01, 0.01))
        height = float(np.sqrt(base**2 - e**2))
        slide = kb.Prismatic("B", "ground", "led", at=(e, height), axis=(0, 1))
        return slide, kb.CamRoller("K", "driver", "led", **at, **sizes, offset=e, radius=0.01)
    if kind in ("arm", "face"):
        d = rng.uniform(0.1, 0.12)
        pivot = kb.Revolute("B", "ground", "led", at=(d, 0))
        sizes = {"swing": law(rng, "7 deg"), "base": base, "distance": d, "x_axis": (1, 0)}
        if kind == "face":
            return pivot, kb.CamFlat("K", "driver", "led", **at, **sizes, offset=0.004)
        more = {"arm": rng.uniform(0.08, 0.1), "radius": 0.01}
        return pivot, kb.CamRoller("K", "driver", "led", **at, **sizes, **more)
    if kind == "slot":
        y = f"0.05 + {rng.uniform(0.1, 0.4)!r}*s + 0.02*sin({rng.uniform(5, 20)!r}*s)"
        return slide, kb.CurvedSlot("K", "driver", "led", **at, x="s", y=y, drawn=(0, 0))
    slots = int(rng.integers(3, 9))
    a = rng.uniform(0.04, 0.08)
    pivot = kb.Revolute("B", "ground", "led", at=(a / np.sin(np.pi / slots), 0))
    inner = kind == "inner"
    return pivot, kb.Geneva("K", "driver", "led", **at, slots=slots, radius=a, inner=inner)


def made(kind, seed):
    """Driver and led body with random masses, under gravity."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    bodies = [
        kb.Body(name, rng.uniform(0.5, 2), com=rng.uniform(-0.1, 0.1, 2), inertia=rng.uniform(1, 3))
        for name in ("driver", "led")
    ]
    guide, joint = pair(kind, rng)
    if kind == "slot":  # the plate slides to and fro under a pin that only rises
        plate = kb.Prismatic("A", "ground", "driver", at=(0, 0), axis=(1, 0))
        law_of_A = "0.05*sin(3*t)"
        guide = kb.Prismatic("B", "ground", "led", at=(0, 0.05), axis=(0, 1))
        joints = [plate, guide, joint]
    else:
        joints = [kb.Revolute("A", "ground", "driver", at=(0, 0)), guide, joint]
        law_of_A = f"{rng.uniform(3, 6)!r}*t + 0.3*sin(2*t)"
    drives = [kb.JointDrive("motor", "A", law_of_A)]
    return kb.Mechanism(kind, bodies, joints, drives=drives, plane="xy"), rng


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some(1, 1000))
def test_motion_forces_and_power(kind, seed):
    """Rates are those of positions, methods agree, and the motor's power is that of the energy."""
    m, rng = made(kind, seed)
    assert kb.mobility(m).actual == 1
    h = 1e-5
    middle = rng.uniform(0.1, 1.2, 3)
    t = np.sort(np.concatenate([middle - h, middle, middle + h]))
    motion = kb.motion(m, t)
    assert motion.audit.residual < 1e-11
    at, before, after = (np.searchsorted(t, middle + k * h) for k in (0, -1, 1))
    at = before + 1
    for rate, of in ((motion.v, motion.q), (motion.a, motion.v)):
        found = (of[after] - of[before]) / (2 * h)
        size = 1 + np.abs(rate).max()
        near = np.abs(motion.a[after] - motion.a[before]).max(axis=1) < 1e-2 * size
        assert_allclose(found[near], rate[at][near], atol=2e-4 * size)
    whole = kb.driving_forces(m, motion, method="multipliers")["motor"]
    for method in ("groups", "virtual-work"):
        own = kb.driving_forces(m, motion, method=method)["motor"]
        assert_allclose(own, whole, atol=1e-8 * (1 + np.abs(whole).max()))
    energy = np.sum(kb.energy(m, motion), axis=0)
    power = (energy[after] - energy[before]) / (2 * h)
    own = whole * motion["v_A"]
    near = np.abs(own[after] - own[before]) < 1e-2 * (1 + np.abs(own).max())
    assert_allclose(power[near], own[at][near], atol=1e-4 * (1 + np.abs(own).max()))
