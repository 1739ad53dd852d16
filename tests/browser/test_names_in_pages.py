"""Names that look like pages do nothing in pages: no script runs, nothing is asked for."""

import numpy as np
import pytest
from bad_names import four_bar

import korba as kb

PAGES = {
    "live": lambda m, moved: kb.live(m),
    "animate": lambda m, moved: kb.animate(moved),
    "report": lambda m, moved: kb.report(m),
    "table": lambda m, moved: moved._repr_html_(),
}


@pytest.mark.parametrize("turn", [0, 5])
@pytest.mark.parametrize("kind", PAGES)
def test_names_are_texts(opened, tmp_path, kind, turn):
    """The name of the mechanism or of a joint is read on the page, and nothing of it was run."""
    m = four_bar(turn)
    file = tmp_path / "page.html"
    file.write_text(str(PAGES[kind](m, kb.motion(m, np.linspace(0, 1, 13)))), "utf-8")
    shown = opened(file)
    for frame in shown.page.frames:
        assert frame.evaluate("typeof window.hacked") == "undefined"
        assert frame.evaluate("document.querySelectorAll('img[src=x]').length") == 0
    said = shown.page.inner_text("body") + shown.page.title()
    assert any(each.name in said for each in (m, *m.joints))
