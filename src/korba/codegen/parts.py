"""A long program cut into parts, and the scratch memory that carries values between them.

A compiler takes time that grows faster than the length of one function, and so does the memory
it spills to. A part holds a few thousand operations; it is run on a block of states before the
next part is, so what passes between them stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from korba.codegen.program import Program
from korba.expr import Expr

LONGEST_PART = 1200
_LEAVES = ("constant", "variable")


@dataclass(frozen=True)
class Part:
    """`nodes` to compute; `loads` and `stores` give values' places in the scratch memory."""

    nodes: tuple[Expr, ...]
    loads: dict[Expr, int]
    stores: dict[Expr, int]
    outputs: dict[Expr, tuple[int, ...]]


def parts(program: Program, longest: int = LONGEST_PART) -> tuple[list[Part], int]:
    """The parts of a program in order, and the number of scratch places they need."""
    pieces = _pieces([node for node in program.nodes if node.op not in _LEAVES], longest)
    home = {node: k for k, piece in enumerate(pieces) for node in piece}
    last = _last_parts(pieces, home)
    places, count = _places(pieces, home, last)
    outputs: dict[Expr, list[int]] = {}
    for place, node in enumerate(program.outputs):
        outputs.setdefault(node, []).append(place)
    made = []
    for k, piece in enumerate(pieces):
        used = {arg for node in piece for arg in node.args if home.get(arg, k) < k}
        here = {node: tuple(at) for node, at in outputs.items() if home.get(node, 0) == k}
        stores = {node: places[node] for node in piece if node in places}
        made.append(Part(tuple(piece), {node: places[node] for node in used}, stores, here))
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
    pieces: Sequence[Sequence[Expr]], home: dict[Expr, int], last: dict[Expr, int]
) -> tuple[dict[Expr, int], int]:
    """A scratch place for each node in `last`; a place is given again after its last use."""
    places: dict[Expr, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    count = 0
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
