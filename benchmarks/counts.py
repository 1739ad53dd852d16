"""Multiplications, additions and sines of every formulation, beside published counts.

    python benchmarks/counts.py            the table of docs/counts.md
    python benchmarks/counts.py --write    the same, put into the page

Counts are those of straight-line programs after folding, sharing and regrouping, so they are the
same on every machine: a test compares the page with what is counted now.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from engine_costs import stanford_arm
from gpu import arm as seven_joints

import korba as kb

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "counts.md"
BEGIN, END = "<!-- counts -->\n", "<!-- end of counts -->\n"
VERBS = ("inverse_dynamics", "forward_dynamics")


def two_links() -> kb.Mechanism:
    """Example 4.9: two links in a vertical plane."""
    bodies = [kb.Body("1", 2.0, (0.25, 0), 0.02), kb.Body("2", 1.5, (0.7, 0), 0.015)]
    joints = [
        kb.Revolute("q1", "ground", "1", at=(0, 0)),
        kb.Revolute("q2", "1", "2", at=(0.5, 0)),
    ]
    return kb.Mechanism("planar 2R", bodies, joints, plane="xy")


def puma() -> kb.Mechanism:
    """With the parameters that Armstrong, Khatib & Burdick (1986) measured."""
    return kb.load(Path(kb.__file__).parent / "cli" / "arm.toml")


def biped() -> kb.Mechanism:
    """The biped of Kovalchuk's paper: 18 freedoms."""
    return kb.load(ROOT / "examples" / "papers" / "kovalchuk_biped.toml")


def chain() -> kb.Mechanism:
    """Twenty equal links in a plane, as Dunskaya and Pyatnitsky have them."""
    bodies = [kb.Body(f"{i}", 1.0, (i + 0.5, 0), 1 / 12) for i in range(20)]
    ends = ["ground", *(f"{i}" for i in range(20))]
    joints = [kb.Revolute(f"q{i}", ends[i], ends[i + 1], at=(i, 0)) for i in range(20)]
    return kb.Mechanism("20 links", bodies, joints, plane="xy")


MODELS: dict[str, Callable[[], kb.Mechanism]] = {
    "planar 2R": two_links,
    "Stanford arm": stanford_arm,
    "Puma 560": puma,
    "7-joint arm": seven_joints,
    "biped": biped,
    "20-link chain": chain,
}


def counted(m: kb.Mechanism, verb: str, formulation: str) -> str:
    """mul / add / sin-cos pairs; with divisions and roots where there are any."""
    try:
        n = kb.operations(getattr(kb, verb).program(m, formulation=formulation))
    except kb.StructureError:
        return "-"
    rest = f" / {n.divisions + n.roots}" if n.divisions + n.roots else ""
    return f"{n.multiplications} / {n.additions} / {n.trigs}{rest}"


def rows(verb: str, models: tuple[str, ...] = tuple(MODELS)) -> list[tuple[str, ...]]:
    """A row for every formulation that answers a verb; those with the same counts share one."""
    made = [MODELS[name]() for name in models]
    names: dict[tuple[str, ...], list[str]] = {}
    for formulation in kb.formulations()[verb]:
        cells = tuple(counted(m, verb, formulation) for m in made)
        names.setdefault(cells, []).append(formulation)
    return [(", ".join(own), *cells) for cells, own in names.items()]


def table() -> str:
    """Both tables."""
    lines = []
    for verb in VERBS:
        lines += [f"**{verb.replace('_', ' ').capitalize()}**", ""]
        lines += ["| formulation | " + " | ".join(MODELS) + " |", "|---" * (len(MODELS) + 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows(verb)]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    if "--write" not in sys.argv:
        print(table())
        return
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
