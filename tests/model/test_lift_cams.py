"""Cams by what their follower does: the disc is the envelope, laws rise as they say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.expr import derivative, evaluate, parse

EPS = np.finfo(float).eps
PHI = np.linspace(0, 2 * np.pi, 400, endpoint=False)
LIFT = "15 mm*(cycloidal(phi/(100 deg)) - poly345((phi - 150 deg)/(110 deg)))"
SWING = "20 deg*(trapezoid(phi/(120 deg)) - poly4567((phi - 160 deg)/(150 deg)))"
ROLLER = {"lift": LIFT, "base": "40 mm", "offset": "4 mm", "radius": "10 mm"}
ARM = {"swing": SWING, "base": "40 mm", "distance": "90 mm", "arm": "80 mm", "radius": "10 mm"}
FLAT = {"lift": LIFT, "base": "60 mm"}
FACE = {"swing": SWING, "base": "50 mm", "distance": "90 mm", "offset": "5 mm"}
KINDS = [("roller", ROLLER), ("roller", ARM), ("flat", FLAT), ("flat", FACE)]
each_kind = pytest.mark.parametrize(("kind", "sizes"), KINDS, ids=["slides", "arm", "flat", "face"])
RISES = ("harmonic", "cycloidal", "poly345", "poly4567", "trapezoid")


def cam(kind, sizes):
    """A cam pair."""
    made = {"roller": kb.CamRoller, "flat": kb.CamFlat}[kind]
    return made("K", "cam", "follower", at=(0, 0), **sizes)


def alone(pair):
    """A cam on a shaft, and the follower that it touches."""
    shaft = kb.Revolute("A", "ground", "cam", at=(0, 0))
    bodies = [kb.Body("cam"), kb.Body("follower")]
    return kb.Mechanism("cam", bodies, [shaft, pair], plane="xy")


def law(text, order=0):
    """A law of the lift at PHI."""
    e = parse(text).value
    for _ in range(order):
        e = derivative(e, "phi")
    return evaluate(e, {"phi": PHI})


@pytest.mark.parametrize("name", RISES)
def test_rises_go_from_zero_to_one(name):
    """0 before, 1 behind, symmetric, and the slope is that of the values."""
    e = parse(f"{name}(x)").value
    x = np.linspace(-0.5, 1.5, 4001)
    slope = derivative(e, "x")
    s, v, a = (evaluate(each, {"x": x}) for each in (e, slope, derivative(slope, "x")))
    assert_allclose(s[x <= 0], 0, atol=0)
    assert_allclose(s[x >= 1], 1, atol=0)
    assert_allclose(s + s[::-1], 1, atol=10 * EPS)
    h = x[1] - x[0]
    assert_allclose((s[2:] - s[:-2]) / (2 * h), v[1:-1], atol=1.3 * h)
    assert np.all(np.diff(s) >= -EPS)
    if name != "harmonic":  # accelerations begin and end with none
        assert np.abs(np.diff(a)).max() < 100 * h


def test_the_modified_trapezoid_has_its_acceleration():
    """a sin(4 pi x), a, a cos(4 pi (x - 3/8)) with a = 8 pi/(2 + pi)."""
    s = parse("trapezoid(x)").value
    a, x = 8 * np.pi / (2 + np.pi), np.array([0.05, 0.2, 0.3, 0.45])
    found = evaluate(derivative(derivative(s, "x"), "x"), {"x": x})
    wanted = [np.sin(0.2 * np.pi), 1, 1, np.cos(0.3 * np.pi)]
    assert_allclose(found, a * np.array(wanted), rtol=1e-13)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cycloidal(phi, 2)", "takes 1 argument"),
        ("cycloidal(3 mm)", "number without unit"),
        ("cycloidl(phi)", "cycloidal"),
    ],
)
def test_wrong_rises_are_refused(text, words):
    """Two arguments, a length, a misspelt name."""
    with pytest.raises(kb.ExpressionError, match=words):
        parse(text)


def test_a_size_may_have_the_name_of_a_rise():
    """Only what is called is one."""
    assert parse("2*trapezoid", {"trapezoid": 3.0}).value.value == 6.0


def test_the_path_of_a_roller_that_slides():
    """Seen from the base, its centre is on the follower's line at the height of the lift."""
    pair, s = cam("roller", ROLLER), law(LIFT)
    for phi, lift in zip(PHI[::20], s[::20], strict=True):
        centre = pair.pose([phi, 0.0]).p[:2]
        c, sn = np.cos(phi), np.sin(phi)
        seen = np.array([c * centre[0] - sn * centre[1], sn * centre[0] + c * centre[1]])
        assert_allclose(seen, [np.sqrt(0.04**2 - 0.004**2) + lift, -0.004], atol=10 * EPS)


def test_the_path_of_a_roller_on_an_arm():
    """It keeps its distances from the pivot and, at lift 0, from the pole; the arm swings."""
    pair, p = cam("roller", ARM), law(SWING)
    first = np.arccos((0.09**2 + 0.08**2 - 0.04**2) / (2 * 0.09 * 0.08))
    for phi, swing in zip(PHI[::20], p[::20], strict=True):
        away = pair.pose([phi, 0.0]).p[:2] - 0.09 * np.array([np.cos(phi), -np.sin(phi)])
        assert_allclose(np.hypot(*away), 0.08, rtol=10 * EPS)
        turned = (np.pi - np.arctan2(*away[::-1]) - phi) % (2 * np.pi)
        assert_allclose(turned, first + swing, atol=1e-14)


@each_kind
def test_the_surface_is_the_envelope_of_the_follower(kind, sizes):
    """No follower cuts it: all of it lies outside of rollers and behind faces, at any angle."""
    pair = cam(kind, sizes)
    surface = pair.contact(PHI).point
    for phi in PHI[::13]:
        X = pair.pose([phi, 0.0])
        if kind == "roller":
            gaps = np.hypot(*(surface - X.p[:2, None])) - pair.radius
        else:
            gaps = X.R[:2, 1] @ (surface - X.p[:2, None])  # y of M points into the cam
        assert gaps.min() > -1e-12
        touch = pair.contact(phi).point
        assert np.hypot(*(surface - touch[:, None])).min() < 2e-3


@each_kind
def test_curvature_and_pressure_angle(kind, sizes):
    """Radii of curvature against differences of points; pressure angles by work, M = N ds/dphi."""
    m = alone(cam(kind, sizes))
    found = kb.cam_profile(m, "K", 20001)
    x, y = found.x, found.y
    dx, dy, bx, by = (np.gradient(z) for z in (x, y, np.gradient(x), np.gradient(y)))
    with np.errstate(all="ignore"):
        radius = -((dx**2 + dy**2) ** 1.5) / (dx * by - dy * bx)
    good = np.hypot(dx, dy) > 1e-9
    good[:3] = good[-3:] = False
    assert np.median(np.abs(radius / found.curvature_radius - 1)[good]) < 1e-5
    at = m.joint("K").contact(found.angle)
    n = -at.inward
    moment = at.point[0] * n[1] - at.point[1] * n[0]
    e = parse(sizes.get("lift", sizes.get("swing"))).value
    rate = evaluate(derivative(e, "phi"), {"phi": found.angle % (2 * np.pi)})
    lever = 1.0
    if "swing" in sizes:
        pivot = 0.09 * np.array([np.cos(found.angle), -np.sin(found.angle)])
        place = at.point - pivot if kind == "flat" else at.point + 0.01 * n - pivot
        lever = np.hypot(*place)
    assert_allclose(moment, rate * lever * np.cos(found.pressure_angle), atol=1e-13)
    assert 0.1 * (kind == "roller") <= found.largest_pressure_angle < 0.8


def test_a_cam_by_its_radius_has_a_profile_too():
    """An eccentric disc: its radius everywhere, and no pressure angle since no way is known."""
    disc = "0.02*cos(beta) + sqrt(0.05^2 - 0.02^2*sin(beta)^2)"
    pair = kb.CamRoller("K", "cam", "follower", at=(0, 0), profile=disc)
    m = alone(pair)
    found = kb.cam_profile(m, "K")
    assert_allclose(found.curvature_radius, 0.05, rtol=1e-12)
    assert np.all(np.isnan(found.pressure_angle))
    with pytest.raises(kb.StructureError, match="is no cam"):
        kb.cam_profile(kb.linkages.cam(0.04, 0.02, 0.008), "A")
    with pytest.raises(kb.StructureError, match="2 or more"):
        kb.cam_profile(m, "K", 1)


def test_x_and_y_of_a_profile_are_its_radius():
    """A disc by x and y moves its follower as by its radius."""
    polar = kb.CamRoller("K", "c", "f", at=(0, 0), profile="0.05 m", radius="10 mm")
    both = {"profile_x": "0.05 m*cos(beta)", "profile_y": "0.05 m*sin(beta)"}
    other = kb.CamRoller("K", "c", "f", at=(0, 0), radius="10 mm", **both)
    q, v = np.array([0.7, 0.2]), np.array([1.3, -0.4])
    assert_allclose(other.pose(q).p, polar.pose(q).p, atol=1e-16)
    assert_allclose(other.motion_subspace(q), polar.motion_subspace(q), atol=1e-15)
    assert_allclose(other.bias(q, v), polar.bias(q, v), atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "sizes", "words"),
    [
        ("roller", {}, "by one of profile"),
        ("roller", {**ROLLER, "profile": "50 mm"}, "got profile and lift"),
        ("roller", {"profile_x": "0.05*cos(beta)"}, "profile_x with profile_y"),
        ("roller", {"lift": LIFT}, "needs base"),
        ("roller", {"swing": SWING, "base": "40 mm"}, "needs base and distance and arm"),
        ("roller", {**ROLLER, "offset": "50 mm"}, "passes 0.05 m beside the pole"),
        ("roller", {**ARM, "arm": "20 mm"}, "between 0.07 and 0.11 m"),
        ("flat", {**FACE, "base": "120 mm"}, "about a pivot that is 0.09 m away"),
        ("roller", {**ROLLER, "lift": "5 mm*phi/pi"}, "does not come back"),
        ("roller", {**ROLLER, "lift": "where(phi < 1, 0, 3 mm)"}, "jumps between phi = 57"),
        ("roller", {**ROLLER, "lift": "1 mm/(phi - phi)"}, "no finite value"),
        ("roller", {**ROLLER, "lift": "sqrt(sin(phi))*3 mm"}, "no finite value"),
        ("roller", {**ROLLER, "lift": "5 deg"}, "expected a length"),
        ("roller", {**ROLLER, "lift": "5 mm*t"}, "unknown name 't'"),
        ("flat", {"lift": LIFT, "base": "8 mm"}, "flat face needs a base above"),
        ("roller", {**ROLLER, "radius": "39 mm"}, "goes round a bend of radius"),
        ("roller", {"profile_x": "s", "profile_y": "0"}, "unknown name 's'"),
        (
            "roller",
            {"profile_x": "0.05 m*cos(beta)", "profile_y": "-0.05 m*sin(beta)"},
            "runs clockwise",
        ),
        ("roller", {"profile_x": "0.05 m", "profile_y": "0.05 m*sin(beta)"}, "stands still"),
        ("roller", {"profile_x": "0.01 m*beta", "profile_y": "0.05 m"}, "does not close"),
    ],
)
def test_what_cannot_be_cut_is_said_with_numbers(kind, sizes, words):
    """Shapes given twice or not at all, jumps, undercut: each fault names what was found."""
    pair = cam(kind, sizes)
    told = " ".join(f"{fault.message} ({fault.where[-1]})" for fault in pair.faults())
    assert words in told


def test_the_base_that_is_asked_for_is_enough():
    """A flat follower's cam with a base just above what the fault names is not undercut."""
    (fault,) = cam("flat", {"lift": LIFT, "base": "8 mm"}).faults()
    base = float(fault.message.split("above ")[1].split(" m")[0])
    assert not [*cam("flat", {"lift": LIFT, "base": base + 1e-6}).faults()]
    assert [*cam("flat", {"lift": LIFT, "base": base - 1e-5}).faults()]
