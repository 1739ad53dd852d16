"""Groups of a higher class: homotopy against scans, closed forms and counts of zeros."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from drawn_linkages import check_laws, crossing, matched, planar, point_of, pose_of, xy
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import korba as kb
from korba import configurations
from korba.solve.homotopy import path_count, zeros
from korba.solve.planar_modes import crossings, independent, without_linear
from korba.solve.polynomial import BASE, equations_of, plane_of

BASES = np.array([0, 1.0, 0.4 + 0.9j])
CORNERS = np.array([0, 0.66, 0.36 + 0.96j])
LEGS = np.array([0.8, 1.0, 0.8])


def residual(P, z):
    return np.abs(P + z * CORNERS - BASES) - LEGS


def scanned():
    """Platform poses by the book's modification method: without leg 3 a four-bar, scanned."""

    def pose(angle, side):
        first = LEGS[0] * np.exp(1j * angle)
        ends = crossing(first, abs(CORNERS[1]), BASES[1], LEGS[1])
        return (first, (ends[side] - first) / CORNERS[1]) if ends else None

    def miss(angle, side):
        at = pose(angle, side)
        return np.nan if at is None else residual(*at)[2]

    found = []
    grid = np.linspace(-np.pi, np.pi, 20001)
    for side in (0, 1):
        values = [miss(angle, side) for angle in grid]
        for (x, y), (f, g) in zip(pairwise(grid), pairwise(values), strict=True):
            if f * g < 0:
                found.append(pose(brentq(miss, x, y, args=(side,), xtol=1e-14), side))
    return found


def platform(P, z, *, cranks=True):
    """A 3-RRR platform drawn at a pose; the cranks end in BASES when drawn."""
    corners = P + z * CORNERS
    links, joints = [], []
    for i in range(3):
        knee = BASES[i]
        if cranks:
            foot = knee - 0.3 * np.exp(1j * (1 + 2 * i))
            links.append(f"crank {i}")
            joints.append(kb.Revolute(f"A{i}", "ground", f"crank {i}", at=xy(foot)))
        before = f"crank {i}" if cranks else "ground"
        links.append(f"leg {i}")
        joints.append(kb.Revolute(f"B{i}", before, f"leg {i}", at=xy(knee)))
        joints.append(kb.Revolute(f"C{i}", f"leg {i}", "platform", at=xy(corners[i])))
    return planar("3-RRR", [*links, "platform"], joints)


def test_platform_on_three_legs_has_six_modes():
    """A triad with six real modes: the same as a scan of the modification method finds."""
    poses = scanned()
    assert len(poses) == 6
    first = poses[0]
    m = platform(*first)
    held = {"A0": 0.0, "A1": 0.0, "A2": 0.0}
    found = configurations(m, held)
    assert (found.method, found.complete, found.paths, len(found)) == ("homotopy", True, 6, 6)
    check_laws(m, found, held)
    shown = [pose_of(mode, "platform") for mode in found]
    matched([P + z * first[0] for P, z in shown], [P for P, _ in poses])
    matched([z * first[1] for _, z in shown], [z for _, z in poses])


def test_modes_do_not_depend_on_the_mode_that_is_drawn():
    """Drawn in another of its modes the same platform has the same modes, that one first."""
    poses = scanned()
    for first in (poses[2], poses[5]):
        found = configurations(platform(*first, cranks=False))
        shown = [pose_of(mode, "platform") for mode in found]
        matched([P + z * first[0] for P, z in shown], [P for P, _ in poses])
        assert abs(shown[0][1] - 1) < 1e-9
        assert found[0].followed


def test_stephenson_six_bar_over_its_inputs():
    """Driven by its dyad the count of modes is even, at most six, and all of them close."""
    B, D = 0.3 * np.exp(1.2j), 1.0 + 0j
    C = crossing(B, 0.9, D, 0.7)[0]
    E, G = B + (C - B) * (0.5 + 0.6j), 0.6 - 0.5j
    F = crossing(E, 1.1, G, 0.45)[0]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=xy(B)),
        kb.Revolute("C", "coupler", "rocker", at=xy(C)),
        kb.Revolute("D", "ground", "rocker", at=xy(D)),
        kb.Revolute("E", "coupler", "link", at=xy(E)),
        kb.Revolute("F", "link", "arm", at=xy(F)),
        kb.Revolute("G", "ground", "arm", at=xy(G)),
    ]
    m = planar("Stephenson III", ["crank", "coupler", "rocker", "link", "arm"], joints)
    counts = []
    for angle in (-2.0, -0.5, 0.0, 0.5, 1.0, 2.5):
        found = configurations(m, {"G": angle})
        assert found.complete
        check_laws(m, found, {"G": angle})
        counts.append(len(found))
        points = dict(zip("BCE", (B, C, E), strict=True))
        F_now = G + (F - G) * np.exp(1j * angle)
        for mode in found:
            b, c, e = (point_of(mode, "coupler", points[name]) for name in "BCE")
            assert_allclose([abs(b), abs(c - D), abs(e - F_now)], [0.3, 0.7, 1.1], atol=1e-11)
    assert all(count % 2 == 0 for count in counts)
    assert max(counts) >= 2


def random_dyad(kinds, rng):
    """A dyad ground - 1 - 2 - ground with joints of given kinds in random places."""
    joints = []
    for name, kind, ends in zip(
        "ABC", kinds, (("ground", "1"), ("1", "2"), ("2", "ground")), strict=True
    ):
        at = tuple(rng.normal(size=2))
        axis = tuple(rng.normal(size=2))
        if kind == "R":
            joints.append(kb.Revolute(name, *ends, at=at))
        else:
            joints.append(kb.Prismatic(name, *ends, at=at, axis=axis))
    return planar(kinds, ["1", "2"], joints)


def forms_of(m):
    plane = plane_of(m, {}, (), 0.0)
    names = tuple(body.name for body in m.bodies)
    found = equations_of(plane, BASE, names)
    T = without_linear(found.linear, 1 + 2 * len(names))
    drawn = np.array([1, *[0, 1] * len(names)], dtype=complex)
    return independent(found.forms, T), T, drawn


@pytest.mark.parametrize("kinds", ["RRR", "RRP", "PRR", "RPR", "PRP", "RPP", "PPR"])
def test_closed_form_of_every_dyad_is_what_homotopy_finds(kinds):
    """The drawing is a position of the dyad; both ways find it and the same others."""
    rng = np.random.default_rng(7)
    for _ in range(5):
        forms, T, drawn = forms_of(random_dyad(kinds, rng))
        closed = crossings(forms)
        paths = zeros(forms)
        assert paths.lost == 0
        assert len(closed) == len(paths.u)
        matched(closed, paths.u[:, 0], tol=1e-7 * (1 + np.abs(closed).max()))
        positions = [T @ np.array([1, u]) for u in closed]
        assert min(np.abs(x - drawn).max() for x in positions) < 1e-10
        assert len(closed) == {"RRR": 2, "RPR": 2, "RRP": 2, "PRR": 2}.get(kinds, 1)


def test_bilinear_equations_have_as_many_zeros_as_paths():
    """General forms have (2k over k) zeros, none at infinity, none lost, an even count real."""
    rng = np.random.default_rng(3)
    for k in (1, 2, 3):
        H = rng.normal(size=(2 * k, k + 1, k + 1)) + 1j * rng.normal(size=(2 * k, k + 1, k + 1))
        found = zeros(H + H.conj().transpose(0, 2, 1))
        assert (found.paths, found.infinite, found.lost) == (path_count(k), 0, 0)
        assert len(found.u) + found.complex == found.paths
        assert len(found.u) % 2 == 0


def legs(bases, corners, lengths):
    """The forms of a platform (P, z) on three legs."""
    z = np.array([0, 0, 1], dtype=complex)
    rows = [np.array([-a, 1, b]) for a, b in zip(bases, corners, strict=True)]
    one = np.outer([1, 0, 0], [1, 0, 0])
    forms = [
        np.outer(r.conj(), r) - length**2 * one for r, length in zip(rows, lengths, strict=True)
    ]
    return np.array([*forms, np.outer(z, z) - one])


def test_paths_that_end_on_a_curve_are_told_apart():
    """A platform congruent to its base, on equal legs, also moves in a circle: not isolated."""
    w = np.exp(2j * np.pi * np.arange(3) / 3)
    found = zeros(legs(w, w, [0.5] * 3))
    assert (len(found.u), found.curves, found.lost) == (2, 4, 0)
    assert zeros(legs(w, 0.5 * w, [0.8] * 3)).curves == 0
