"""Every worked example of the textbook and of the papers stands on its page, and is compared."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "docs" / "book"
EXAMPLES = {  # page: numbers of the book's worked examples on it
    "configuration": [f"2.{i}" for i in range(1, 14)],
    "velocities": [f"3.{i}" for i in range(1, 7)],
    "forces": [f"4.{i}" for i in range(1, 7)],
    "dynamics": [f"4.{i}" for i in range(7, 12)],
}
CELL = re.compile(r"```\{code-cell\} ipython3\n(.*?)```", re.DOTALL)
PICTURES = ("draw(", "_drawing(", "plot(", "gallery(", "plt.")


def sections(page):
    """Heading and text of each section of the third level."""
    parts = re.split(r"^### ", page.read_text("utf-8"), flags=re.MULTILINE)[1:]
    whole = [part.split("\n## ")[0] for part in parts]
    return {text.splitlines()[0]: text for text in whole}


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples_of_the_book(name):
    """Each has its section in order, a picture, a table of comparison, and its line on top."""
    page = BOOK / f"{name}.md"
    found = sections(page)
    numbers = [m[1] for heading in found if (m := re.match(r"Example (\d\.\d+):", heading))]
    assert numbers == EXAMPLES[name]
    top = page.read_text("utf-8").split("\n## ")[0]
    for heading, text in found.items():
        if heading.startswith("Example"):
            cells = "\n".join(CELL.findall(text))
            assert re.search(r"\bbeside\(|\bcompared\(", cells), heading
            assert any(each in cells for each in PICTURES), heading
    assert all(f"| [{number}](" in top for number in EXAMPLES[name])


def test_figures_of_chapter_1():
    """Every mechanism file of the first chapter is on its page."""
    page = (BOOK / "structure.md").read_text("utf-8")
    files = sorted((ROOT / "examples" / "structure").glob("fig_*.toml"))
    absent = [path.stem for path in files if f'"{path.stem.removeprefix("fig_")}"' not in page]
    assert files and not absent


def test_files_of_the_book_are_used():
    """Every file in examples/book is loaded by a page."""
    pages = "\n".join(path.read_text("utf-8") for path in BOOK.glob("*.md"))
    for path in (ROOT / "examples" / "book").glob("*.toml"):
        assert path.name in pages


@pytest.mark.parametrize("name", ["structure", *EXAMPLES])
def test_exercises_have_solutions(name):
    """Four to eight exercises, each followed by a solution that is folded and checked."""
    text = (BOOK / f"{name}.md").read_text("utf-8").split("\n## Exercises\n")[1]
    count = len(re.findall(r"^\*\*\d\.\*\*", text, flags=re.MULTILINE))
    solutions = [cell for cell in CELL.findall(text) if cell.startswith(":tags: [hide-cell]\n")]
    assert 4 <= count <= 8
    assert len(solutions) == count


PAPERS = {  # page: what of it is compared, and with what
    "maryniak-malecki": {"printed": "B₁", "recomputed": "M₁, M₂", "constructed": "(3.66)"},
    "dunskaya-pyatnitsky": {"constructed": "mean steps"},
    "kovalchuk-kulakov-semenov": {"printed": "D, rows", "constructed": "forces in the joints"},
    "meghdari-fahimi": {"printed": "M₁, M₂ [N m]", "recomputed": "q [deg]"},
}


@pytest.mark.parametrize("name", PAPERS)
def test_worked_examples_of_the_papers(name):
    """Every page of a paper runs its examples and compares their numbers, and has a picture."""
    text = (ROOT / "docs" / "papers" / f"{name}.md").read_text("utf-8")
    cells = "\n".join(CELL.findall(text))
    for source, quantity in PAPERS[name].items():
        assert f'beside("{source}", ' in cells
        assert quantity in cells
    assert any(each in cells for each in PICTURES)
    quoted = re.findall(r"literalinclude\} \.\./\.\./(examples/papers/\w+\.py)", text)
    run = re.findall(r'run_path\("\.\./\.\./(examples/papers/\w+\.py)"\)', cells)
    illustrations = {"examples/papers/kovalchuk_walk.py", "examples/papers/meghdari_geared_arm.py"}
    assert set(quoted) - illustrations <= set(run)
