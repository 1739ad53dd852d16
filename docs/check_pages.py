"""Reads and opens every page of the built documentation without network; says what is broken.

    python docs/check_pages.py docs/_build/html

Read: every link inside leads to a page and a place that are there; nothing that a page loads
(scripts, styles, letters, pictures, frames) comes from elsewhere. Opened in Chromium, as a reader
does from the folder: nothing is logged as an error, nothing outside the folder is asked for, no
picture is missing, and none, nor any frame, is blank. Without a browser pages are only read,
which in CI is a fault.
"""

import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "browser"))
from chromium import NoBrowserError, browser, needed
from pages import ink_of, photograph_all

LOADED = {
    "script": ("src",),
    "img": ("src",),
    "iframe": ("src",),
    "source": ("src",),
    "video": ("src", "poster"),
    "embed": ("src",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
"""Attributes by element that make a page load something."""
RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "manifest", "apple-touch-icon"}
"""Of links in a page's head: those that are loaded."""
IN_STYLES = re.compile(r"@import\s+[\"']([^\"']+)|url\(\s*[\"']?([^\"')]+)")
BLANK = 5e-4
"""Share of a picture's pixels that are not of its commonest colour, below which it is blank."""
WIDTH, HEIGHT, SCALE = 1000, 800, 0.5
"""Of the window; half as many pixels are enough to see whether there is a picture."""
EDGE = 2
"""Pixels round a picture that may be its border."""
TALLEST = 30_000
"""Pixels of a page that are looked at at once."""
ALL_LOADED = """
() => Promise.all([...document.images].filter((e) => e.checkVisibility()).map((e) => {
  e.loading = "eager";
  return e.decode().catch(() => 0);
}))
"""
"""Loads pictures that wait until somebody scrolls to them."""
DRAWN = """
async () => {
  for (const each of document.querySelectorAll("[loading=lazy]")) each.loading = "eager";
  await Promise.all([...document.images].map((each) => each.decode().catch(() => null)));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
"""
"""All pictures are loaded, and two frames later what was begun is on the screen."""
PICTURES = """
() => [...(document.querySelector("article") || document.body)
    .querySelectorAll("img, svg, iframe, canvas")]
  .filter((e) => !e.parentElement.closest("svg, button, label") && e.checkVisibility())
  .map((e) => {
    const box = e.getBoundingClientRect(), x = scrollX, y = scrollY;
    return {name: e.tagName.toLowerCase() + " " + (e.getAttribute("src") || e.id || ""),
            missing: e.tagName === "IMG" && !(e.complete && e.naturalWidth > 0),
            box: [box.left + x, box.top + y, box.right + x, box.bottom + y]};
  })
"""


class Read(HTMLParser):
    """A page as text: its anchors, its links, and what it loads."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links, self.loaded, self.tag = set(), [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tag = tag
        own = {name: value or "" for name, value in attributes}
        self.anchors |= {own[name] for name in ("id", "name") if name in own}
        self.loaded += [own[name] for name in LOADED.get(tag, ()) if own.get(name)]
        self.loaded += [
            part.split()[0] for part in own.get("srcset", "").split(",") if part.strip()
        ]
        self._style(own.get("style", ""))
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        if tag == "link" and own.get("href"):
            known = RELATIONS & set(own.get("rel", "").split())
            (self.loaded if known else self.links).append(own["href"])
        if tag == "iframe" and own.get("srcdoc"):
            inner = Read(own["srcdoc"])
            self.loaded += inner.loaded

    def handle_data(self, data):
        if self.tag == "style":
            self._style(data)

    def _style(self, text):
        self.loaded += ["".join(parts) for parts in IN_STYLES.findall(text)]


def reading_faults(folder):
    """What is wrong with pages and styles as they are written."""
    pages = {path: Read(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(folder)
        for link in page.loaded:
            if fault := _loading_fault(path, link):
                yield f"{where}: {fault}"
        for link in dict.fromkeys(page.links):
            if fault := _link_fault(pages, path, link):
                yield f"{where}: {fault}"
    for path in sorted(folder.rglob("*.css")):
        for parts in IN_STYLES.findall(path.read_text("utf-8")):
            if fault := _loading_fault(path, "".join(parts)):
                yield f"{path.relative_to(folder)}: {fault}"


def _target(path, link):
    """The file that a link means, and the place in it; None of links to elsewhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None, ""
    own = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return (own / "index.html" if own.is_dir() else own), unquote(parts.fragment)


def _loading_fault(path, link):
    if link.startswith(("data:", "#", "about:")):
        return ""
    target, _ = _target(path, link)
    if target is None:
        return f"loads {link} from elsewhere"
    return "" if target.is_file() else f"loads {link}, which is not there"


def _link_fault(pages, path, link):
    target, place = _target(path, link)
    if target is None:
        return ""
    if not target.is_file():
        return f"links to {link}, which is not there"
    known = pages.get(target)
    return "" if not place or not known or place in known.anchors else f"no place {link}"


def opening_faults(browser, folder):
    """What is wrong with pages as a browser shows them."""
    context = browser.new_context(
        offline=True, viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE
    )
    page = context.new_page()
    faults, seen, root = [], set(), folder.as_uri()
    page.on("console", lambda said: said.type == "error" and faults.append(f"logs {said.text}"))
    page.on("pageerror", lambda error: faults.append(f"throws {error}"))
    page.on("requestfailed", lambda request: faults.append(f"cannot load {request.url}"))
    page.on("request", lambda request: faults.extend(_asking_fault(request.url, root)))
    for path in sorted(folder.rglob("*.html")):
        page.goto(path.as_uri())
        faults += _pictures_of(page, path, seen)
        for fault in dict.fromkeys(faults):
            yield f"{path.relative_to(folder)}: {fault}"
        faults.clear()
    context.close()


def _asking_fault(url, root):
    if not url.startswith((root, "data:", "blob:", "about:")):
        yield f"asks for {url[:120]}, outside the folder"


def _pictures_of(page, path, seen):
    """Faults of pictures and frames that were not seen on another page."""
    page.evaluate(ALL_LOADED)
    if not page.evaluate(PICTURES):
        return
    for _ in range(2 if len(page.frames) > 1 else 1):  # frames grow when they are loaded
        height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
        page.set_viewport_size({"width": WIDTH, "height": max(height, HEIGHT)})
        page.evaluate(DRAWN)
        for frame in page.frames:
            frame.wait_for_load_state()
        page.evaluate(DRAWN)
    pictures = page.evaluate(PICTURES)
    yield from (f"picture {each['name']} is missing" for each in pictures if each["missing"])
    new = [each for each in pictures if _identity(path, each["name"]) not in seen]
    seen |= {_identity(path, each["name"]) for each in new if each["name"].startswith("img ")}
    shown = photograph_all(page) if new else None
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    for each in new:
        left, top, right, bottom = (max(round(SCALE * x), 0) for x in each["box"])
        cut = shown[top + EDGE : bottom - EDGE, left + EDGE : right - EDGE]
        if min(cut.shape[:2]) > 8 and ink_of(cut) < BLANK:
            yield f"{each['name']} is blank"
        if top > len(shown):
            yield f"{each['name']} is below what is looked at; split the page"


def _identity(path, name):
    kind, _, source = name.partition(" ")
    return kind, str((path.parent / source).resolve()) if source else ""


def main(folder):
    """Prints all faults; 1 if there are any."""
    started = time.perf_counter()
    folder = Path(folder).resolve()
    faults = list(reading_faults(folder))
    how = "read"
    try:
        with browser() as shown:
            faults += opening_faults(shown, folder)
            how = "read and opened"
    except NoBrowserError as error:
        print(f"   no browser, pages are not opened: {error}")
        faults += ["in CI pages must be opened"] * needed()
    print("\n".join(faults))
    count = sum(1 for _ in folder.rglob("*.html"))
    print(f"   {count} pages {how} in {time.perf_counter() - started:.0f} s, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
