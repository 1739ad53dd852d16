"""Sections on what a mechanism is: its picture, how it moves and why, its groups, its equations."""

from __future__ import annotations

from collections.abc import Iterator

from ...display import Table
from ...errors import KorbaError
from ...files.writing import document_of
from ...model.mechanism import Mechanism
from ...model.summary import JOINT_HEADS, body_heads, body_row, joint_row
from ...structure.groups import groups
from ...system.system import any_system
from ...verbs.equations import equations
from ...verbs.written import Written
from ..drawings.draw import draw
from ..drawings.structure_graph import structure_graph
from ..pages.animate import animate
from ..pages.live import live
from ..pages.live_drives import cylinders
from .blocks import Block, Folded, Frame, Picture, Said
from .facts import Facts

FEW_ROWS = 10
"""Of tables that are not folded."""
MOST_LETTERS = 160
"""Of a value in a table."""
LONG, TOO_LONG = 3000, 30_000
"""Letters of equations that are folded, and of those that nobody reads on paper."""
MANY_FREEDOMS = 12
"""Of open chains, from which on equations are written in layers at once."""


def mechanism(facts: Facts) -> Iterator[Block]:
    """The picture, bodies and joints, what drives and loads it, sizes, notes."""
    m = facts.m
    yield Picture(draw(m, masses=True), f"{m.name or 'The mechanism'} as drawn")
    shown = facts.shown
    rows = [tuple(body_row(body, shown)) for body in m.bodies]
    bodies = Table("", tuple(body_heads(shown)), rows)
    pairs = [tuple(joint_row(joint, shown)) for joint in m.joints]
    joints = Table("", tuple(JOINT_HEADS), pairs)
    for what, table in (("Bodies", bodies), ("Joints", joints)):
        told = _told(table)
        few = len(told.rows) <= FEW_ROWS
        yield told if few else Folded(f"{what} ({len(told.rows)})", (told,))
    rows = list(_acting(m))
    if rows:
        yield Table("", ("", "name", "type", ""), rows)
    if m.parameters:
        sizes = Table("", ("size", "value"), [(name, str(value)) for name, value in m.parameters])
        yield Folded(f"Sizes ({len(sizes.rows)})", (sizes,))
    for note in m.notes:
        yield f"Note: {note}."


def _acting(m: Mechanism) -> Iterator[tuple[str, ...]]:
    """Drives, loads and couplings, as a file says them."""
    document = document_of(m)
    for kind, word in (("drive", "drive"), ("force", "load"), ("coupling", "coupling")):
        for own in document.get(kind, ()):
            rest = {key: value for key, value in own.items() if key not in ("name", "type")}
            said = ", ".join(f"{key} = {_short(value)}" for key, value in rest.items())
            yield word, str(own.get("name", "")), str(own.get("type", "")), said


def _short(value: object) -> str:
    told = str(value)
    return told if len(told) <= MOST_LETTERS else f"{told[:MOST_LETTERS]} ..."


def _told(table: Table) -> Table:
    """A table without columns that say nothing."""
    kept = [k for k in range(len(table.heads)) if any(row[k] for row in table.rows)]
    heads = tuple(table.heads[k] for k in kept)
    return Table(table.caption, heads, [tuple(row[k] for k in kept) for row in table.rows])


def alive(facts: Facts) -> Iterator[Block]:
    """The mechanism alive, led and turned as in the rest; or why it cannot be, and its motion."""
    title = facts.m.name or "mechanism"
    try:
        lead = None if cylinders(facts.driven) else facts.lead
        page = Frame(str(live(facts.driven, lead, theme="light")), title)
        if facts.driven is not facts.m:
            yield facts.exercise.said
        yield page
    except KorbaError as error:
        yield Said(str(error))
        if facts.said:
            yield facts.said
        yield Frame(str(animate(facts.moved)), title)


def mobility(facts: Facts) -> Iterator[Block]:
    """The count and the balance, the reasons, and the loops."""
    answer = facts.mobility
    yield Table("", ("", "value", "equation"), [*answer.rows])
    if not answer.reasons:
        yield "The count and the geometry agree."
    for reason in answer.reasons:
        edits = [f"Edit: {edit}." for edit in reason.edits]
        yield " ".join([f"{reason.text[:1].upper()}{reason.text[1:]}.", *edits])
    if not answer.loops:
        yield "It has no loops: it is an open chain or a tree."
        return
    own = [(loop.name, str(loop.mobility), loop.walk) for loop in answer.loops]
    loops = Table("", ("loop", "W", "links and classes of pairs"), own)
    yield loops if len(own) <= FEW_ROWS else Folded(f"Loops ({len(own)})", (loops,))


def structure(facts: Facts) -> Iterator[Block]:
    """The structure graph, and structural groups in the order of solution."""
    yield Picture(structure_graph(facts.m), "A box for every link, a line for every pair")
    heads, *rows = groups(facts.exercise.m).rows
    table = Table("Structural groups, in the order of solution", heads, rows)
    few, title = len(rows) <= FEW_ROWS, f"{table.caption} ({len(rows)})"
    yield table if few else Folded(title, (table._replace(caption=""),))


def equations_of(facts: Facts) -> Iterator[Block]:
    """Those of one coordinate, of motion, or in layers: the first that can be read."""
    written = _written(facts)
    letters = len(written.text())
    if letters > TOO_LONG:
        yield f"They have {letters} letters: kb.equations(m) writes them."
        return
    yield written if letters < LONG else Folded("Equations", (written,))


def _written(facts: Facts) -> Written:
    if any_system(facts.m).ties and facts.mobility.actual == 1:
        try:
            return equations(facts.m, coordinate=facts.lead)
        except KorbaError:
            pass
    many = not any_system(facts.m).ties and facts.m.nv > MANY_FREEDOMS
    return equations(facts.m, layered=True if many else None)
