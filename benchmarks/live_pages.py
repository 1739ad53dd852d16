"""Pages in which mechanisms live, in Chromium: what one step of the mouse or of a slider costs.

A browser reports how long it ran scripts, and all its work for the page together (scripts, styles,
layout); a frame at 60 frames a second has 16.7 ms. Real events of the mouse drag the crank; every
step is followed by a frame. The least of several rounds is shown, since other work disturbs.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import korba as kb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "browser"))

STEPS, ROUNDS = 30, 6
GRIP = """
(points => korba.data.grip.map((i) => points[i]))(
  korba.at(+korba.input.value, korba.sizes.map((each) => +each.value)))
"""
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NEXT_SIZE = f"""
(factor) => {{
  const slider = korba.sizes[0];
  slider.value = factor * slider.defaultValue;
  slider.dispatchEvent(new Event("input", {{bubbles: true}}));
  return {NEXT_FRAME};
}}
"""


def mechanisms() -> dict[str, kb.Mechanism]:
    return {
        "four-bar": kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7),
        "Jansen's leg": kb.linkages.jansen(),
    }


class Page:
    """A living page in a browser, and the milliseconds that it has cost so far."""

    def __init__(self, browser: Any, page: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_text(page, "utf-8")
            context = browser.new_context(offline=True, viewport={"width": 1000, "height": 800})
            self.page = context.new_page()
            self.page.goto(path.as_uri())
        self.session = context.new_cdp_session(self.page)
        self.session.send("Performance.enable")

    def spent(self) -> tuple[float, float]:
        """Milliseconds in scripts, and in all."""
        metrics = {
            m["name"]: m["value"] for m in self.session.send("Performance.getMetrics")["metrics"]
        }
        return 1e3 * metrics["ScriptDuration"], 1e3 * metrics["TaskDuration"]

    def least(self, step: Any) -> tuple[float, float]:
        """Milliseconds of a step, in scripts and in all: the best of some rounds."""
        rounds = []
        for _ in range(ROUNDS):
            before = self.spent()
            for k in range(STEPS):
                step(k)
            rounds.append([(b - a) / STEPS for a, b in zip(before, self.spent(), strict=True)])
        return min(script for script, _ in rounds), min(whole for _, whole in rounds)

    def dragged(self) -> tuple[float, float]:
        """Of the crank, once round."""
        box = self.page.locator("svg").first.bounding_box()
        (x, y), tip = self.page.evaluate(GRIP)
        reach, mouse = math.dist((x, y), tip), self.page.mouse
        start = math.atan2(y - tip[1], tip[0] - x)

        def step(k: int) -> None:
            angle = start + 2 * math.pi * k / STEPS
            mouse.move(
                box["x"] + x + reach * math.cos(angle), box["y"] + y - reach * math.sin(angle)
            )
            self.page.evaluate(NEXT_FRAME)

        step(0)
        mouse.down()
        costs = self.least(step)
        mouse.up()
        return costs

    def resized(self) -> tuple[float, float]:
        """Of the first size, a little up and down."""
        return self.least(lambda k: self.page.evaluate(NEXT_SIZE, 1 + 0.01 * math.sin(k)))


def table() -> str:
    from chromium import NoBrowserError, browser

    lines = ["| page | step | script | all of a frame |", "|---|---|---|---|"]
    try:
        with browser() as opened:
            for name, m in mechanisms().items():
                page = Page(opened, kb.live(m))
                for what, (script, whole) in (("crank", page.dragged()), ("size", page.resized())):
                    lines.append(f"| {name} | {what} | {script:.2f} ms | {whole:.2f} ms |")
    except NoBrowserError as error:
        return f"(living pages need a browser: {error})"
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
