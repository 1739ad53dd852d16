"""Spatial motions in a browser: WebGL shows them, they are turned, and are where kb.motion says."""

from itertools import pairwise

import numpy as np
import pytest

import korba as kb

NO_WEBGL = """
const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind === "webgl2" ? null : get.call(this, kind, ...more);
};
"""
PIXELS = """(e) => {
  const copy = document.createElement("canvas");
  const pen = copy.getContext("2d", { willReadFrequently: true });
  [copy.width, copy.height] = [e.width, e.height];
  pen.drawImage(e, 0, 0);
  const [w, h] = [e.width, e.height];
  const parts = [[0, 0, w, 1], [0, h - 1, w, 1], [0, 0, 1, h], [w - 1, 0, 1, h], [0, 0, w, h]];
  return parts.map((part) => {
    const data = pen.getImageData(...part).data, low = [255, 255, 255], high = [0, 0, 0];
    for (let k = 0; k < data.length; k++) {
      if (k % 4 === 3) continue;
      low[k % 4] = Math.min(low[k % 4], data[k]);
      high[k % 4] = Math.max(high[k % 4], data[k]);
    }
    return Math.max(...high.map((x, i) => x - low[i]));
  });
}"""
"""By how much colours differ along the four rims of a canvas, and over all of it."""


@pytest.fixture(scope="module")
def motion():
    return kb.motion(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35), np.linspace(0.0, 1.0, 41))


@pytest.fixture(scope="module")
def page(motion):
    return kb.animate(motion, paths=["coupler.B"], autoplay=False)


def changed(one, other):
    """Share of pixels that differ."""
    return float((np.abs(one.astype(int) - other).max(axis=-1) > 8).mean())


def test_solids_are_shown_turned_moved_and_zoomed(opened, page):
    """A picture that is not blank, and another one after each of these; twice a click is home."""
    shown = opened(page)
    assert shown.frame.evaluate("document.querySelector('canvas').getContext('webgl2') !== null")
    first = shown.picture("canvas")
    assert shown.ink("canvas") > 0.02
    colors = np.unique(first.reshape(-1, 3) // 16, axis=0)
    assert len(colors) > 30  # lit, not flat
    box = shown.page.locator("canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse, keys = shown.page.mouse, shown.page.keyboard
    pictures = [first]
    for key in (None, "Shift"):
        mouse.move(x, y)
        if key:
            keys.down(key)
        mouse.down()
        mouse.move(x + 90, y + 30, steps=3)
        mouse.up()
        if key:
            keys.up(key)
        pictures.append(shown.picture("canvas"))
    mouse.wheel(0, -400)
    shown.page.wait_for_function("korba.space.view.zoom > 1.2")
    pictures.append(shown.picture("canvas"))
    for before, after in pairwise(pictures):
        assert changed(before, after) > 0.005
    shown.page.locator("canvas").dblclick()
    assert changed(first, shown.picture("canvas")) < 0.001


def test_places_are_those_of_the_motion(opened, page, motion):
    """Points of bodies by the page's own poses, after scrubbing and by keys, to 1e-9."""
    shown = opened(page)
    bodies = [body.name for body in motion.mechanism.bodies]
    at = [0.1, -0.2, 0.3]
    still = shown.picture("canvas")
    for k in (0, 10, 40):
        shown.slide("[aria-label=time]", k / 40)
        for number, name in enumerate(bodies, 1):
            place = shown.frame.evaluate(
                f"placedInSpace(frameAt(korba.data, korba.time), {number}, {at})"
            )
            np.testing.assert_allclose(place, motion.point(name, at).position[k], rtol=0, atol=1e-9)
    assert changed(still, shown.picture("canvas")) > 0.002
    shown.page.click("summary")
    drawn = shown.picture("canvas")
    shown.page.uncheck("[data-way='0']")
    assert changed(drawn, shown.picture("canvas")) > 0.0005


def test_names_stand_at_their_joints(opened, motion):
    """The names over the canvas are those of the joints, on the page and apart; on dark paper."""
    shown = opened(kb.animate(motion, autoplay=False, theme="dark"))
    assert shown.ink("canvas") > 0.02
    boxes = shown.frame.evaluate(
        "[...document.querySelectorAll('.names span')].filter((s) => s.style.display !== 'none')"
        ".map((s) => { const b = s.getBoundingClientRect(); return [s.textContent, b.left, b.top,"
        " b.right, b.bottom]; })"
    )
    assert {box[0] for box in boxes} <= {"A", "B", "C", "D"} and len(boxes) >= 3
    for i, (_, left, top, right, bottom) in enumerate(boxes):
        for _, a, b, c, d in boxes[:i]:
            assert right <= a or c <= left or bottom <= b or d <= top


def test_without_webgl_a_flat_canvas_shows_the_same(chromium, page, tmp_path):
    """Where WebGL is absent triangles are painted by hand, and nothing is thrown."""
    (tmp_path / "page.html").write_text(page, "utf-8")
    context = chromium.new_context(viewport={"width": 900, "height": 700}, offline=True)
    shown = context.new_page()
    faults = []
    shown.on("pageerror", lambda error: faults.append(str(error)))
    shown.add_init_script(NO_WEBGL)
    shown.goto((tmp_path / "page.html").as_uri())
    count = shown.evaluate(
        "(() => { const c = document.querySelector('canvas'), d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data, s = new Set();"
        " for (let i = 0; i < d.length; i += 4) s.add(d[i] * 65536 + d[i + 1] * 256 + d[i + 2]);"
        " return s.size; })()"
    )
    context.close()
    assert count > 30 and not faults


@pytest.mark.parametrize("make", ["stewart", "rssr", "arm"])
def test_floor_and_shadows_are_not_cut(opened, make):
    """At home, and turned by a quarter, nothing of the picture touches the rim of its canvas."""
    made = {
        "stewart": lambda: kb.linkages.stewart("1 m", "0.5 m", "1 m"),
        "rssr": lambda: kb.linkages.rssr(0.1, 0.4, 0.3, 0.35),
        "arm": lambda: kb.linkages.robot_arm("400 mm", "350 mm", "300 mm"),
    }[make]()
    shown = opened(kb.live(made) if make == "arm" else kb.animate(kb.motion(made, [0.0, 0.1, 0.2])))
    canvas = shown.page.locator("canvas")
    for turned in (False, True):
        if turned:
            box = canvas.bounding_box()
            x, y = box["x"] + 0.1 * box["width"], box["y"] + 0.1 * box["height"]
            shown.page.mouse.move(x, y)
            shown.page.mouse.down()
            shown.page.mouse.move(x + 118, y, steps=4)
            shown.page.mouse.up()
        *rims, whole = canvas.evaluate(PIXELS)
        assert rims == [0, 0, 0, 0]
        assert whole > 60
