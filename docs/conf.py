"""Sphinx configuration; the documentation builds offline and a warning is an error."""

import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import korba
import korba.course
import korba.papers
import korba.results
import korba.solids
from korba.linkages.ready import ready

os.environ["KORBA_PROGRESS"] = "off"  # pages show answers, not how long they took
logger = logging.getLogger(__name__)
DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS / "_ext"), str(ROOT)]

from jobs import changelog  # noqa: E402  (found by the line above)

project = "Korba"
author = "The Korba developers"
copyright = "2026, The Korba developers"
version = release = installed_version("korba")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "plain_docstrings",
    "element_pages",
    "gallery",
    "example_groups",
    "executed_pages",
    "grouped_reference",
    "offline_math",
]
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = f"Korba {version}"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
html_js_files = ["reached.js"]
html_math_renderer = "mathml"
html_copy_source = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # an answer kept from an older Korba would be no answer
nb_execution_raise_on_error = True
nb_execution_timeout = 120  # of one cell, in seconds
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
suppress_warnings = ["ref.python"]  # `name` of a Body or of a Joint: a signature need not choose


def setup(app: Sphinx) -> None:
    """Write the parts of the pages that follow from other folders."""
    app.connect("env-get-outdated", lambda *_: ["changelog", "examples", "linkages"])
    app.connect("source-read", append_generated)
    app.connect("env-check-consistency", every_name_is_in_the_reference)


def append_generated(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add the ready mechanisms and the changelog fragments to their pages."""
    if page == "linkages":
        source[0] += "\n| example | what it is |\n|---|---|\n"
        source[0] += "".join(f"| `{key}` | {what} |\n" for key, (what, _) in ready().items())
    if page == "changelog":
        source[0] += changelog.waiting(ROOT)
        source[0] += "\n#" + (ROOT / "changelog.d" / "names.md").read_text("utf-8")


def every_name_is_in_the_reference(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of public names of `korba` and of its rooms that no page explains."""
    rooms = (korba, korba.course, korba.linkages, korba.papers, korba.results, korba.solids)
    for room in rooms:
        listed = env.domains.python_domain.objects
        absent = [name for name in room.__all__ if f"{room.__name__}.{name}" not in listed]
        if absent:
            logger.warning("the reference lacks %s of %s", ", ".join(absent), room.__name__)
