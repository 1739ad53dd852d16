"""Curves of a living page: changed by attributes once a frame, marked inside their axes, smooth."""

import numpy as np
import pytest

import korba as kb

ROCKER = kb.linkages.four_bar("100 mm", "120 mm", "80 mm", "100 mm")
"""No Grashof: its crank comes to dead points on both sides."""
FOUR = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
WATCHED = """
async () => {
  const slider = document.querySelector("[data-size]"), counts = { made: 0, drawn: 0, frames: 0 };
  const watch = new MutationObserver((all) => {
    for (const each of all) {
      const made = [...each.addedNodes].some((node) => /^(path|circle)$/.test(node.nodeName));
      if (made) counts.made += 1;
      const curve = each.target.classList.contains("curve");
      if (each.attributeName === "d" && curve) counts.drawn += 1;
    }
  });
  const all = { childList: true, subtree: true, attributes: true };
  watch.observe(document.querySelector(".panels"), all);
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  for (let k = 0; k < 6; k++) {  // five events in each frame
    for (let i = 0; i < 5; i++) {
      slider.value = +slider.value * 1.0005;
      slider.dispatchEvent(new Event("input"));
    }
    counts.frames += 1;
    await frame();
    await frame();
  }
  watch.disconnect();
  return { ...counts, curves: document.querySelectorAll(".curve").length };
}
"""
DOTS = """
() => [...document.querySelectorAll(".panels svg")].flatMap((svg) => {
  const area = svg.querySelector("clipPath rect"), dots = [...svg.querySelectorAll(".dot")];
  const [top, high] = ["y", "height"].map((name) => +area.getAttribute(name));
  return dots.map((dot) => [+dot.getAttribute("cy"), top, top + high]);
})
"""


def test_curves_change_by_attribute_once_a_frame(opened):
    """Thirty events in six frames draw every curve at most once in each, and make none."""
    counts = opened(kb.live(FOUR)).frame.evaluate(WATCHED)
    assert counts["made"] == 0
    assert counts["curves"] <= counts["drawn"] <= (counts["frames"] + 2) * counts["curves"]


@pytest.mark.parametrize("part", [0.0, 1e-4, 0.5, 1 - 1e-4, 1.0])
def test_marks_stay_inside_their_axes(opened, part):
    """Near dead points, where speeds have no end, dots stand at the edge."""
    shown = opened(kb.live(ROCKER))
    low, high = (float(shown.frame.get_attribute("[data-input]", end)) for end in ("min", "max"))
    shown.slide("[data-input]", low + part * (high - low))
    shown.frame.evaluate("korba.state")
    dots = np.array(shown.frame.evaluate(DOTS))
    assert np.all((dots[:, 0] >= dots[:, 1] - 0.1) & (dots[:, 0] <= dots[:, 2] + 0.1))


def test_curves_bend_smoothly_up_to_a_dead_point(opened):
    """Half way between two positions the drawn line is less than half a pixel off."""
    shown = opened(kb.live(ROCKER))
    state = shown.frame.evaluate("korba.state")
    x = np.array([each["x"] for each in state["curves"]])
    assert x[-1] - x[0] < 2 * np.pi - 0.1  # it does come to dead points
    find = "korba.data.outputs.find((each) => each.name === 'D').panels[0].rows"
    (row,) = shown.frame.evaluate(find)
    drawn = np.array([each["row"][row] for each in state["curves"]])
    middle, halfway = (x[1:] + x[:-1]) / 2, (drawn[1:] + drawn[:-1]) / 2
    a, b, c, d = 0.1, 0.12, 0.08, 0.1
    to_B = a * np.exp(1j * middle) - d
    reach = (np.abs(to_B) ** 2 + c**2 - b**2) / (2 * np.abs(to_B) * c)
    true = np.angle(to_B) + np.multiply.outer([1, -1], np.arccos(reach))
    pixel = np.ptp(drawn) / 114  # of a panel of 160
    off = np.abs((true - halfway + np.pi) % (2 * np.pi) - np.pi).min(axis=0)
    assert off.max() < 0.5 * pixel


def test_values_are_told_to_screen_readers(opened):
    """Sliders say their value with its unit, and panels what they show where the input is."""
    shown = opened(kb.live(FOUR))
    shown.slide("[data-input]", np.deg2rad(60))
    shown.frame.evaluate("korba.state")
    assert shown.frame.get_attribute("[data-input]", "aria-valuetext") == "60 deg"
    assert shown.frame.get_attribute("[data-size='b']", "aria-valuetext") == "120 mm"
    labels = shown.frame.eval_on_selector_all(
        ".panels svg", "(all) => all.map((e) => e.getAttribute('aria-label'))"
    )
    assert all(" at 60 deg" in label for label in labels)
    transmission = next(label for label in labels if label.startswith("transmission angle"))
    motion = kb.motion(FOUR, [30 / 360])
    told = kb.transmission_angle(motion)
    value = float(transmission.split(": ")[1].split(" deg")[0].split()[-1])
    assert value == pytest.approx(np.rad2deg(told.angle[0]), abs=0.06)
