"""Pages of Korba in Chromium: what they log and load, what they show, and pictures of them.

A test asks for the fixture `opened` and opens a page, the text of one or the path of a file:

    def test_it_plays(opened):
        shown = opened(kb.animate(motion))
        shown.page.keyboard.press("Space")        # Playwright's page, for mouse, keys and locators
        shown.slide("input[aria-label=time]", 0.5)
        assert shown.ink("svg") > 0.01            # share of pixels that are not background
        places = shown.places()                   # of lines and symbols, in metres, as shown

When the test ends its picture is kept (build/screenshots/TEST.png) and the test fails if the page
logged an error or a warning, threw one, or asked for anything but itself: there is no network.
`opened(page, within="iframe")` looks into a frame, such as the living mechanism of a report.
"""

import io
from pathlib import Path

import numpy as np
from chromium import needed

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
OWN = ("file:", "data:", "blob:", "about:")
"""What a page may ask for: itself, and what it carries."""

STRIP = 2000
"""Pixels of a page's height that are taken at once."""
ATTEMPTS, REFUSED = 6, "Unable to capture screenshot"
"""How often a picture is asked for, and what a browser says that could not take it."""
OF_THE_DRIVER = "GL Driver Message (OpenGL, Performance"
"""WebGL without a graphics card says that it is slow; that is no fault of a page."""
MOVED = """
async (slider, value) => {
  slider.focus();
  slider.value = value;
  for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, {bubbles: true}));
  for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
}
"""
SHOWN_PLACES = r"""
(svg) => {
  const numbers = (text) => (text.match(/-?\d+\.?\d*(?:e[-+]?\d+)?/g) || []).map(Number);
  const places = [];
  for (const element of svg.querySelectorAll("[data-part]")) {
    const line = element.getAttribute("d"), moved = element.getAttribute("transform");
    const shown = line ? numbers(line) : numbers(moved || "").slice(0, 2);
    for (let i = 0; i + 1 < shown.length; i += 2) places.push([shown[i], shown[i + 1]]);
  }
  return [places, korba.data.scale, korba.data.shift];
}
"""


def end_without_browser(error):
    """Ends a test that has no browser: it is skipped, or fails in CI."""
    import pytest  # not where the documentation is built

    (pytest.fail if needed() else pytest.skip)(f"no browser: {error}")


class Shown:
    """A page in the browser, and all that it logged and asked for."""

    def __init__(self, context, path, within=None):
        self.context = context
        self.page = context.new_page()
        self.faults = []
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.faults.append(f"thrown: {error}"))
        self.page.on("request", self._asked)
        self.page.on("requestfailed", lambda request: self.faults.append(f"failed: {request.url}"))
        self.page.goto(Path(path).as_uri())
        self.frame = self.page
        if within:
            frame = self.page.locator(within).first.element_handle().content_frame()
            frame.wait_for_function("window.korba !== undefined")
            self.frame = frame

    def _logged(self, message):
        if message.type in ("error", "warning") and OF_THE_DRIVER not in message.text:
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, request):
        if not request.url.startswith(OWN):
            self.faults.append(f"asked for {request.url}")

    def slide(self, selector, value):
        """Moves a slider to a value, as its events do, and waits until the page has drawn it."""
        self.frame.locator(selector).first.evaluate(MOVED, repr(float(value)))

    def places(self):
        """Where the drawing has its lines and symbols, read off the page, in metres: (n, 2)."""
        svg = self.frame.locator("svg").first.element_handle()
        pixels, scale, shift = self.frame.evaluate(SHOWN_PLACES, svg)
        return (np.array(pixels) - shift) / scale * [1, -1]

    def picture(self, selector=None, *, whole=False):
        """Pixels (height, width, 3) of the page, or of its first such element.

        It is looked for in the frame that was opened, or in the `whole` page.
        """
        root = self.page if whole else self.frame
        return photograph(self.page, root.locator(selector).first if selector else self.page)

    def ink(self, selector=None, *, whole=False):
        """Share of the pixels that differ from the commonest colour; 0 of a blank picture."""
        return ink_of(self.picture(selector, whole=whole))

    def keep(self, name):
        """Writes the picture of the whole page, for people."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        from PIL import Image

        Image.fromarray(photograph_all(self.page)).save(SCREENSHOTS / f"{name}.png")


def photograph_all(page):
    """Pixels (height, width, 3) of a page from top to bottom, taken in strips.

    A browser without a graphics card cannot always hold the picture of a tall page at once.
    """
    width, height = page.evaluate(
        "() => [innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]"
    )
    tops = range(0, height, STRIP)
    return np.vstack(
        [
            photograph(
                page, page, full_page=True, clip=_strip(width, top, min(top + STRIP, height))
            )
            for top in tops
        ]
    )


def _strip(width, top, bottom):
    return {"x": 0, "y": top, "width": width, "height": bottom - top}


def photograph(page, shown, **options):
    """Pixels (height, width, 3) of a page or of an element of it.

    A busy browser sometimes answers that it could not take a picture, of a page that is whole;
    then it is asked again.
    """
    from playwright.sync_api import Error  # only where there is a browser

    for attempt in range(ATTEMPTS):
        try:
            png = shown.screenshot(timeout=60_000, **options)
            break
        except Error as error:
            if REFUSED not in str(error) or attempt + 1 == ATTEMPTS:
                raise
            page.wait_for_timeout(500)
    from PIL import Image  # only where there is a browser

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def ink_of(pixels):
    """Share of pixels (height, width, 3) that differ from the commonest colour."""
    codes = pixels.astype(np.int64) @ [65536, 256, 1]
    return float(1 - np.unique(codes, return_counts=True)[1].max() / codes.size)
