"""Assembly modes by search: in space, with cams, and beside the complete method."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_linkages import FILES, check_laws, planar, xy
from numpy.testing import assert_allclose

import korba as kb
from korba import configurations
from korba.solve.configurations import question, searched


def test_spherical_four_bar_by_search():
    """In space a search says that it is one; the spherical four-bar has its two modes."""
    m = kb.load(FILES / "fig_1_21d_spherical_four_bar.toml")
    found = configurations(m, {"A": 0.3}, starts=60)
    assert (found.method, found.complete, len(found), found.starts) == ("search", False, 2, 60)
    assert min(found.met) >= 10
    assert found[0].followed
    assert "a search does not prove" in str(found)
    check_laws(m, found, {"A": 0.3})


def tripod():
    """Three legs R-P-S with held lengths between plane base and platform (3-RPS)."""
    names, joints = [], []
    for i in range(3):
        out = np.exp(2j * np.pi * i / 3)
        foot, ball = np.array([*xy(out), 0.0]), np.array([*xy(0.6 * out), 1.0 + 0.1 * i])
        names += [f"leg {i}", f"rod {i}"]
        axis = (*xy(1j * out), 0.0)
        joints += [
            kb.Revolute(f"R{i}", "ground", f"leg {i}", at=tuple(foot), axis=axis),
            kb.Prismatic(f"P{i}", f"leg {i}", f"rod {i}", at=tuple(foot), axis=tuple(ball - foot)),
            kb.Spherical(f"S{i}", f"rod {i}", "platform", at=tuple(ball)),
        ]
    return kb.Mechanism("tripod", [kb.Body(name) for name in [*names, "platform"]], joints)


def test_platform_on_three_struts_has_its_mirror_images():
    """Reflected in the base the balls give another mode: modes met come in such pairs."""
    m = tripod()
    held = {f"P{i}": 0.0 for i in range(3)}
    found = configurations(m, held, starts=200)
    assert not found.complete
    assert found[0].followed
    check_laws(m, found, held)
    angles = np.array([[mode[f"R{i}"] for i in range(3)] for mode in found])
    drawn = np.array([np.arctan2(1.0 + 0.1 * i, 0.4) for i in range(3)])
    for image in -2 * drawn - angles:
        assert np.abs(np.exp(1j * angles) - np.exp(1j * image)).max(axis=1).min() < 1e-8
    assert len(found) >= 2


def random_triad(kinds, rng):
    """A platform on three legs, the joints of each leg of given kinds, in random places."""
    joints = []
    for i, pair in enumerate(kinds):
        for name, kind, ends in zip(
            "AB", pair, (("ground", f"leg {i}"), (f"leg {i}", "platform")), strict=True
        ):
            at, axis = tuple(rng.normal(size=2)), tuple(rng.normal(size=2))
            joints.append(
                kb.Revolute(f"{name}{i}", *ends, at=at)
                if kind == "R"
                else kb.Prismatic(f"{name}{i}", *ends, at=at, axis=axis)
            )
    return planar("triad", ["leg 0", "leg 1", "leg 2", "platform"], joints)


@pytest.mark.parametrize("kinds", [("RR", "RR", "RR"), ("RP", "PR", "RR")])
def test_a_search_finds_what_homotopy_finds(kinds):
    """On random triads 150 random starts meet every mode of the homotopy and no other."""
    m = random_triad(kinds, np.random.default_rng(5))
    whole = configurations(m)
    assert whole.complete
    met = searched(question(m, {}, 0.0), 150)
    assert len(met) == len(whole) >= 2
    table = np.array([np.exp(1j * mode.q) for mode in whole])
    for mode in met:
        assert np.abs(table - np.exp(1j * mode.q)).max(axis=1).min() < 1e-9


def test_a_cam_is_searched():
    """A follower on a cam is no polynomial: the search says so and finds the drawn mode."""
    m = kb.load(FILES / "fig_1_16a_cam_and_follower.toml")
    found = configurations(m, {"A": 0.1}, starts=20)
    assert (found.method, found.complete) == ("search", False)
    assert found[0].followed
    check_laws(m, found, {"A": 0.1})


def test_a_search_without_success_is_empty():
    """Beyond the range of its rocker a four-bar in space has no mode: empty, and no error."""
    m = kb.load(FILES / "fig_1_21d_spherical_four_bar.toml")
    found = configurations(m, {"D": -1.0}, starts=20)
    assert len(found) == 0
    assert "0 of 20 random starts" in str(found)
    assert "does not prove that there is none" in found.note
    assert len(configurations(m, {"D": 1.0}, starts=20)) == 2


def test_shafts_of_a_universal_joint_are_told_apart():
    """Half a turn of the output of a Cardan joint is another mode: its shafts are no legs."""
    tilt = 0.6
    out = (np.cos(tilt), np.sin(tilt), 0)
    joints = [
        kb.Revolute("A", "ground", "in", at=(-1, 0, 0), axis=(1, 0, 0)),
        kb.Universal("U", "in", "out", at=(0, 0, 0), axis=(0, 0, 1), x_axis=(-out[1], out[0], 0)),
        kb.Revolute("B", "ground", "out", at=out, axis=out),
    ]
    m = kb.Mechanism("cardan", [kb.Body("in"), kb.Body("out")], joints)
    one, two = sorted(mode["B"] for mode in configurations(m, {"A": 0.3}))
    assert_allclose(two - one, np.pi, rtol=0, atol=1e-9)
