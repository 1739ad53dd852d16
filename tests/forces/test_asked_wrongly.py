"""What is asked in other words, or wrongly, of forces, reduced models and counterweights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

ENGINE = kb.linkages.slider_crank(0.05, 0.2)
FOUR_BAR = kb.linkages.four_bar(0.08, 0.25, 0.2, 0.28)


def at_dead_centre():
    """A slider-crank drawn with crank and rod in line."""
    at = {"A": (0, 0), "B": (0.05, 0), "C": (0.25, 0)}
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "piston")]
    joints = [kb.Revolute(n, *e, at=p) for (n, p), e in zip(at.items(), ends, strict=True)]
    joints.append(kb.Prismatic("G", "ground", "piston", at=(0.25, 0), axis=(1, 0)))
    bodies = [kb.Body(name, 1.0, inertia=0.01) for name in ("crank", "rod", "piston")]
    return kb.Mechanism("engine", bodies, joints, plane="xy")


def moment(given):
    """A crank under a moment."""
    force = kb.Moment("load", "crank", given)
    joint = kb.Revolute("A", "ground", "crank", at=(0, 0))
    return kb.Mechanism("crank", [kb.Body("crank")], [joint], forces=[force], plane="xy")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: kb.reactions(ENGINE), r"give q, v, a of all joints, or a motion: kb.reactions\(m"),
        (lambda: forces().driving["motor"], "no drive 'motor' here; there are drive A"),
        (lambda: forces().losses["A"], "no joint with friction 'A' here, nor any other"),
        (lambda: kb.course.mesh_efficiency(0.1, 0, 60), "numbers of teeth above 0, got 0"),
        (lambda: moment("-15"), r"such as \[0, 0, 15\], got '-15'"),
        (lambda: kb.reduce(ENGINE, "A")("3 mm"), "x: expected an angle .*, got '3 mm'"),
        (
            lambda: kb.reduce(at_dead_centre(), "G"),
            "dead centre of G.* another coordinate: A, B, C",
        ),
        (lambda: forces()["A"].about((1, 2, 3, 4)), "expected two or three components"),
        (lambda: kb.balance(FOUR_BAR, bodies="bar"), "no body 'bar'; there are crank, coupler"),
    ],
)
def test_the_way_out_is_said(ask, said):
    """In a sentence, as an error of Korba."""
    with pytest.raises(kb.KorbaError, match=said):
        ask()


def forces():
    """Of the engine at one position."""
    return kb.reactions(ENGINE, kb.motion(ENGINE, [0.0]))


def test_other_words_mean_the_same():
    """One name in place of a list, one mass of all, quantities with units, points of the plane."""
    one, two = (kb.balance(FOUR_BAR, bodies=on, mass=0.5) for on in ("crank", ("crank",)))
    assert str(one) == str(two)
    both = kb.balance(FOUR_BAR, mass={"crank": 0.5, "rocker": 0.5})
    assert str(kb.balance(FOUR_BAR, mass=0.5)) == str(both)
    r = kb.reduce(ENGINE, "A")
    assert r("30 deg", "60 rpm").inertia == r(np.pi / 6, 2 * np.pi).inertia
    A = forces()["A"]
    assert_allclose(A.about((1, 2)).moment, A.about((1, 2, 0)).moment)
    assert_allclose(A.in_joint().about((1, 2)).in_world().moment, A.about((1, 2)).moment)
    assert_allclose(np.cross(A.line.point - A.point, A.force), A.moment, rtol=0, atol=1e-15)


def test_what_is_shown():
    """No rounding in place of 0; what tables of a reduced model are of."""
    assert "e-1" not in str(forces())
    assert "loads at speed 0" in str(kb.reduce(ENGINE, "A"))
