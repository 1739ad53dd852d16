"""The angles whose sines and cosines are computed before everything else.

Taken together they share the constants of the series, need one test for angles out of range
instead of one each, and leave the rest of the program without a branch. That is for angles that
are inputs or cheap sums of them; one that depends on other sines is computed where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from korba.codegen.program import Program
from korba.expr import Expr
from korba.expr.node import reached

_CHEAP = frozenset({"add", "sub", "mul", "neg", "constant", "variable"})
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
        if node.op in _CHEAP and all(arg in cheap for arg in node.args):
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
