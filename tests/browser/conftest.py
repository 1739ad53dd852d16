"""One headless Chromium for each file of tests, and pages opened in it; see pages.py."""

import re

import pytest
from chromium import NoBrowserError, browser
from pages import Shown, end_without_browser


@pytest.fixture(scope="module")
def chromium():
    """A browser; tests are skipped where there is none, in CI they fail, and both say why.

    It ends with its file of tests: Playwright leaves an event loop running, which others must not
    meet.
    """
    opened = browser()
    try:
        shown = opened.__enter__()
    except NoBrowserError as error:
        end_without_browser(error)
    yield shown
    opened.__exit__(None, None, None)


@pytest.fixture
def opened(chromium, tmp_path, request):
    """A function that opens a page, its text or its path; at the end all must have gone well."""
    pages = []

    def opened(page, *, within=None, size=(1000, 800), **options):
        path = page
        if isinstance(page, str) and page.lstrip().startswith("<"):
            path = tmp_path / f"page{len(pages)}.html"
            path.write_text(page, "utf-8")
        width, height = size
        context = chromium.new_context(
            viewport={"width": width, "height": height}, offline=True, **options
        )
        context.set_default_timeout(60_000)
        pages.append(Shown(context, path, within))
        return pages[-1]

    yield opened
    name = re.sub(r"\W+", "_", request.node.name).strip("_")
    for number, shown in enumerate(pages):
        shown.keep(f"{name}{number or ''}")
        shown.context.close()
    for shown in pages:
        assert not shown.faults
