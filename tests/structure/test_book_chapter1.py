"""Chapter 1 of Gronowicz: every mechanism of the figures, with the printed or corrected numbers."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import korba as kb
from korba.structure.knots import KNOTS

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "structure"

# file: (s, k, {class: pairs}, W_T, W_R, W_L, W_B)
FIGURES = {
    "fig_1_10a_valve_gear": (3, 3, {1: 3, 2: 2}, 1, 1, 0, 0),
    "fig_1_10b_valve_gear_with_plunger": (3, 4, {1: 4, 2: 2}, 2, 2, 0, 0),
    "fig_1_11_five_bar_robot": (3, 4, {1: 5}, 2, 2, 0, 0),
    "fig_1_12_parallel_manipulator": (6, 7, {1: 6, 3: 3}, 3, 3, 0, 0),
    "fig_1_13_two_loops": (6, 4, {1: 2, 2: 2, 3: 1, 4: 1}, 1, 1, 0, 0),
    "fig_1_15_rcsr": (6, 3, {1: 2, 2: 1, 3: 1}, 1, 1, 0, 0),
    "fig_1_16a_cam_and_follower": (3, 2, {1: 2, 2: 1}, 1, 1, 0, 0),
    "fig_1_16b_cam_and_roller": (3, 3, {1: 3, 2: 1}, 2, 1, 1, 0),
    "fig_1_16b_elliptic_roller": (3, 3, {1: 3, 2: 1}, 2, 2, 0, 0),
    "fig_1_17a_two_sliders": (3, 3, {1: 4}, 1, 1, 0, 0),
    "fig_1_17b_two_sliders_in_line": (3, 3, {1: 4}, 1, 0, 1, 0),
    "fig_1_18_mcpherson_strut": (6, 3, {1: 1, 2: 1, 3: 2}, 3, 2, 1, 0),
    "fig_1_19a_parallelogram": (3, 3, {1: 4}, 1, 1, 0, 0),
    "fig_1_19b_doubled_parallelogram": (3, 4, {1: 6}, 0, 1, 0, 1),
    "fig_1_20a_disc": (6, 1, {1: 1}, 1, 1, 0, 0),
    "fig_1_20b_rotor": (6, 1, {1: 1, 2: 1}, -3, 1, 0, 4),
    "fig_1_20c_platform": (6, 1, {1: 1}, 1, 1, 0, 0),
    "fig_1_20d_platform_on_two_guides": (6, 1, {1: 2}, -4, 1, 0, 5),
    "fig_1_20d_platform_on_round_guides": (6, 1, {2: 2}, -2, 1, 0, 3),
    "fig_1_21a_r2sr": (6, 3, {1: 2, 3: 2}, 2, 1, 1, 0),
    "fig_1_21b_r2sr_meeting_axes": (6, 3, {1: 2, 3: 2}, 2, 1, 1, 0),
    "fig_1_21c_rs2r": (6, 3, {1: 3, 3: 1}, 0, 1, 0, 1),
    "fig_1_21d_spherical_four_bar": (6, 3, {1: 4}, -2, 1, 0, 3),
    "fig_1_23_rc": (6, 1, {1: 1, 2: 1}, -3, 1, 0, 4),
    "fig_1_23_rs": (6, 1, {1: 1, 3: 1}, -2, 1, 0, 3),
    "fig_1_23_2tc": (6, 2, {1: 2, 2: 1}, -2, 1, 0, 3),
    "fig_1_23_4r_1_planar": (6, 3, {1: 4}, -2, 1, 0, 3),
    "fig_1_23_4r_2_spherical": (6, 3, {1: 4}, -2, 1, 0, 3),
    "fig_1_23_4r_3_bennett": (6, 3, {1: 4}, -2, 1, 0, 3),
    "fig_1_23_2rct": (6, 3, {1: 3, 2: 1}, -1, 1, 0, 2),
    "fig_1_25_irb_parallelograms": (3, 4, {1: 6}, 0, 1, 0, 1),
    "fig_1_26_rotor_on_two_bearings": (6, 1, {1: 1, 2: 1}, -3, 1, 0, 4),
    "fig_1_27a_rotor_cylinder_and_point": (6, 1, {2: 1, 5: 1}, 1, 1, 0, 0),
    "fig_1_27b_rotor_two_balls": (6, 1, {3: 1, 4: 1}, 1, 1, 0, 0),
    "fig_1_28_slide_on_two_guides": (6, 1, {2: 2}, -2, 1, 0, 3),
    "fig_1_29a_slide_with_knot_2rs": (6, 3, {1: 2, 2: 1, 3: 1}, 1, 1, 0, 0),
    "fig_1_29b_slide_with_knot_2cr": (6, 3, {1: 1, 2: 3}, 1, 1, 0, 0),
    "fig_1_29c_slide_with_point_contact": (6, 1, {2: 1, 5: 1}, 1, 1, 0, 0),
    "fig_1_29d_slide_with_knot_sc": (6, 2, {2: 2, 3: 1}, 1, 1, 0, 0),
    "fig_1_30a_four_bar_in_space": (6, 3, {1: 4}, -2, 1, 0, 3),
    "fig_1_30c_rational_four_bar": (6, 3, {1: 2, 2: 1, 3: 1}, 1, 1, 0, 0),
    "fig_1_30d_rational_four_bar": (6, 3, {1: 3, 4: 1}, 1, 1, 0, 0),
    "fig_1_31a_four_bar_with_knot_2r": (6, 4, {1: 4, 3: 1}, 1, 1, 0, 0),
    "fig_1_31b_rational_four_bar": (6, 3, {1: 3, 4: 1}, 1, 1, 0, 0),
    "fig_1_31c_four_bar_with_knot_cs": (6, 4, {1: 3, 2: 1, 3: 1}, 2, 1, 1, 0),
    "fig_1_31d_coupler_on_two_balls": (6, 3, {1: 2, 3: 2}, 2, 1, 1, 0),
    "fig_1_32a_planetary_gear": (6, 5, {1: 5, 4: 6}, -7, 1, 0, 8),
    "fig_1_32c_planetary_gear_floating_sun": (6, 7, {1: 5, 2: 2, 5: 6}, 3, 1, 2, 0),
    "fig_1_32d_planetary_gear_ball_planets": (6, 6, {1: 2, 2: 1, 3: 3, 4: 6}, 1, 1, 0, 0),
}

LOCAL = {
    "fig_1_16b_cam_and_roller": {("roller",): 1},
    "fig_1_17b_two_sliders_in_line": {("bar 2",): 1},
    "fig_1_18_mcpherson_strut": {("rod",): 1},
    "fig_1_21a_r2sr": {("coupler",): 1},
    "fig_1_21b_r2sr_meeting_axes": {("coupler",): 1},
    "fig_1_31c_four_bar_with_knot_cs": {("ring",): 1},
    "fig_1_31d_coupler_on_two_balls": {("coupler",): 1},
    "fig_1_32c_planetary_gear_floating_sun": {("link", "sun"): 2},
}


def figure(name, **parameters):
    return kb.load(FOLDER / f"{name}.toml", **parameters)


def test_every_file_is_in_the_table():
    """Each mechanism file of the folder has its row of numbers, and each row its file."""
    assert sorted(FIGURES) == sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", FIGURES)
def test_numbers_of_the_book(name):
    """Counts and mobilities are those of the book, or of its correction."""
    r = kb.mobility(figure(name))
    found = (r.space, r.links, r.classes, r.theoretical, r.actual, r.local, r.passive)
    assert found == FIGURES[name]
    assert r.actual == r.theoretical - r.local + r.passive
    assert r.instantaneous == r.actual


@pytest.mark.parametrize("name", FIGURES)
def test_drives_of_the_book_are_enough(name):
    """Where the book names the drives, they leave no freedom but local ones."""
    m = figure(name)
    r = kb.mobility(m)
    assert (r.drives == r.actual and r.undriven == 0) if m.drives else r.undriven == r.actual


@pytest.mark.parametrize("name", FIGURES)
def test_files_survive_saving(name, tmp_path):
    """A saved figure loads back equal."""
    m = figure(name)
    kb.save(m, tmp_path / "again.toml")
    assert kb.load(tmp_path / "again.toml") == m


@pytest.mark.parametrize("name", LOCAL)
def test_local_mobility_belongs_to_the_named_link(name):
    """The links that move alone are those that the book names."""
    found = kb.mobility(figure(name)).locals
    assert {freedom.bodies: freedom.count for freedom in found} == LOCAL[name]


@pytest.mark.parametrize(("side_1", "side_3"), [(1, 1), (-1, -1), (1, -1), (-1, 1)])
def test_all_assembly_forms_of_fig_1_17_are_locked(side_1, side_3):
    """The four common tangents give W_L = 1 and W_R = 0 each."""
    r = kb.mobility(figure("fig_1_17b_two_sliders_in_line", side_1=side_1, side_3=side_3))
    assert (r.theoretical, r.actual, r.local) == (1, 0, 1)


def test_strut_spins_alone_only_about_its_ball():
    """Off the ball D the axis of the McPherson tube leaves no local mobility: W_R = W_T = 3."""
    m = figure("fig_1_18_mcpherson_strut")
    tilted = replace(m.joint("C"), axis=(0.2, 0.1, 1.0))
    r = kb.mobility(replace(m, joints=[tilted if j.name == "C" else j for j in m.joints]))
    assert (r.theoretical, r.local, r.actual) == (3, 0, 3)


def test_steering_is_of_use_also_where_it_is_not_driven():
    """Without drives only the rod, which turns alone, is local: the book's W_L3 = 1, W_R = 2."""
    m = replace(figure("fig_1_18_mcpherson_strut"), drives=())
    report = kb.mobility(m)
    assert [f.bodies for f in report.locals] == [("rod",)]
    assert (report.actual, report.local) == (2, 1)


def test_a_locked_linkage_is_blocked_by_its_dimensions():
    """With a = b + c + d the count allows one freedom and the lengths block it: W_B stays 0."""
    points = [(0, 0), (3, 0), (2, 0), (1, 0)]
    ends = ["ground", "a", "b", "c", "ground"]
    joints = [
        kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=point) for i, point in enumerate(points)
    ]
    m = kb.Mechanism("locked", [kb.Body(n) for n in "abc"], joints, plane="xy")
    report = kb.mobility(m)
    assert (report.theoretical, report.actual, report.passive, report.blocked) == (1, 0, 0, 1)
    assert "W_R  = 1 - 0 + 0 - 1 = 0" in str(report)


@pytest.mark.parametrize("name", ["fig_1_19b_doubled_parallelogram", "fig_1_25_irb_parallelograms"])
def test_planar_mechanisms_are_irrational_in_space(name):
    """Counted in space each loop of a planar mechanism gets three more passive constraints."""
    plane, space = kb.mobility(figure(name)), kb.mobility(figure(name), "spatial")
    assert space.actual == plane.actual
    assert space.passive == plane.passive + 3 * len(plane.loops)


# Fig. 1.13


def test_fig_1_13_loops():
    """K1 is rigid, K2 has 3, their union 1; with the outer loop there are three."""
    r = kb.mobility(figure("fig_1_13_two_loops"))
    assert [k.mobility for k in r.loops] == [0, 3]
    assert [(k.name, k.mobility) for k in r.unions] == [("K1+K2", 1)]
    assert r.loop_count == 3
    assert not r.complete
    assert [(c.bodies, c.mobility) for c in r.rigid] == [(("ground", "1", "2"), 0)]


def test_fig_1_13_walks():
    """The loops read as in the book, up to where and in which direction they start."""
    r = kb.mobility(figure("fig_1_13_two_loops"))
    printed = ["1-P3-2-P2-0-P1", "2-P2-3-P4-4-P1-0-P2"]
    for loop, walk in zip(r.loops, printed, strict=True):
        assert loop.walk.replace("ground", "0") in cyclic_walks(walk)


def cyclic_walks(walk):
    """A walk from every link, in both directions."""
    steps = walk.split("-")
    for way in (steps, [steps[0], *reversed(steps[1:])]):
        for i in range(0, len(way), 2):
            yield "-".join([*way[i:], *way[:i]])


def test_fig_1_13_placement_matrix():
    """MR is the corrected matrix of the book, and symmetric."""
    entries = kb.course.placement_matrix(figure("fig_1_13_two_loops")).entries
    found = [[sum(entry) for entry in row] for row in entries]
    assert found == [
        [0, 1, 2, 0, 1],
        [1, 0, 3, 0, 0],
        [2, 3, 0, 2, 0],
        [0, 0, 2, 0, 4],
        [1, 0, 0, 4, 0],
    ]


def test_two_pairs_between_the_same_links_stay_apart():
    """The matrix of the rotor holds both bearings in one entry."""
    assert kb.course.placement_matrix(figure("fig_1_20b_rotor")).entries[0][1] == (1, 2)


# Motion by a finite amount, or by an infinitesimal one


def test_flat_parallelogram_moves_in_one_way():
    """All pins in a line: two velocities, one motion on each of two branches."""
    r = kb.mobility(figure("fig_1_19a_parallelogram", phi=0))
    assert (r.instantaneous, r.actual, r.passive) == (2, 1, 0)
    assert [reason.kind for reason in r.reasons] == ["special position"]


def test_third_crank_of_another_length_locks():
    """Parallel cranks of unequal length move by an infinitesimal amount only."""
    r = kb.mobility(figure("fig_1_19b_doubled_parallelogram", b="61 mm"))
    assert (r.theoretical, r.instantaneous, r.actual, r.passive) == (0, 1, 0, 0)


def test_bars_in_a_line_are_rigid():
    """Two bars in a line between two pins give way by an infinitesimal amount, and no more."""
    pins = [("A", "ground", "1", 0), ("B", "1", "2", 0.4), ("C", "ground", "2", 1)]
    joints = [kb.Revolute(name, a, b, at=(x, 0)) for name, a, b, x in pins]
    m = kb.Mechanism("bars", [kb.Body("1"), kb.Body("2")], joints, plane="xy")
    r = kb.mobility(m)
    assert (r.theoretical, r.instantaneous, r.actual) == (0, 1, 0)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("fig_1_23_4r_3_bennett", {"b": "130 mm"}),
        ("fig_1_25_irb_parallelograms", {"beta": "80 deg"}),
        *(("fig_1_26_rotor_on_two_bearings", {key: "1 mm"}) for key in ("dy", "dz")),
        *(("fig_1_26_rotor_on_two_bearings", {key: "1 deg"}) for key in ("ry", "rz")),
    ],
)
def test_special_dimensions_are_needed(name, change):
    """Where one condition of motion fails, an over-constrained mechanism is rigid."""
    assert kb.mobility(figure(name)).actual == 1
    assert kb.mobility(figure(name, **change)).actual == 0


# Tables


@pytest.mark.parametrize(
    ("links", "mobility", "lists"),
    [
        (2, 0, "15 24 33"),
        (2, -1, "14 23"),
        (2, -2, "13 22"),
        (2, -3, "12"),
        (3, 0, "114 123 222"),
        (3, -1, "113 122"),
        (3, -2, "112"),
        (3, -3, "111"),
        (4, 0, "1113 1122"),
        (4, -1, "1112"),
        (4, -2, "1111"),
        (4, -3, ""),
        (5, 0, "11112"),
        (5, -1, "11111"),
        (5, -2, ""),
        (6, 0, "111111"),
        (6, -1, ""),
    ],
)
def test_rigid_loops_of_fig_1_22(links, mobility, lists):
    """The class lists of the table are all that there are."""
    assert [
        "".join(map(str, found)) for found in kb.course.single_loops(links, mobility)
    ] == lists.split()


@pytest.mark.parametrize("name", [name for name in FIGURES if "fig_1_23" in name])
def test_loops_of_fig_1_23_are_in_the_table(name):
    """Every named loop has its classes in the list of its count of links and mobility."""
    r = kb.mobility(figure(name))
    classes = tuple(k for k, count in r.classes.items() for _ in range(count))
    assert classes in kb.course.single_loops(r.links + 1, r.theoretical)
    assert r.loops[0].mobility == r.theoretical


@pytest.mark.parametrize("klass", KNOTS)
def test_knots_have_the_connectivity_of_their_class(klass):
    """A knot acts as a joint of the class that it is listed under."""
    freedoms, local = {"R": 1, "T": 1, "C": 2, "S": 3}, {"CS": 1}
    for symbol in KNOTS[klass]:
        pairs = [(int(times or 1), letter) for times, letter in re.findall(r"(\d?)(\D)", symbol)]
        total = sum(times * freedoms[letter] for times, letter in pairs)
        assert total - local.get(symbol, 0) == klass
    assert len(KNOTS[klass]) == 3
