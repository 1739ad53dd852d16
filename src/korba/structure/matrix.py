"""The placement matrix MR: which links are joined, by pairs of which class (section 1.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..display import Displayed
from ..model.mechanism import Mechanism
from ..topology.graph import graph_of


@dataclass(frozen=True)
class PlacementMatrix(Displayed):
    """Symmetric matrix over the links, the base first; entries are classes of pairs, 0 for none.

    Two pairs between the same links stand in one entry, which the book's matrix cannot do.
    """

    bodies: tuple[str, ...]
    entries: tuple[tuple[tuple[int, ...], ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The matrix as plain data."""
        return {
            "bodies": list(self.bodies),
            "entries": [[list(e) for e in r] for r in self.entries],
        }

    def __str__(self) -> str:
        """The matrix with the links' names beside it."""
        cells = [["+".join(f"P{k}" for k in entry) or "0" for entry in row] for row in self.entries]
        width = max(len(cell) for row in cells for cell in row)
        margin = max(map(len, self.bodies))
        return "\n".join(
            f"{name:>{margin}} [ " + " ".join(f"{cell:>{width}}" for cell in row) + " ]"
            for name, row in zip(self.bodies, cells, strict=True)
        )


def placement_matrix(m: Mechanism) -> PlacementMatrix:
    """The placement matrix of a mechanism."""
    graph = graph_of(m)
    count = len(graph.bodies)
    found: list[list[list[int]]] = [[[] for _ in range(count)] for _ in range(count)]
    for (a, b), freedoms in zip(graph.ends, graph.freedoms, strict=True):
        found[a][b].append(freedoms)
        found[b][a].append(freedoms)
    return PlacementMatrix(
        graph.bodies, tuple(tuple(tuple(entry) for entry in row) for row in found)
    )
