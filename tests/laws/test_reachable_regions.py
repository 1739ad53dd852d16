"""Areas and volumes that points reach, and areas that coupler curves enclose, in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb


def arm(first, second, **limits):
    """Two links in a row."""
    joints = [
        kb.Revolute("A", "ground", "upper", at=(0, 0)),
        kb.Revolute("B", "upper", "lower", at=(first, 0), **limits),
    ]
    bodies = [kb.Body("upper"), kb.Body("lower")]
    return kb.Mechanism("arm", bodies, joints, plane="xy"), (first + second, 0)


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_an_arm_reaches_an_annulus(seed):
    """pi ((a + b)^2 - (a - b)^2), though every place is reached in two ways."""
    a, b = np.random.default_rng(seed).uniform(0.2, 1.0, 2)
    m, end = arm(a, b)
    region = kb.reachable(m, "lower", end, over={"A": None, "B": None})
    assert_allclose(region.area, np.pi * ((a + b) ** 2 - (a - b) ** 2), rtol=2e-4)
    assert region.error < 1e-3 * region.area
    assert region.part == 1


def test_an_arm_with_limits_reaches_a_sector():
    """Half of the radii between those at both limits of the elbow, times the angle of the arm."""
    m, end = arm(0.5, 0.3, lower="40 deg", upper="100 deg")
    region = kb.reachable(m, "lower", end, over={"A": (0.2, 1.5), "B": None})
    first, second = (0.25 + 0.09 + 0.3 * np.cos(np.deg2rad(x)) for x in (40, 100))
    assert_allclose(region.area, 0.5 * 1.3 * (first - second), rtol=2e-4)


def test_a_linkage_with_loops_reaches_what_its_angles_say():
    """A parallelogram of two cranks: the point is a e^ix + b e^iy, its area ab times the integral
    of sin(y - x).
    """
    a, b, x, y = 0.5, 0.4, 0.6, 2.2
    A, C = a * np.array([np.cos(x), np.sin(x)]), b * np.array([np.cos(y), np.sin(y)])
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("C", "ground", "two", at=(0, 0)),
        kb.Revolute("AP", "one", "three", at=tuple(A)),
        kb.Revolute("CP", "two", "four", at=tuple(C)),
        kb.Revolute("P", "three", "four", at=tuple(A + C)),
    ]
    bodies = [kb.Body(name) for name in ("one", "two", "three", "four")]
    m = kb.Mechanism("parallelogram", bodies, joints, plane="xy")
    over = {"A": (-0.3, 0.4), "C": (-0.5, 0.2)}
    region = kb.reachable(m, "three", tuple(A + C), over=over, count=40)
    xs, ys = x + np.array(over["A"]), y + np.array(over["C"])
    whole = sum(
        sign * -np.sin(ys[i] - xs[j])
        for i, j, sign in ((1, 1, -1), (1, 0, 1), (0, 1, 1), (0, 0, -1))
    )
    assert_allclose(region.area, a * b * abs(whole), rtol=1e-5)


def test_an_arm_that_turns_and_slides_reaches_a_shell():
    """Two turns and a slide from r to R: 4 pi/3 (R^3 - r^3)."""
    joints = [
        kb.Revolute("A", "ground", "column", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Revolute("B", "column", "arm", at=(0, 0, 0), axis=(0, 1, 0)),
        kb.Prismatic("S", "arm", "tip", at=(0, 0, 0), axis=(1, 0, 0), lower=0.5, upper=0.9),
    ]
    m = kb.Mechanism("robot", [kb.Body(name) for name in ("column", "arm", "tip")], joints)
    over = {"A": None, "B": (-np.pi / 2, np.pi / 2), "S": None}
    region = kb.reachable(m, "tip", (0, 0, 0), over=over, count=16)
    assert_allclose(region.volume, 4 / 3 * np.pi * (0.9**3 - 0.5**3), rtol=5e-3)
    with pytest.raises(kb.StructureError, match="this region has no area"):
        _ = region.area


def trammel(p, q):
    """A rod whose ends slide on two axes, and a point of it p and q from them."""
    x, y = (p + q) * np.cos(0.5), (p + q) * np.sin(0.5)
    joints = [
        kb.Prismatic("X", "ground", "a", at=(x, 0), axis=(1, 0)),
        kb.Prismatic("Y", "ground", "b", at=(0, y), axis=(0, 1)),
        kb.Revolute("A", "a", "rod", at=(x, 0)),
        kb.Revolute("B", "b", "rod", at=(0, y)),
    ]
    share = q / (p + q)
    m = kb.Mechanism("trammel", [kb.Body(n) for n in ("a", "b", "rod")], joints, plane="xy")
    return m, (x * share, y * (1 - share))


def test_a_trammel_encloses_an_ellipse():
    """pi p q, and with the point beyond an end of the rod as well."""
    m, point = trammel(0.3, 0.2)
    curve = kb.coupler_curve(m, "rod", point, coordinate="A", count=36)
    assert_allclose(abs(curve.branches[0].area), np.pi * 0.3 * 0.2, rtol=1e-12)


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_coupler_curves_have_the_area_of_their_polygon(seed):
    """Of a crank-rocker: the area of a polygon of very many corners, with its sense."""
    rng = np.random.default_rng(seed)
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    point = tuple(rng.uniform(-0.3, 0.6, 2))
    name = m.joints[0].name
    few, many = (
        kb.coupler_curve(m, "coupler", point, coordinate=name, count=n).branches[0]
        for n in (90, 4000)
    )
    x, y = many.points[:, 0], many.points[:, 1]
    polygon = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    assert_allclose(few.area, polygon, rtol=0, atol=1e-5 * few.length**2)


def test_what_has_no_area_is_refused():
    """One coordinate, a range that is none, an open curve, an odd count."""
    m, end = arm(0.5, 0.3)
    with pytest.raises(kb.StructureError, match="needs 2 coordinates, got 1"):
        kb.reachable(m, "lower", end, over={"A": None})
    with pytest.raises(kb.StructureError, match="'B' needs a range from a lower to a higher"):
        kb.reachable(m, "lower", end, over={"A": None, "B": (1, 0)})
    with pytest.raises(kb.StructureError, match="expected an even number of steps"):
        kb.reachable(m, "lower", end, over={"A": None, "B": None}, count=9)
    four = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    rocker = [j.name for j in four.joints if j.joins("ground")][-1]
    curve = kb.coupler_curve(replace(four, drives=()), "coupler", (0, 0), coordinate=rocker)
    with pytest.raises(kb.StructureError, match="does not come back to its beginning"):
        _ = curve.branches[0].area
