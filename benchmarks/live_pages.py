"""Pages in which mechanisms live, in Chromium: what one step of the mouse or of a slider costs.

A browser reports how long it ran scripts, and all its work for the page together (scripts, styles,
layout); a frame at 60 frames a second has 16.7 ms. Real events of the mouse drag the crank; every
step is followed by a frame. Of every step the least of several rounds counts, since other work
disturbs; their mean is shown.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "browser"))

STEPS, ROUNDS = 30, 6
ON_SCREEN = """
([x, y]) => {
  const svg = document.querySelector(".figure svg"), { scale, shift } = korba.data;
  const at = new DOMPoint(shift[0] + scale * x, shift[1] - scale * y);
  const seen = at.matrixTransform(svg.getScreenCTM());
  return [seen.x, seen.y];
}
"""
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NEXT_SIZE = f"""
(factor) => {{
  const slider = document.querySelector("[data-size]");
  slider.value = factor * slider.defaultValue;
  slider.dispatchEvent(new Event("input", {{bubbles: true}}));
  return {NEXT_FRAME};
}}
"""


def mechanisms() -> dict[str, tuple[kb.Mechanism, str]]:
    """Mechanisms, and the points that their cranks are dragged by."""
    return {
        "four-bar": (kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), "B"),
        "Jansen's leg": (kb.linkages.jansen(), "M"),
        "Klann's leg": (kb.linkages.klann(), "B"),
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
        """Milliseconds of a step, in scripts and in all: of each step the best of some rounds."""
        spent = np.empty((ROUNDS, STEPS, 2))
        for costs in spent:
            for k in range(STEPS):
                before = self.spent()
                step(k)
                costs[k] = np.subtract(self.spent(), before)
        script, whole = spent.min(axis=0).mean(axis=0)
        return script, whole

    def dragged(self, m: kb.Mechanism, point: str) -> tuple[float, float]:
        """Of the crank by a point of it, once round from where it is drawn."""
        ((lead, start),) = self.page.evaluate("korba.state.inputs").items()
        angles = start + np.linspace(0, 2 * np.pi, STEPS)
        places = [kb.assemble(m, {lead: x}).point("crank", point)[:2].tolist() for x in angles]
        seen = [self.page.evaluate(ON_SCREEN, place) for place in places]

        def step(k: int) -> None:
            self.page.mouse.move(*seen[k])
            self.page.evaluate(NEXT_FRAME)

        step(0)
        self.page.mouse.down()
        costs = self.least(step)
        self.page.mouse.up()
        return costs

    def resized(self) -> tuple[float, float]:
        """Of the first size, a little up and down."""
        return self.least(lambda k: self.page.evaluate(NEXT_SIZE, 1 + 0.01 * math.sin(k)))


def table() -> str:
    from chromium import NoBrowserError, browser

    lines = ["| page | step | script | all of a frame |", "|---|---|---|---|"]
    try:
        with browser() as opened:
            for name, (m, point) in mechanisms().items():
                page = Page(opened, kb.live(m))
                costs = {"crank": page.dragged(m, point), "size": page.resized()}
                for what, (script, whole) in costs.items():
                    lines.append(f"| {name} | {what} | {script:.2f} ms | {whole:.2f} ms |")
    except NoBrowserError as error:
        return f"(living pages need a browser: {error})"
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
