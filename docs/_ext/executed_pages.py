"""Pages with code cells are run in the build, and show what the cells say.

A page is run where it has a fence `{code-cell} ipython3`; it needs no header. A cell that fails,
fails the build. The slowest pages are told at the end, since the whole build has ten minutes.
"""

import os
from logging import WARNING, getLogger
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

CELL = "```{code-cell}"
HEADER = """---
file_format: mystnb
kernelspec:
  name: python3
---

"""
TOLD = 8
"""Pages whose times are told."""


KERNELS = Path(__file__).resolve().parent / "jupyter"
"""Python as Jupyter starts it, less what it says at every start."""


def setup(app: Sphinx) -> dict[str, Any]:
    os.environ["JUPYTER_PATH"] = str(KERNELS)
    getLogger("traitlets").setLevel(WARNING)
    app.connect("source-read", make_executed)
    app.connect("build-finished", tell_times)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def make_executed(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Give a page with cells the header that says so."""
    if CELL in source[0] and not source[0].startswith("---"):
        source[0] = HEADER + source[0]


def tell_times(app: Sphinx, fault: Exception | None) -> None:
    """The time that all pages took, and the slowest of them."""
    data = {} if fault else getattr(app.env, "nb_metadata", {})
    run = {page: own["exec_data"]["runtime"] for page, own in data.items() if "exec_data" in own}
    times = {page: seconds for page, seconds in run.items() if seconds is not None}
    slowest = sorted(times, key=lambda page: -times[page])[:TOLD]
    named = ", ".join(f"{page} {times[page]:.1f} s" for page in slowest)
    if times:
        print(f"   {len(times)} pages ran for {sum(times.values()):.0f} s: {named}")
