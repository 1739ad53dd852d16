"""A straight program cut for the compiler: early angles, then parts, and what passes between.

Angles whose sines and cosines are computed before everything else share the constants of the
series, need one test for angles out of range instead of one each, and leave the rest of the program
without a branch. That is for angles that are inputs or cheap sums of them; one that depends on
other sines is computed where it stands.

A compiler takes time that grows faster than the length of one function, and so does the memory
it spills to. A part holds a few thousand operations; it is run on a block of states before the
next part is, so what passes between them, in the scratch memory, stays in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from korba.codegen.program import Program
from korba.codegen.scratch import Lifetimes
from korba.expr import Expr
from korba.expr.node import reached

LONGEST_PART = 2000
_LEAVES = ("constant", "variable")
CHEAP = frozenset({"add", "sub", "mul", "neg", "constant", "variable"})
_LANES = 4  # angles of one state that are worked on together: places come in fours


@dataclass(frozen=True)
class Angles:
    """`pairs`, the angles with their sines and cosines by name; `nodes`, what leads to them.

    The sine of angle k is at place k of the scratch memory, its cosine at `padded + k`.
    """

    pairs: tuple[tuple[Expr, dict[str, Expr]], ...]
    nodes: tuple[Expr, ...]

    @property
    def padded(self) -> int:
        """The number of angles, rounded up to whole vectors of them."""
        return -(-len(self.pairs) // _LANES) * _LANES

    @cached_property
    def places(self) -> dict[Expr, int]:
        """The place of every sine and cosine."""
        start = {"sin": 0, "cos": self.padded}
        return {
            node: start[op] + k
            for k, (_, found) in enumerate(self.pairs)
            for op, node in found.items()
        }


def early_angles(program: Program) -> Angles:
    """The angles of a program that can be had first, in the order of their use."""
    wanted = wanted_angles(program.nodes)
    cheap: set[Expr] = set()
    for node in program.nodes:
        if node.op in CHEAP and all(arg in cheap for arg in node.args):
            cheap.add(node)
    pairs = {angle: found for angle, found in wanted.items() if angle in cheap}
    leading = reached(pairs)
    nodes = [node for node in program.nodes if node.args and node in leading]
    if len(nodes) > 4 * len(pairs):  # too much to do twice
        pairs = {angle: found for angle, found in pairs.items() if not angle.args}
        nodes = []
    return Angles(tuple(pairs.items()), tuple(nodes))


def wanted_angles(nodes: Iterable[Expr]) -> dict[Expr, dict[str, Expr]]:
    """Each angle whose sine or cosine is among the nodes, with the nodes of these."""
    wanted: dict[Expr, dict[str, Expr]] = {}
    for node in nodes:
        if node.op in ("sin", "cos"):
            wanted.setdefault(node.args[0], {})[node.op] = node
    return wanted


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
    places, count = _places(pieces, home, 2 * angles.padded)
    places |= early
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


def _places(
    pieces: list[list[Expr]], home: dict[Expr, int], first: int
) -> tuple[dict[Expr, int], int]:
    """A scratch place, from `first` on, for what is used after the piece that makes it.

    Also the number of places, with those before.
    """
    lives = Lifetimes[Expr]()
    for k, piece in enumerate(pieces):
        for arg in (arg for node in piece for arg in node.args):
            if 0 <= home.get(arg, k) < k:
                lives.touch(arg, home[arg])
                lives.touch(arg, k)
    places, count = lives.offsets()
    return {node: first + place for node, place in places.items()}, first + count
