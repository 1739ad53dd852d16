"""The page of examples: all of them, quoted under headings."""

import ast
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]

GROUPS = {
    "First steps": ("01_", "02_", "23_", "24_", "19_"),
    "Pictures": ("67_", "68_", "69_", "70_", "71_", "72_", "74_"),
    "Structure": ("03_", "04_", "47_", "48_"),
    "Positions and motion": ("10_", "13_", "14_", "15_", "18_", "20_", "21_", "49_", "55_"),
    "Methods of a course": ("11_", "12_", "22_", "60_"),
    "Robots": ("05_", "06_", "07_", "09_", "53_", "64_"),
    "Parallel robots": ("parallel/",),
    "Forces, friction and masses": ("28_", "29_", "39_", "40_", "41_", "42_", "43_", "45_"),
    "Machines": ("33_", "34_", "35_", "52_"),
    "Motion in time": ("08_", "17_", "30_", "31_", "32_", "36_", "37_", "38_", "44_", "46_"),
    "Published problems": ("56_", "57_", "58_", "59_", "61_"),
    "Designs": ("25_", "26_", "27_"),
    "Equations and code": ("16_", "50_", "51_", "54_", "65_", "66_"),
    "Papers": ("papers/",),
}
"""Headings, and how the names of the examples below each begin."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", append_examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def append_examples(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add the examples to their page."""
    if page == "examples":
        source[0] += grouped_examples(ROOT / "examples")


def grouped_examples(folder: Path) -> str:
    """All examples under the headings of their groups; those of no group come last."""
    left = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.py"))}
    text = ""
    for title, starts in {**GROUPS, "Others": ("",)}.items():
        chosen = [name for name in left if name.startswith(starts)]
        text += f"\n## {title}\n" if chosen else ""
        text += "".join(quoted(left.pop(name)) for name in chosen)
    return text


def quoted(path: Path) -> str:
    """A heading from the example's docstring, and the example itself."""
    summary = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or path.stem
    place = path.relative_to(ROOT).as_posix()
    heading = " ".join(summary.partition("\n\n")[0].split()).rstrip(".")
    return f"\n### {heading}\n\n`{place}`\n\n```{{literalinclude}} ../{place}\n```\n"
