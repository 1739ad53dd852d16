"""Inexact sizes of section 1.2.4: the drive of the IRb robot, four-bar, cranks, rotor, Bennett.

The ranges of force printed for Fig. 1.25 cannot be met by any choice of signs; its reference
numbers below are those of the specification, half a grade of ISO 286 with chosen signs, and an
independent formula.
"""

from pathlib import Path

import numpy as np
import pytest
from law_counts import some
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


def test_a_passive_constraint_is_needed():
    """Without a passive constraint no deviation forces anything, and the answer says so."""
    m = kb.load(FILE.with_name("fig_1_19a_parallelogram.toml"))
    size = ("coupler", "B", "C")
    for exact in (False, True):
        with pytest.raises(kb.StructureError, match="need a passive constraint, found 0"):
            kb.size_deviations(m, "A", [0.1], {size: 1e-5}, size, area=1e-4, exact=exact)


# Any count of passive constraints, sizes of every kind, forces by stiffness


def figure(name, **parameters):
    return kb.load(FILE.with_name(f"{name}.toml"), **parameters)


def all_joints(m, k_shift=1e8, k_turn=1e5):
    return {joint.name: (k_shift, k_turn) for joint in m.joints}


@pytest.mark.parametrize(
    ("word", "amount", "place", "force"),
    [
        ("dy", "10 um", 4, 1e8 * 1e-5),
        ("dz", "-20 um", 5, -1e8 * 2e-5),
        ("ry", "1 mrad", 1, 1e5 * 1e-3),
        ("rz", "1 mrad", 2, 1e5 * 1e-3),
    ],
)
def test_rotor_is_forced_by_each_of_its_four_conditions(word, amount, place, force):
    """A bearing B off the axis of A by an offset or an angle loads it by stiffness times that."""
    m = figure("fig_1_26_rotor_on_two_bearings")
    stiffness = {"B": ("1e8 N/m", "1e5 N*m/rad")}
    for exact in (False, True):
        effect = kb.size_deviations(
            m, "A", ["0 deg"], {("ground", "B", word): amount}, stiffness=stiffness, exact=exact
        )
        wanted = np.zeros(6)
        wanted[place] = force
        assert effect.passive == 4
        assert_allclose(effect.wrenches["B"][0], wanted, atol=1e-3 * abs(force) * exact + 1e-8)


def test_bearings_on_the_axis_are_free_along_it():
    """What the cylindrical bearing lets go does not load the rotor."""
    m = figure("fig_1_26_rotor_on_two_bearings")
    free = {("ground", "B", "dx"): 1e-3, ("ground", "B", "rx"): 1e-2, ("rotor", "A", "B"): 1e-3}
    effect = kb.size_deviations(m, "A", [0.3], free, stiffness=all_joints(m))
    assert effect.energy[0] < 1e-20


def test_offsets_of_the_spatial_four_bar_obey_the_books_condition():
    """Offsets along the axes do no harm where a + b - c - d = 0 (1.15); else they share a force."""
    m = figure("fig_1_30a_four_bar_in_space")
    links = {"crank": "B", "coupler": "C", "rocker": "D", "ground": "A"}
    sizes = {(body, joint, "offset"): 0.0 for body, joint in links.items()}
    kept = dict(zip(sizes, [3e-5, -1e-5, 4e-5, -6e-5], strict=True))
    effect = kb.size_deviations(m, "A", [0.4], kept, stiffness=all_joints(m))
    assert effect.passive == 3
    assert effect.energy[0] < 1e-18
    broken = dict(zip(sizes, [3e-5, -1e-5, 4e-5, 0.0], strict=True))
    stiff = dict.fromkeys("ABCD", ("1e8 N/m", "1e12 N*m/rad"))
    force = kb.size_deviations(m, "A", [0.4], broken, stiffness=stiff).wrenches["D"][0, 3:]
    assert_allclose(np.abs(force), [0, 0, 6e-5 * 1e8 / 4], rtol=1e-4, atol=0.1)


def test_a_coupler_on_four_cranks_is_a_plate_on_four_springs():
    """Parallel cranks hold the coupler in line and turn: what is left of their lengths is force."""
    places, lengths = np.array([0.0, 1.0, 2.2, 3.0]), 1e-5 * np.array([1.0, -2.0, 0.5, 3.0])
    joints = []
    for i, x in enumerate(places):
        joints.append(kb.Revolute(f"A{i}", "ground", f"crank {i}", at=(x, 0)))
        joints.append(kb.Revolute(f"B{i}", f"crank {i}", "coupler", at=(x, 0.5)))
    bodies = [kb.Body(name) for name in (*(f"crank {i}" for i in range(4)), "coupler")]
    m = kb.Mechanism("four cranks", bodies, joints, plane="xy")
    rods = [(f"crank {i}", f"A{i}", f"B{i}") for i in range(4)]
    effect = kb.size_deviations(
        m, "A0", [0.0], dict(zip(rods, lengths, strict=True)), stiffness=dict.fromkeys(rods, 1e8)
    )
    line = np.column_stack([np.ones(4), places])
    left = lengths - line @ np.linalg.lstsq(line, lengths, rcond=None)[0]
    assert effect.passive == 2
    assert_allclose([effect.tensions[rod][0] for rod in rods], -1e8 * left, rtol=1e-9)


def test_bennett_with_deviations_is_another_bennett_or_forced():
    """Lengths and twists that keep a/sin(alpha) = b/sin(beta) do no harm, one alone forces it."""
    m = figure("fig_1_23_4r_3_bennett")
    a, alpha, beta = 0.08, np.radians(35), np.radians(70)
    short, long = (
        [("crank", "A", "B"), ("rocker", "C", "D")],
        [("coupler", "B", "C"), ("ground", "A", "D")],
    )
    kept = dict.fromkeys(short, 1e-5) | dict.fromkeys(long, 1e-5 * np.sin(beta) / np.sin(alpha))
    turn = 1e-5 / a * np.tan(alpha)  # d(a / sin(alpha)) = 0
    turned = dict.fromkeys(short, 1e-5) | {(*size, "twist"): turn for size in short}
    forced = {short[0]: 1e-5}
    energies = [
        kb.size_deviations(m, "A", [0.3, 0.6], sizes, stiffness=all_joints(m)).energy
        for sizes in (forced, kept, turned, {(*short[0], "twist"): turn})
    ]
    assert np.all(energies[0] > 1e-4)
    assert np.all(energies[3] > 1e-4)
    assert_allclose(energies[1:3], 0, atol=1e-12)


def test_the_table_says_what_gives_way():
    """A row for each value, growth and force of the link, and the energy."""
    text = str(effect(half_grade("IT8"), [8, 152], exact=True))
    assert "W_B = 1" in text
    assert "growth of rod 4 E F" in text
    assert "45705" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coordinate": "Z"}, "there is no coordinate 'Z'"),
        ({"values": [1e9]}, "too far"),
        ({"deviations": {("crank", "B", "up"): 1e-5}}, "there is no joint 'up'; expected a joint"),
        ({"deviations": {("wheel", "A", "B"): 1e-5}}, "there is no body 'wheel'"),
        ({"deviations": {("crank", "B", "rx"): "1 mm"}}, "deviation of .*expected"),
        ({"deviations": {("crank", "B", "dz", "twist"): 1}}, "nothing after 'dz'"),
        ({"deviations": {("crank", "A", "B", "length"): 1}}, "expected 'twist' or nothing"),
        ({"stiffness": {"A": -1.0}}, "stiffness of 'A': expected a number above 0"),
        ({"stiffness": {"E": 1.0}}, "there is no joint 'E'"),
        ({"stiffness": None}, "nothing gives way"),
        ({"stiffness": {"A": (1.0, 1.0)}, "link": ("crank", "A", "B")}, "cross-section `area`"),
        ({"stiffness": {("crank", "A", "B"): 1e7}}, "takes part in 0 of the 3 passive"),
    ],
)
def test_what_cannot_be_answered_is_said(change, message):
    """Names, units and stiffnesses that do not fit are refused in a sentence."""
    given = {
        "coordinate": "A",
        "values": [0.1],
        "deviations": {("crank", "B", "offset"): "10 um"},
        "stiffness": {"A": (1e8, 1e5)},
    } | change
    with pytest.raises(kb.StructureError, match=message):
        kb.size_deviations(figure("fig_1_30a_four_bar_in_space"), **given)


def test_an_input_that_cannot_move_is_refused():
    """The angle of a round guide is held by the other one."""
    m = figure("fig_1_28_slide_on_two_guides")
    size = {("slide", "B", "dx"): "10 um"}
    for exact in (False, True):
        with pytest.raises(kb.StructureError, match=r"coordinate 'A\.angle' does not move"):
            kb.size_deviations(m, "A.angle", [0], size, stiffness=all_joints(m), exact=exact)
    slid = kb.size_deviations(m, "A.stroke", ["5 mm"], size, stiffness={"B": "1e8 N/m"}, exact=True)
    assert_allclose(slid.wrenches["B"][0, 3], -1e3, rtol=1e-6)


SPATIAL = FILE.parent / "fig_1_30a_four_bar_in_space.toml"


@pytest.mark.parametrize("seed", some(3, 200))
def test_the_halves_of_the_last_pair_by_products_of_matrices(seed):
    """h, beta, l', l'' of Fig. 1.24b are those of two lines, one carried round by (2.24)-(2.27)."""
    rng = np.random.default_rng(seed)
    a, b, c, offset = rng.uniform(-1e-3, 1e-3, 4)
    twist, tilt = rng.uniform(-0.02, 0.02, 2)
    given = {
        ("crank", "A", "B"): a,
        ("coupler", "B", "C"): b,
        ("rocker", "C", "D"): c,
        ("coupler", "C", "offset"): offset,
        ("coupler", "B", "C", "twist"): twist,
        ("rocker", "C", "D", "twist"): tilt,
    }
    m = kb.load(SPATIAL)
    A, B, C, D = (np.array(joint.at) for joint in m.joints)
    sizes = [np.linalg.norm(x) for x in (B - A, C - B, D - C)]
    angles = [np.arctan2(x[1], x[0]) for x in (B - A, C - B, D - C)]
    from korba.course import rot, transl

    for value in (-0.2, 0.3, 0.9):
        at = kb.assemble(m, {"A": value})
        first, *turns = (angles[0] + at["A"], angles[1] - angles[0] + at["B"])
        turns.append(angles[2] - angles[1] + at["C"])
        H = rot("z", first) @ transl(sizes[0] + a) @ rot("z", turns[0])
        H = H @ transl(sizes[1] + b, 0, offset) @ rot("x", twist) @ rot("z", turns[1])
        H = H @ transl(sizes[2] + c) @ rot("x", tilt)
        found = kb.course.half_pair_misfit(m, "D", "A", [value], given)
        u, w = np.array([0, 0, 1.0]), H[:3, 2]
        s, t, apart = np.linalg.solve(np.column_stack([u, -w, np.cross(u, w)]), H[:3, 3] - D)
        wanted = abs(apart) * np.linalg.norm(np.cross(u, w)), np.arccos(w[2]), s, t
        ours = (found.h, found.beta, found.l_prime, found.l_second)
        assert_allclose(np.ravel(ours)[:2], wanted[:2], rtol=1e-6, atol=1e-11)
        assert_allclose(np.ravel(ours)[2:], wanted[2:], rtol=1e-6, atol=1e-9)


def test_halves_that_meet_and_that_do_not():
    """An exact loop closes; an offset alone parts the halves along their axis everywhere."""
    m = kb.load(SPATIAL)
    exact = kb.course.half_pair_misfit(m, "D", "A", ["0 deg", "20 deg"], {})
    for field in (exact.h, exact.beta, exact.l_prime, exact.l_second):
        assert_allclose(field, 0.0, atol=1e-12)
    off = {("coupler", "C", "offset"): "50 um"}
    found = kb.course.half_pair_misfit(m, "D", "A", ["0 deg", "20 deg"], off)
    assert_allclose(found.l_second, -50e-6, atol=1e-12)
    assert "beta [deg]" in str(found)
    for joint, message in (("E", "there is no joint 'E'"), ("B", None)):
        if message:
            with pytest.raises(kb.StructureError, match=message):
                kb.course.half_pair_misfit(m, joint, "A", [0.1], off)
        else:
            middle = kb.course.half_pair_misfit(m, joint, "A", [0.1], off)
            assert_allclose(abs(middle.l_second), 50e-6, atol=1e-12)
    with pytest.raises(kb.StructureError, match="there is no coordinate 'X'"):
        kb.course.half_pair_misfit(m, "D", "X", [0.1], off)
    ball = kb.load(SPATIAL.with_name("fig_1_21a_r2sr.toml"))
    with pytest.raises(kb.StructureError, match="pairs on one axis"):
        kb.course.half_pair_misfit(ball, "B", "A", [0.1], {})
