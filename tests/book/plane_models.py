"""Planar mechanisms of section 3.2 of the book, and random ones of the same structure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"


def bodies(*names):
    return [kb.Body(name) for name in names]


def planar(name, links, joints, law=None, driven="A", **more):
    drives = [kb.JointDrive("motor", driven, law)] if law else []
    return kb.Mechanism(name, bodies(*links), joints, plane="xy", **({"drives": drives} | more))


def meeting(B, D, b, c, side=1.0):
    """The point at distances b from B and c from D, to the left of BD (or right: side = -1)."""
    B, D = np.array(B), np.array(D)
    d = D - B
    length = np.linalg.norm(d)
    x = (length**2 + b**2 - c**2) / (2 * length)
    y = side * np.sqrt(b**2 - x**2)
    u = d / length
    return B + x * u + y * np.array([-u[1], u[0]])


def four_bar(law="10*t", theta=np.pi / 2):
    """Example 3.3: a = 0.2, b = c = 0.6, d = 0.8."""
    B = 0.2 * np.array([np.cos(theta), np.sin(theta)])
    C = meeting(B, (0.8, 0), 0.6, 0.6)
    return four_bar_at((0, 0), B, C, (0.8, 0), law)


def four_bar_at(A, B, C, D, law):
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ]
    return planar("four-bar", ("crank", "coupler", "rocker"), joints, law)


def yoke(law="10*t"):
    """C = (0, 0), A = (0.4, 0.1), AB = 0.15 at 60 deg."""
    A = np.array([0.4, 0.1])
    B = A + 0.15 * np.array([0.5, np.sqrt(0.75)])
    return yoke_at(A, B, (0, 0), law)


def yoke_at(A, B, C, law):
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "slider", at=B),
        kb.Prismatic("S", "rocker", "slider", at=B, axis=np.subtract(B, C)),
        kb.Revolute("C", "ground", "rocker", at=C),
    ]
    return planar("yoke", ("crank", "slider", "rocker"), joints, law)


def pin_yoke(law="10*t"):
    """The same yoke with a pin in a slot."""
    A = np.array([0.4, 0.1])
    B = A + 0.15 * np.array([0.5, np.sqrt(0.75)])
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.PinInSlot("B", "rocker", "crank", at=B, axis=B),
        kb.Revolute("C", "ground", "rocker", at=(0, 0)),
    ]
    return planar("yoke with a pin", ("crank", "rocker"), joints, law)


def crank_slider(law="20*t"):
    """Example 3.1 with the constructed sizes: AB = 0.1, BC = 0.3, 60 deg."""
    B = 0.1 * np.array([0.5, np.sqrt(0.75)])
    C = np.array([B[0] + np.sqrt(0.09 - B[1] ** 2), 0.0])
    return crank_slider_at((0, 0), B, C, (1, 0), law)


def crank_slider_at(A, B, C, axis, law):
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "slider", at=C),
        kb.Prismatic("S", "ground", "slider", at=C, axis=axis),
    ]
    return planar("crank and slider", ("crank", "coupler", "slider"), joints, law)


def triad(law="0.2*t"):
    """Example 3.2: link 3 = CEF on an actuator AC and on rods DE and GF."""
    drives = [kb.JointDrive("motor", "S", law)]
    return replace(kb.load(BOOK / "ex_3_2_triad.toml"), drives=drives)


DISC = "0.02*cos(beta) + sqrt(0.04^2 - 0.02^2*sin(beta)^2)"
"""A disc of radius 0.04, its centre 0.02 from the pole."""


def cam_roller(law="12*t", profile=DISC):
    """Disc cam at 40 deg, roller of 0.015 on a rocker of 0.08 pivoted at (0.1, 0)."""
    theta = np.radians(40)
    O1 = 0.02 * np.array([np.cos(theta), np.sin(theta)])
    O2 = meeting(O1, (0.1, 0), 0.055, 0.08)
    n = (O2 - O1) / 0.055
    P = O1 + 0.04 * n
    beta = np.arctan2(P[1], P[0]) - theta
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Revolute("B", "ground", "rocker", at=(0.1, 0)),
        kb.CamRoller(
            "K",
            "cam",
            "rocker",
            at=(0, 0),
            x_axis=(np.cos(theta), np.sin(theta)),
            profile=profile,
            radius=0.015,
            drawn=(beta, 0.0),
        ),
    ]
    return planar("cam, roller and rocker", ("cam", "rocker"), joints, law)


def cam_flat(law="12*t"):
    """The same disc, flat rocker pivoted at (0.12, 0), its face 0.01 from the pivot."""
    theta, phi = np.radians(40), np.radians(189.524660)
    O1 = 0.02 * np.array([np.cos(theta), np.sin(theta)])
    B = np.array([0.12, 0.0])
    for _ in range(5):
        u, n = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
        phi += (n @ (O1 - B) + 0.03) / (u @ (O1 - B))
    n = np.array([-np.sin(phi), np.cos(phi)])
    P = O1 + 0.04 * n
    beta = np.arctan2(P[1], P[0]) - theta
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Revolute("B", "ground", "rocker", at=B),
        kb.CamFlat(
            "K",
            "cam",
            "rocker",
            at=(0, 0),
            x_axis=(np.cos(theta), np.sin(theta)),
            profile=DISC,
            drawn=(beta, 0.0),
        ),
    ]
    return planar("cam and flat rocker", ("cam", "rocker"), joints, law), phi


def double_butterfly(law="t"):
    """An eight-bar of one freedom without a loop of four: no construction of Kennedy's starts."""
    ends = {
        "A": ("ground", "2", (0.5, -0.1)),
        "B": ("1", "3", (0.55, 1.2)),
        "C": ("ground", "4", (0.0, 0.0)),
        "D": ("4", "1", (-0.2, 0.7)),
        "E": ("1", "5", (0.3, 0.9)),
        "F": ("5", "2", (0.35, 0.35)),
        "G": ("2", "6", (0.75, 0.3)),
        "H": ("6", "3", (0.85, 0.95)),
        "I": ("3", "7", (1.3, 0.8)),
        "K": ("7", "ground", (1.1, 0.05)),
    }
    joints = [kb.Revolute(name, p, c, at=at) for name, (p, c, at) in ends.items()]
    return planar("double butterfly", "1234567", joints, law)


def random_mechanism(kind, seed, law="2*t + 0.5*t^2"):
    """Four-bars, crank and slider, yokes, Watt and Stephenson six-bars near a good position."""
    rng = np.random.default_rng([seed, len(kind)])

    def near(x, y):
        return np.array([x, y]) + rng.uniform(-0.08, 0.08, 2)

    A, B, C, D = near(0, 0), near(0.1, 0.4), near(0.8, 0.8), near(1.0, 0)
    if kind == "four-bar":
        return four_bar_at(A, B, C, D, law)
    if kind == "crank and slider":
        return crank_slider_at(A, B, C, near(1, 0.1), law)
    if kind == "yoke":
        return yoke_at(A, B, D, law)
    m = four_bar_at(A, B, C, D, law)
    E, F, G = near(0.3, 1.0), near(1.3, 1.2), near(1.8, 0)
    if kind == "Watt":  # coupler and rocker carry the second dyad
        more = [("E", "coupler", "4", E), ("F", "4", "5", F), ("G", "rocker", "5", near(1.3, 0.4))]
    elif kind == "Watt on the base":
        more = [("E", "rocker", "4", E), ("F", "4", "5", F), ("G", "ground", "5", G)]
    else:  # Stephenson: the coupler carries it
        more = [("E", "coupler", "4", E), ("F", "4", "5", F), ("G", "ground", "5", G)]
    joints = [*m.joints, *(kb.Revolute(n, p, c, at=at) for n, p, c, at in more)]
    return planar(kind, ("crank", "coupler", "rocker", "4", "5"), joints, law)


def on_shafts(pair, law="3*t + t^2"):
    """Two bodies with profiles, each on a shaft through its pole."""
    pole = pair.pose(pair.drawn_coordinates).p[:2]
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("D", "ground", "two", at=pole),
        pair,
    ]
    return planar("curves", ("one", "two"), joints, law)


def random_cams(seed):
    """Two smooth curves that touch in some place, away from dead points."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt])
        one, two = (
            "0.3 + {}*cos({{0}}) + {}*sin({{0}}) + {}*cos(2*{{0}})".format(*row)
            for row in rng.uniform(-0.02, 0.02, (2, 3))
        )
        pair = kb.CurveContact(
            "K",
            "one",
            "two",
            at=(0, 0),
            profile=one.format("beta"),
            child_profile=two.format("gamma"),
            drawn=tuple(rng.uniform(-3, 3, 2)),
        )
        X, (on_parent, _) = pair.pose(pair.drawn), pair.contacts(*pair.drawn)
        levers = [abs(on_parent.tangent @ (on_parent.point - pole)) for pole in ((0, 0), X.p[:2])]
        if min(levers) > 0.02:
            return on_shafts(pair, "0.2*t + 0.3*t^2")
    raise AssertionError("no cams away from dead points")


def with_a_jack(seed=None):
    """Example 3.2 with the actuator given by its length alone; or a random four-bar with a jack."""
    if seed is None:
        m, start = triad(), 0.35 * np.sqrt(2)
        ends = ("ground", (0, 0), "3", (0.35, 0.35))
        joints = [joint for joint in m.joints if joint.name not in "ASC"]
        law = f"{start} + 0.2*t"
        bodies = [body for body in m.bodies if body.name in "345"]
        return replace(m, bodies=bodies, joints=joints, drives=[kb.LengthDrive("jack", *ends, law)])
    m = random_mechanism("four-bar", seed, law=None)
    rng = np.random.default_rng([seed, 9])
    p, q = (rng.uniform(-0.1, 0.1, 2) + middle for middle in ((-0.6, 0.4), (0.1, 0.4)))
    law = f"{np.linalg.norm(q - p)} + 0.03*sin(2*t) + 0.02*t^2"
    return replace(m, drives=[kb.LengthDrive("jack", "ground", tuple(p), "crank", tuple(q), law)])
