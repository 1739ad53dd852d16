"""Fig. 1.25 of Gronowicz: the force that inexact sizes cause in the drive of the IRb robot.

The printed ranges of force cannot be met by any choice of signs; the reference numbers below are
those of the specification, half a grade of ISO 286 with chosen signs, and an independent formula.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

FILE = Path(__file__).resolve().parents[2] / "examples/structure/fig_1_25_irb_parallelograms.toml"

SIZES = {
    "AB": ("crank 1", "A", "B"),
    "BC": ("rod 2", "B", "C"),
    "CD": ("crank 3", "D", "C"),
    "AD": ("ground", "A", "D"),
    "AE": ("crank 1", "A", "E"),
    "DF": ("crank 3", "D", "F"),
    "EF": ("rod 4", "E", "F"),
}
SIGNS = {"AB": 1, "BC": 1, "CD": -1, "AD": -1, "AE": 1, "DF": 1, "EF": 1}
LENGTHS = {name: 0.45 if name in ("AD", "BC", "EF") else 0.06 for name in SIZES}
GRADES = {"IT5": (13e-6, 27e-6), "IT8": (46e-6, 97e-6)}


def half_grade(grade):
    """Deviations of half a grade, by size: 60 mm and 450 mm have their own."""
    small, large = GRADES[grade]
    return {
        name: sign * (large if LENGTHS[name] > 0.1 else small) / 2 for name, sign in SIGNS.items()
    }


def effect(deviations, degrees, **options):
    given = {SIZES[name]: value for name, value in deviations.items()}
    angles = np.radians(degrees)
    return kb.size_deviations(kb.load(FILE), "A", angles, given, SIZES["EF"], area=1e-4, **options)


def misfit_by_hand(deviations, phi):
    """|EF| less the length of link 4, from two circles; the triangles are right-angled at A, D."""
    size = {name: LENGTHS[name] + deviations.get(name, 0.0) for name in LENGTHS}
    B = size["AB"] * np.array([np.cos(phi), np.sin(phi)])
    D = np.array([size["AD"], 0.0])
    to_B = np.linalg.norm(B - D)
    along = (size["CD"] ** 2 - size["BC"] ** 2 + to_B**2) / (2 * to_B)
    across = np.sqrt(size["CD"] ** 2 - along**2)
    u = (B - D) / to_B
    n = np.array([u[1], -u[0]])
    C = along * u + across * n  # from D
    E = size["AE"] * np.array([-np.sin(phi), np.cos(phi)])
    F = D + size["DF"] / size["CD"] * np.array([-C[1], C[0]])
    return np.linalg.norm(F - E) - size["EF"]


@pytest.mark.parametrize(("grade", "forces"), [("IT5", [12.2, -2.6]), ("IT8", [45.7, -9.5])])
def test_reference_forces(grade, forces):
    """At 8 and 152 degrees the forces are those of the specification, to its digits."""
    assert_allclose(effect(half_grade(grade), [8, 152], exact=True).force / 1e3, forces, atol=0.05)


@pytest.mark.parametrize("grade", GRADES)
def test_exact_misfit_by_hand(grade):
    """The exact misfit is that of two intersecting circles."""
    degrees = [8, 30, 75, 110, 152, 170]
    by_hand = [misfit_by_hand(half_grade(grade), phi) for phi in np.radians(degrees)]
    found = effect(half_grade(grade), degrees, exact=True)
    assert_allclose(found.dl, by_hand, rtol=0, atol=1e-12)
    assert_allclose(found.force, 2.1e11 * 1e-4 * found.dl / 0.45, rtol=1e-14)


@pytest.mark.parametrize("name", SIZES)
def test_first_order_is_the_derivative_by_each_size(name):
    """The linear misfit of one size is the derivative of the one by hand."""
    degrees, h = [25, 70, 140], 1e-6
    slopes = [
        (misfit_by_hand({name: h}, phi) - misfit_by_hand({name: -h}, phi)) / (2 * h)
        for phi in np.radians(degrees)
    ]
    assert_allclose(effect({name: 1.0}, degrees).dl, slopes, rtol=1e-5, atol=1e-7)


def test_misfit_changes_sign_once_and_grows_near_dead_positions():
    """Over half a turn the misfit is zero once; towards 0 and 180 degrees it goes as 1/sin."""
    dl = effect(half_grade("IT5"), np.linspace(2, 178, 89)).dl
    assert np.count_nonzero(np.diff(np.sign(dl))) == 1
    assert abs(dl[0]) > 5 * abs(dl[10])
    assert abs(dl[-1]) > 5 * abs(dl[-11])
    near = np.array([1.0, 0.5, 0.25])
    growth = effect(half_grade("IT5"), near).dl * np.sin(np.radians(near))
    assert_allclose(growth, growth[0], rtol=0.05)


def test_equal_deviations_of_equal_sizes_do_no_harm():
    """Sizes that stay equal to each other keep the conditions (1.16), so nothing is forced."""
    same = {name: 20e-6 if LENGTHS[name] > 0.1 else -10e-6 for name in SIZES}
    for exact in (False, True):
        assert_allclose(effect(same, [20, 90, 150], exact=exact).dl, 0, atol=1e-12)


def test_sizes_are_of_one_link():
    """A joint that is not on the named body is refused by name."""
    with pytest.raises(kb.StructureError, match="joint 'C' is not on body 'crank 1'"):
        kb.size_deviations(
            kb.load(FILE), "A", [1.0], {("crank 1", "A", "C"): 1e-5}, SIZES["EF"], area=1e-4
        )


def test_one_passive_constraint_is_needed():
    """Without a passive constraint no deviation forces anything, and the answer says so."""
    m = kb.load(FILE.with_name("fig_1_19a_parallelogram.toml"))
    size = ("coupler", "B", "C")
    for exact in (False, True):
        with pytest.raises(kb.StructureError, match="exactly one passive constraint, found 0"):
            kb.size_deviations(m, "A", [0.1], {size: 1e-5}, size, area=1e-4, exact=exact)
