"""A robot's living page: limbs, a search, names on and off, poses to click."""

from pathlib import Path

import numpy as np
import pytest

import korba as kb


def two_arms(joints=5):
    """A torso that floats nowhere, with two arms of some joints, and poses."""
    bodies, pins = (
        [kb.Body("torso", mass=1, points={"T": (0, 0, 0)})],
        [kb.Revolute("waist", "ground", "torso", at=(0, 0, 0), axis=(0, 0, 1))],
    )
    for side, y in (("left", 0.2), ("right", -0.2)):
        before = "torso"
        for k in range(joints):
            name = f"{side} {k + 1}"
            bodies.append(kb.Body(name, mass=0.5, com=(0.1 * k + 0.05, y, 0)))
            axis = (0, 1, 0) if k % 2 else (0, 0, 1)
            pins.append(kb.Revolute(f"{side}_{k + 1}", before, name, at=(0.1 * k, y, 0), axis=axis))
            before = name
    home = kb.NamedPose("home", {"left_1": "30 deg", "right_2": "-20 deg", "waist": 0.1})
    return kb.Mechanism("two arms", bodies=bodies, joints=pins, poses=[home])


ROBOT = two_arms()
ARM = Path(__file__).parents[2] / "examples" / "robots" / "desk_arm.urdf"


def test_a_pose_is_one_click(opened):
    """The button of a pose brings its joints to their values; others stay."""
    shown = opened(kb.live(ROBOT))
    shown.slide("[data-input='left_3']", 0.4)
    shown.frame.click("text=home")
    now = shown.frame.evaluate("korba.state.inputs")
    wanted = {"left_1": np.deg2rad(30), "right_2": -np.deg2rad(20), "waist": 0.1, "left_3": 0.4}
    assert {name: now[name] for name in wanted} == pytest.approx(wanted, abs=1e-9)


def test_inputs_are_grouped_by_limb_and_found(opened):
    """Each arm is a group of its own, and a search leaves the rows of a name."""
    shown = opened(kb.live(ROBOT))
    heads = shown.frame.locator(".limb summary").all_inner_texts()
    assert heads == ["to torso", "to left 5", "to right 5"]
    shown.frame.fill(".find", "right_2")
    assert shown.frame.locator(".inputs .row:visible [data-input]").count() == 1
    assert shown.frame.locator(".limb:visible").count() == 1
    shown.frame.fill(".find", "")
    assert shown.frame.locator(".inputs .row:visible [data-input]").count() == 11


def test_names_are_switched_off(opened):
    """Names of joints are seen until their switch is off."""
    shown = opened(kb.live(ROBOT))
    assert shown.frame.locator(".names span:visible").count() > 0
    shown.frame.uncheck(".naming")
    assert shown.frame.locator(".names span:visible").count() == 0
    shown.frame.check(".naming")
    assert shown.frame.locator(".names span:visible").count() > 0


def test_few_inputs_need_no_search(opened):
    """A four-bar has neither groups nor a search."""
    shown = opened(kb.live(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)))
    assert shown.frame.locator(".find, .limb, .poses").count() == 0


def test_names_keep_off_meshes_and_each_other(opened):
    """Where there is room no name covers a body, at home and turned; lines lead to their joints."""
    shown = opened(kb.live(kb.read_urdf(ARM)), size=(1400, 900))
    canvas = shown.page.locator("canvas")
    box = canvas.bounding_box()
    for turn in (0, 90, 90):
        x, y = box["x"] + 30, box["y"] + 30
        shown.page.mouse.move(x, y)
        shown.page.mouse.down()
        shown.page.mouse.move(x + turn, y + turn / 6, steps=3)
        shown.page.mouse.up()
        shown.page.wait_for_timeout(100)
        names = shown.page.locator(".names span:visible").evaluate_all(
            "(all) => all.map((e) => { const b = e.getBoundingClientRect();"
            " return [e.textContent, b.left, b.top, b.right, b.bottom]; })"
        )
        assert len(names) >= 4
        for k, (_, left, top, right, bottom) in enumerate(names):
            for _, a, b, c, d in names[:k]:
                assert right <= a or c <= left or bottom <= b or d <= top
        shown.page.add_style_tag(content=".names {visibility: hidden}")
        pixels = shown.picture("canvas").astype(int)
        shown.page.add_style_tag(content=".names {visibility: visible !important}")
        strong = np.ptp(pixels, axis=2) > 40  # bodies have colours; paper, grid and shadow are grey
        assert strong.mean() > 0.01
        for text, left, top, right, bottom in names:
            rows = slice(int(top - box["y"]), int(bottom - box["y"]))
            own = strong[rows, int(left - box["x"]) : int(right - box["x"])]
            assert own.mean() < 0.02, text
