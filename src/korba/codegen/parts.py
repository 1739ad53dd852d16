"""A long program cut into parts, and the scratch memory that carries values between them.

A compiler takes time that grows faster than the length of one function, and so does the memory
it spills to. A part holds a few thousand operations; it is run on a block of states before the
next part is, so what passes between them stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from korba.codegen.angles import Angles
from korba.codegen.program import Program
from korba.expr import Expr
from korba.expr.node import reached

LONGEST_PART = 2000
_LEAVES = ("constant", "variable")


@dataclass(frozen=True)
class Part:
    """`nodes` to compute; `loads` and `stores` give values' places in the scratch memory."""

    nodes: tuple[Expr, ...]
    loads: dict[Expr, int]
    stores: dict[Expr, int]
    outputs: dict[Expr, tuple[int, ...]]


def parts(program: Program, angles: Angles, longest: int = LONGEST_PART) -> tuple[list[Part], int]:
    """The parts of a program in order, and the number of scratch places they need.

    Sines and cosines of early angles are in the scratch memory when the first part starts.
    """
    early = angles.places
    used = reached(program.outputs, early)
    rest = [n for n in program.nodes if n.op not in _LEAVES and n not in early and n in used]
    pieces = _pieces(rest, longest)
    home = {node: k for k, piece in enumerate(pieces) for node in piece}
    home.update(dict.fromkeys(early, -1))
    made_here, count = _places(pieces, _last_parts(pieces, home), 2 * angles.padded)
    places = {**early, **made_here}
    outputs: dict[Expr, list[int]] = {}
    for place, node in enumerate(program.outputs):
        outputs.setdefault(node, []).append(place)
    made = []
    for k, piece in enumerate(pieces):
        here = {node: tuple(at) for node, at in outputs.items() if max(0, home.get(node, 0)) == k}
        taken = [*here, *(arg for node in piece for arg in node.args)]
        loads = {node: places[node] for node in taken if home.get(node, k) < k}
        stores = {node: places[node] for node in piece if node in places}
        made.append(Part(tuple(piece), loads, stores, here))
    return made, count


def _pieces(nodes: list[Expr], longest: int) -> list[list[Expr]]:
    """Nodes in pieces of about equal length, none above `longest`; at least one piece."""
    count = max(1, -(-len(nodes) // longest))
    size = max(1, -(-len(nodes) // count))
    return [nodes[start : start + size] for start in range(0, max(1, len(nodes)), size)]


def _last_parts(pieces: Sequence[Sequence[Expr]], home: dict[Expr, int]) -> dict[Expr, int]:
    """The last part that uses a node, for nodes used outside the part that makes them."""
    return {
        arg: k
        for k, piece in enumerate(pieces)
        for node in piece
        for arg in node.args
        if home.get(arg, k) < k
    }


def _places(
    pieces: Sequence[Sequence[Expr]], last: dict[Expr, int], count: int
) -> tuple[dict[Expr, int], int]:
    """A scratch place for each node of a piece in `last`, and their number with `count` before.

    A place is given again after its last use.
    """
    places: dict[Expr, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    for k, piece in enumerate(pieces):
        for node in piece:
            if node in last:
                if not free:
                    free.append(count)
                    count += 1
                places[node] = free.pop()
                ending.setdefault(last[node], []).append(places[node])
        free.extend(ending.get(k, ()))
    return places, count
