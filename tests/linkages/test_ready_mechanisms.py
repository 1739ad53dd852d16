"""Ready mechanisms by their lengths: mobility, closed forms, other sizes, wrong sizes."""

from __future__ import annotations

import inspect
from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.model.drawing import drawing

CASES = {
    "bennett": ((0.2, 0.3), {}, 1),
    "cam": ((0.04, 0.02, 0.008), {}, 1),
    "cardan": (("30 deg", 0.2), {}, 1),
    "delta": ((0.2, 0.25, 0.5, 0.06), {}, 3),
    "differential": ((0.04, 0.025), {}, 2),
    "engine": ((3, 0.04, 0.13), {}, 1),
    "five_bar": ((0.1, 0.2, 0.2, 0.1, 0.1), {}, 2),
    "four_bar": ((0.04, 0.12, 0.08, 0.1), {}, 1),
    "jansen": ((), {}, 1),
    "klann": ((), {}, 1),
    "oldham": ((0.005,), {}, 1),
    "pantograph": ((0.1, 0.12, 0.3), {}, 2),
    "peaucellier": ((0.5, 0.2, 0.2), {}, 1),
    "planetary": ((0.03, 0.02), {}, 1),
    "quick_return": ((0.05, 0.1, 0.25, 0.1), {}, 1),
    "robot_arm": ((0.4, 0.35, 0.3), {}, 3),
    "rssr": ((0.04, 0.16, 0.1, 0.12), {}, 1),
    "scissor": ((1.0, 3), {}, 1),
    "slider_crank": ((0.04, 0.12, 0.01), {}, 1),
    "stephenson": ((0.04, 0.12, 0.08, 0.1, 0.1, 0.15, 0.12, 0.2), {}, 1),
    "stewart": ((1.0, 0.5, 1.0), {}, 6),
    "three_rrr": ((0.5, 0.3, 0.3, 0.15), {}, 3),
    "toggle": ((0.03, 0.2, 0.15, 0.15, 0.2), {}, 1),
    "watt": ((0.04, 0.12, 0.08, 0.1, 0.08, 0.12, 0.09, 0.15), {}, 1),
}
"""Arguments of every builder, and the mobility of what it builds."""
TOL = 1e-12
every = pytest.mark.parametrize("name", CASES)
ANGLES = np.radians([10.0, 75.0, 140.0, 260.0])
each_angle = pytest.mark.parametrize("at", ANGLES)


def made(name, **more):
    args, options, _ = CASES[name]
    return getattr(kb.linkages, name)(*args, **options, **more)


def place(m, point):
    """Where a named point of a body is in the drawing."""
    body, _, name = point.rpartition(".")
    return drawing(m).X_WB[body].point(m.body(body).point(name))


def angle(m, joint):
    return float(m.joint(joint).drawn_coordinates[0])


def meet(p, r, q, s, side):
    """Where two circles meet, left (1) or right (-1) of the line from p to q."""
    d = np.linalg.norm(q - p)
    u = (q - p) / d
    x = (d * d + r * r - s * s) / (2 * d)
    return p + x * u + side * np.sqrt(r * r - x * x) * np.array([-u[1], u[0]])


def turned(length, at, x=0.0, y=0.0):
    """The end of a crank about (x, y)."""
    return np.array([x + length * np.cos(at), y + length * np.sin(at)])


def test_every_builder_is_here():
    """No ready mechanism escapes these laws."""
    assert sorted(CASES) == sorted(kb.linkages.__all__)


@every
def test_mobility_is_the_known_one(name):
    """The freedom of the mechanism is that of the textbook, and its drives take all of it."""
    m, expected = made(name), CASES[name][2]
    assert kb.mobility(m).actual == expected
    assert sum(drive.count for drive in m.drives) == expected


@every
def test_a_file_says_the_same(name):
    """Saved and loaded, it is the same mechanism, by its parameters."""
    m = made(name)
    again = kb.loads(kb.dumps(m))
    assert again.parameters == m.parameters
    assert kb.dumps(again) == kb.dumps(m)


@every
def test_other_sizes_close_too(name):
    """A size that grows by 0.1 % gives the mechanism that is built with that size."""
    m = made(name)
    key, value = next(iter(m.parameters))
    bigger = kb.redimension(m, **{key: f"1.001*({value})"})
    placed = drawing(bigger)
    assert max(placed.gap(joint) for joint in bigger.joints) < 1e-9
    assert dict(bigger.parameters)[key] != value


LENGTHS = [
    pytest.param(name, i, id=f"{name}-{key}")
    for name, (args, _, _) in CASES.items()
    for i, key in enumerate(list(inspect.signature(getattr(kb.linkages, name)).parameters))
    if i < len(args) and isinstance(args[i], float) and key != "offset"
]


@pytest.mark.parametrize("wrong", [0, -0.1, "3 kg"])
@pytest.mark.parametrize(("name", "i"), LENGTHS)
def test_a_wrong_length_is_named(name, i, wrong):
    """Nought, a negative length and what is no length are told with the name of the parameter."""
    args = [*CASES[name][0]]
    args[i] = wrong
    key = list(inspect.signature(getattr(kb.linkages, name)).parameters)[i]
    known = {"bar_length": "bar"}.get(key, key)
    with pytest.raises(kb.ModelError, match=f"parameter '{known}'.*length"):
        getattr(kb.linkages, name)(*args)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: kb.linkages.four_bar(1, 2, 3, 4, colour=1.0),
            "there is no option or size 'colour'; there are a, b,",
        ),
        (lambda: kb.linkages.four_bar(10, 2, 3, 4), "it would close if one of these lengths"),
        (lambda: kb.linkages.engine(0), "engine: cylinders: expected a whole number from 1"),
        (lambda: kb.linkages.scissor(1.0, 0), "scissor: stages: expected a whole number from 1"),
        (lambda: kb.linkages.planetary(1.0, 1.0, 0), "planetary: planets: expected a whole number"),
        (lambda: kb.linkages.bennett(1.0, 1.0), "bennett: a and b: expected two different lengths"),
        (
            lambda: kb.linkages.jansen(e="200 mm"),
            "'L_y': has no value: b = 41.5 mm, d = 40.1 mm, e = 200 mm do not fit together",
        ),
        (lambda: kb.linkages.delta(1.0, 0.1, 0.1, 0.1), "'tilt': has no value: arm = 0.1, at = "),
        (lambda: kb.linkages.engine(angles=[0, 60]), "engine: there is no .* 'angles'; .*throws"),
        (lambda: kb.linkages.engine(density=[1]), "'density': expected a number or a text"),
        (lambda: kb.linkages.four_bar("nonsense", 2, 3, 4), "parameter 'a'"),
    ],
)
def test_what_cannot_be_built_is_told(call, told):
    """Unknown parameters, lengths that do not close and impossible counts get a sentence."""
    with pytest.raises(kb.KorbaError, match=told):
        call()


@every
@pytest.mark.parametrize("wrong", [None, "2*(", np.nan, True, [1.0], "", 1j, 1e200])
def test_wrong_arguments_are_answered_in_a_sentence(name, wrong):
    """Whatever is given in the place of an argument, nothing but a KorbaError comes out."""
    builder, args = getattr(kb.linkages, name), CASES[name][0]
    for i in range(len(args)):
        with suppress(kb.KorbaError):
            builder(*args[:i], wrong, *args[i + 1 :])
    with suppress(kb.KorbaError):
        builder(*args, density=wrong)


@each_angle
@pytest.mark.parametrize("crossed", [False, True])
def test_four_bar_is_two_circles(at, crossed):
    """C is where the circles of coupler and rocker meet, on the side that is asked for."""
    m = made("four_bar", at=float(at), crossed=crossed)
    B, D = turned(0.04, at), np.array([0.1, 0])
    C = meet(B, 0.12, D, 0.08, -1 if crossed else 1)
    assert_allclose(place(m, "coupler.C")[:2], C, atol=TOL)
    assert_allclose(place(m, "rocker.C")[:2], C, atol=TOL)


@each_angle
def test_slider_crank_has_its_closed_form(at):
    """x = r cos(at) + sqrt(l^2 - (r sin(at) - e)^2)."""
    x = 0.04 * np.cos(at) + np.sqrt(0.12**2 - (0.04 * np.sin(at) - 0.01) ** 2)
    assert abs(angle(made("slider_crank", at=float(at)), "slide") - x) < TOL


@each_angle
def test_quick_return_has_its_closed_form(at):
    """The lever points at the crank pin; its end pulls the ram by the link."""
    m = made("quick_return", at=float(at))
    lever = turned(0.05, at, 0, 0.1)
    C = 0.25 * lever / np.linalg.norm(lever) - np.array([0, 0.1])
    assert_allclose(place(m, "lever.C")[:2], C, atol=TOL)
    x = C[0] + np.sqrt(0.1**2 - (0.15 - C[1]) ** 2)
    assert abs(angle(m, "slide") - x) < TOL


@each_angle
def test_toggle_has_its_closed_form(at):
    """The knee C is where rod and upper link meet; the ram hangs below it."""
    B = turned(0.03, at, -0.2, -0.15)
    C = meet(B, 0.2, np.zeros(2), 0.15, -1)
    depth = -C[1] + np.sqrt(0.15**2 - C[0] ** 2)
    assert abs(angle(made("toggle", at=float(at)), "slide") - depth) < TOL


@each_angle
def test_five_bar_is_two_circles(at):
    """C lies where the circles about the two crank pins meet."""
    left, right = 1.6 + 0.3 * np.cos(at), 1.2 + 0.3 * np.sin(at)
    m = made("five_bar", left=left, right=right)
    B, D = turned(0.1, left), turned(0.1, right, 0.1)
    assert_allclose(place(m, "left link.C")[:2], meet(B, 0.2, D, 0.2, 1), atol=TOL)


@each_angle
def test_watt_is_two_four_bars(at):
    """The rocker of the first loop is the crank of the second."""
    m = made("watt", at=float(at))
    D, G = np.array([0.1, 0]), np.array([0.25, 0])
    C = meet(turned(0.04, at), 0.12, D, 0.08, 1)
    rocker = np.arctan2(*(C - D)[::-1])
    E = D + turned(0.08, rocker - np.pi / 3)
    assert_allclose(place(m, "link.F")[:2], meet(E, 0.12, G, 0.09, 1), atol=TOL)


@each_angle
def test_stephenson_is_a_dyad_on_the_coupler(at):
    """The second rocker hangs on the coupler's point P."""
    m = made("stephenson", at=float(at))
    B = turned(0.04, at)
    C = meet(B, 0.12, np.array([0.1, 0]), 0.08, 1)
    P = B + turned(0.1, np.arctan2(*(C - B)[::-1]) + np.pi / 6)
    assert_allclose(place(m, "link.F")[:2], meet(P, 0.15, np.array([0.2, 0]), 0.12, 1), atol=TOL)


@each_angle
def test_jansen_foot_by_circles(at):
    """The foot is reached by five pairs of circles, with Jansen's numbers."""
    m = made("jansen", at=float(at))
    a, b, c, d, e, f, g, h, i, j, k, drop, crank = (
        x / 1000 for x in (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15)
    )
    M, Z = turned(crank, at), np.array([-a, -drop])
    U, W = meet(M, j, Z, b, -1), meet(M, k, Z, c, 1)
    L = meet(Z, d, U, e, 1)
    V = meet(L, f, W, g, -1)
    assert_allclose(place(m, "foot.F")[:2], meet(W, i, V, h, 1), atol=TOL)
    assert place(m, "foot.F")[1] < -0.05


@each_angle
def test_klann_foot_by_circles(at):
    """The foot of Klann's leg by its circles, below the frame all the way round."""
    m = made("klann", at=float(at))
    B, Q, S = turned(0.0268, at), np.array([-0.059, -0.0176]), np.array([-0.0233, 0.0616])
    C = meet(B, 0.059, Q, 0.03206, -1)
    D = meet(B, 0.11051, C, 0.05221, -1)
    assert_allclose(place(m, "arm.D")[:2], D, atol=TOL)
    E = meet(D, 0.08966, S, 0.05177, 1)
    assert_allclose(place(m, "leg.E")[:2], E, atol=TOL)
    assert_allclose(place(m, "leg.F")[:2], meet(D, 0.08966, E, 0.1732, -1), atol=TOL)
    assert place(m, "leg.F")[1] < -0.02


@pytest.mark.parametrize("at", [-0.4, 0.1, 0.6])
def test_peaucellier_draws_a_straight_line(at):
    """x of P is (long^2 - side^2) / (2 crank) wherever the crank is."""
    P = place(made("peaucellier", at=at), "upper outer.P")
    assert abs(P[0] - (0.5**2 - 0.2**2) / 0.4) < TOL


@pytest.mark.parametrize("at", [0.2, 0.9])
def test_scissor_height(at):
    """The top of three stages is at 3 sin(at), its width cos(at)."""
    top = place(made("scissor", at=at), "left 3.R3")
    assert_allclose(top[:2], [np.cos(at), 3 * np.sin(at)], atol=TOL)


@each_angle
def test_pistons_of_an_engine(at):
    """A piston is at r cos(t) + sqrt(l^2 - r^2 sin(t)^2), its throw at the angle t from y."""
    m = made("engine", at=float(at))
    for i in range(3):
        t = 2 * np.pi * i / 3 - at
        y = 0.04 * np.cos(t) + np.sqrt(0.13**2 - (0.04 * np.sin(t)) ** 2)
        assert abs(angle(m, f"slide {i + 1}") - y) < TOL


def test_carrier_of_a_planetary_gear():
    """The carrier turns sun / (2 (sun + planet)) as fast as the sun, whatever the teeth."""
    moved = kb.motion(made("planetary"), np.linspace(0, 0.3, 4))
    assert_allclose(moved["C"], moved["A"] * 0.03 / 0.1, atol=1e-12)


@each_angle
def test_rssr_meets_its_closed_form(at):
    """|C - B| = b with C on the circle of the rocker: P cos + Q sin = K."""
    m = made("rssr", at=float(at))
    t = angle(m, "D")
    e = np.array([0.12 - 0.04 * np.cos(at), -0.04 * np.sin(at), 0])
    K = (0.16**2 - e @ e - 0.1**2) / 0.2
    assert abs(e[0] * np.cos(t) + e[2] * np.sin(t) - K) < TOL


@each_angle
def test_cardan_turns_unevenly(at):
    """tan(out) = tan(in) cos(angle)."""
    m = made("cardan", at=float(at))
    assert abs(np.tan(angle(m, "B")) - np.tan(at) * np.cos(np.pi / 6)) < 1e-11


@pytest.mark.parametrize("at", [0.5, 1.0, 2.5])
def test_bennett_meets_its_closed_form(at):
    """It closes at any angle, with the product of tangents that Bennett gives."""
    m = made("bennett", at=at)
    alpha = np.radians(40)
    beta = np.arcsin(0.3 * np.sin(alpha) / 0.2)
    product = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    placed = drawing(m)
    assert max(placed.gap(joint) for joint in m.joints) < 1e-12
    assert abs(np.tan(at / 2) * np.tan(angle(m, "B") / 2) - product) < 1e-9


def test_delta_meets_its_closed_form():
    """Where one arm is lifted, the platform does not turn and every rod keeps its length."""
    m = made("delta", at=0.4)
    there = kb.assemble(m, {"A1": 0.5, "A2": 0.4, "A3": 0.3})
    X = there.pose("platform")
    X = X.matrix() if hasattr(X, "matrix") else np.asarray(X)
    assert_allclose(X[:3, :3], np.eye(3), atol=1e-12)
    for i, arm in enumerate((0.5, 0.4, 0.3)):
        w = 2 * np.pi * i / 3
        out = np.array([np.cos(w), np.sin(w), 0])
        elbow = (0.2 + 0.25 * np.cos(arm)) * out - [0, 0, 0.25 * np.sin(arm)]
        assert abs(np.linalg.norm(X[:3, 3] + 0.06 * out - elbow) - 0.5) < 1e-12


@pytest.mark.parametrize("height", [0.8, 1.3])
def test_stewart_legs_are_as_long_as_they_reach(height):
    """The coordinate of a leg is the distance of its foot from its head."""
    m = kb.linkages.stewart(1.0, 0.5, height)
    feet, X = dict(m.points), drawing(m).X_WB["platform"]
    assert_allclose(
        X.matrix()[:3], np.eye(4)[:3] + np.outer([0, 0, height], [0, 0, 0, 1]), atol=TOL
    )
    for i in range(1, 7):
        head = X.point(m.body("platform").point(f"H{i}"))
        assert abs(np.linalg.norm(head - feet[f"F{i}"]) - angle(m, f"leg {i}")) < TOL


def test_three_rrr_starts_in_the_middle():
    """The platform is drawn in the middle, not turned, with all cranks bent alike."""
    m = made("three_rrr")
    X = drawing(m).X_WB["platform"]
    assert_allclose(X.R, np.eye(3), atol=1e-12)
    assert_allclose(X.p, 0, atol=1e-12)


def test_sizes_are_inputs():
    """A motion with a size as input is that of the mechanism with the size."""
    m, times, sizes = made("four_bar"), np.linspace(0, 1, 7), [0.12, 0.13]
    moved = kb.motion(m, times, parameters={"b": np.array(sizes)})
    for k, size in enumerate(sizes):
        one = kb.motion(kb.redimension(m, b=size), times)
        assert_allclose(moved["C"][k], one["C"], rtol=0, atol=1e-12)


def test_masses_are_those_of_uniform_rods():
    """A rod has m = density l and its moment m l^2 / 12; a plate is rods along its sides."""
    m = made("jansen", density="2 kg/m")
    rod, plate = m.body("rocker"), m.body("upper")
    assert_allclose(rod.mass, 2 * 0.0393, rtol=1e-12)
    assert_allclose(rod.inertia[2][2], 2 * 0.0393**3 / 12, rtol=1e-12)
    Z, U, L = (np.array(plate.point(p)) for p in "ZUL")
    sides = [(Z, U), (Z, L), (U, L)]
    lengths = [np.linalg.norm(b - a) for a, b in sides]
    mass = 2 * sum(lengths)
    com = sum(2 * n * (a + b) / 2 for n, (a, b) in zip(lengths, sides, strict=True)) / mass
    moment = sum(
        2 * n * (n * n / 12 + np.sum(((a + b) / 2 - com) ** 2))
        for n, (a, b) in zip(lengths, sides, strict=True)
    )
    assert_allclose(lengths, [0.0415, 0.0401, 0.0558], rtol=1e-12)
    assert_allclose(plate.mass, mass, rtol=1e-12)
    assert_allclose(plate.com, com, atol=1e-14)
    assert_allclose(plate.inertia[2][2], moment, rtol=1e-9)


def test_a_cam_lifts_as_its_profile_says():
    """The follower is highest and lowest where the roller stands above the pole's axis."""
    m = made("cam")
    moved = kb.motion(m, np.linspace(0, 1, 73))
    assert_allclose([moved["B"].min(), moved["B"].max()], [0.048, 0.068], atol=TOL)
    assert np.sum(moved["B"] < 0.049) > 73 // 4  # the long rest


@each_angle
def test_the_hand_of_an_arm_is_where_its_angles_put_it(at):
    """Waist about z, shoulder and elbow up."""
    m = made("robot_arm")
    q = [at, 0.3, -0.8]
    hand = kb.pose(m, q, body="forearm") @ [0.3, 0, 0, 1]
    out = 0.35 * np.cos(0.3) + 0.3 * np.cos(0.3 - 0.8)
    up = 0.4 + 0.35 * np.sin(0.3) + 0.3 * np.sin(0.3 - 0.8)
    assert_allclose(hand[:3], [out * np.cos(at), out * np.sin(at), up], atol=TOL)


@pytest.mark.parametrize("times", [1.5, 3.0])
def test_a_pantograph_draws_what_it_is_led_along(times):
    """E is `times` as far from O as P, on the same line, wherever it stands."""
    m = kb.linkages.pantograph(0.1, 0.12, 0.1 * times)
    motion = kb.motion(m, np.linspace(0, 1, 7))
    P, E = (motion.point(name).position for name in ("inner.P", "second.E"))
    assert_allclose(E, times * P, atol=1e-12)
    assert np.ptp(P, axis=0).max() > 0.01
    assert m.body("second").inertia[2][2] == pytest.approx((0.12 * times) ** 3 / 12)


def test_shafts_of_an_oldham_coupling_turn_as_one():
    """And the middle of the disc goes round the circle over the offset, twice in a turn."""
    m = kb.linkages.oldham(0.005, at=0.3)
    motion = kb.motion(m, np.linspace(0, 1, 25))
    assert_allclose(motion["B"] - motion["B"][0], motion["A"] - motion["A"][0], atol=1e-12)
    middle = motion.point("disc.M").position[:, :2]
    about = middle - [0.0025, 0]
    assert_allclose(np.hypot(*about.T), 0.0025, atol=1e-12)
    turned = np.unwrap(np.arctan2(about[:, 1], about[:, 0]))
    assert_allclose(np.abs(turned[-1] - turned[0]), 4 * np.pi, atol=1e-9)


def test_a_differential_halves_the_turns_of_its_wheels():
    """Case = (left + right) / 2, with the left wheel faster than the case by its slip."""
    m = kb.linkages.differential(slip=0.4)
    motion = kb.motion(m, np.linspace(0, 1, 5))
    assert_allclose(motion["v_L"] + motion["v_R"], 2 * motion["v_C"], atol=1e-12)
    assert_allclose(motion["v_L"], 1.4 * motion["v_C"], atol=1e-12)
