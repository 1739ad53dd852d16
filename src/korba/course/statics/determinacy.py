"""Static determinacy: whether equilibrium alone gives all forces, and in which order of groups.

A group of u links, all its pairs counted, those to its surroundings too, is determinate where it
has as many unknown forces as equations of equilibrium: in the plane

    2 p1 + p2 = 3 u                                                                          (4.12)

for p1 pairs of class I (R, T) and p2 of class II (cam, gear, pin in slot). A whole mechanism of k
links has W driving forces besides, 2 p1 + p2 + W = 3 k; in space a pair of class i has 6 - i
unknowns, and there are 6 k equations. The count is not enough: passive constraints and freedoms
without a drive may hide each other in it. So they are taken from the geometry (`kb.mobility`).

Groups are solved against the order of motion, the last one first.

With pairs of class I alone u is even. A group that holds no smaller one is simple; its links and
inner pairs are the nodes and edges of a connected graph, with outer pairs at some nodes, where for
every part of it, n nodes with i edges and o outer pairs,

    2 (i + o) < 3 n      else the part is a group itself
    2 i < 3 n - 3        else the part is one stiff link

which leaves 1 structure of 2 links (the dyad), 2 of 4 (classes III and IV) and 10 of 6. With pairs
of class II a pair of class I counts 2 and one of class II counts 1 against 3 n and 3 n - 3, and two
of class II may stand between the same two links, or between a link and its surroundings.
Source: Gronowicz (2003), section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any

from ...display import Displayed, columns
from ...door import public
from ...errors import StructureError
from ...libraries import undisturbed
from ...model.mechanism import Mechanism
from ...structure.groups import Group, groups
from ...structure.mobility import mobility

DYADS = ("RRR", "RRT", "RTR", "TRT", "RTT")
"""Dyads by their pairs, outer - inner - outer; TTT cannot balance a moment."""
MOST_LINKS, MOST_HIGHER = 6, 3
"""Links up to which structures are listed, without pairs of class II and with them."""
BETWEEN = ((0, 0), (0, 1), (1, 0), (0, 2))
"""Counts of pairs of classes I and II that may stand between two links of a simple group."""


@dataclass(frozen=True)
class SolvedGroup(Displayed):
    """A group in the static order."""

    group: Group
    pairs: dict[int, int]
    """Count of the pairs of each class."""
    driving: int
    """Driving forces, and what couplings carry, besides the forces of the pairs."""
    equations: int


@dataclass(frozen=True)
class Determinacy(Displayed):
    """The answer of `static_determinacy`; `print` shows it with the order of solution."""

    mechanism: str
    space: int
    links: int
    pairs: dict[int, int]
    """Count of the pairs of each class."""
    drives: int
    """Unknown driving forces W."""
    unknowns: int
    """Components of reactions, driving forces, what couplings carry."""
    equations: int
    passive: int
    """Passive constraints: each leaves one set of reactions open."""
    local: int
    """Idle freedoms: their accelerations are unknown besides."""
    undriven: int
    """Freedoms that no drive holds."""
    surplus: int
    """Driving forces more than freedoms."""
    order: tuple[SolvedGroup, ...]
    """Groups in the static order; none where the mechanism is not determinate."""

    @property
    def determinate(self) -> bool:
        """Whether equilibrium alone gives all reactions and driving forces."""
        return not (self.passive or self.undriven or self.surplus)

    @property
    def verdict(self) -> str:
        """In words."""
        faults = []
        if self.undriven:
            faults.append(f"not in equilibrium: {_some(self.undriven, 'freedom')} without a drive")
        if self.passive:
            faults.append(f"indeterminate: {_some(self.passive, 'passive constraint')}")
        if self.surplus:
            faults.append(f"indeterminate: {_some(self.surplus, 'driving force')} to spare")
        return "; ".join(faults) or "statically determinate"

    def __str__(self) -> str:
        """The count, the verdict and the order of groups."""
        terms = [f"{self.space - i}*{p}" for i, p in sorted(self.pairs.items())]
        carried = self.unknowns - _unknowns(self.pairs, self.space) - self.drives
        others = {"of drives": self.drives, "of couplings": carried, "of idle freedoms": self.local}
        terms += [f"{count} {what}" for what, count in others.items() if count]
        total = self.unknowns + self.local
        lines = [
            f"Static determinacy of {self.mechanism or 'the mechanism'!r}",
            f"  unknowns {' + '.join(terms)} = {total}, equations {self.space}*{self.links} = "
            f"{self.equations}",
            f"  {self.verdict}",
        ]
        rows = [("no.", "pairs", "links", "unknowns = equations")]
        for step in self.order:
            group = step.group
            pairs = step.equations - step.driving
            equal = (
                f"{pairs} + {step.driving} = {step.equations}"
                if step.driving
                else f"{pairs} = {pairs}"
            )
            rows.append((str(group.number), group.signature, ", ".join(group.bodies), equal))
        table = columns(rows) if self.order else []
        return "\n".join([*lines, *([""] * bool(table)), *table])


def _some(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count > 1)}"


@public
def static_determinacy(m: Mechanism) -> Determinacy:
    """Whether equilibrium alone gives all forces of a mechanism, and the order of its groups.

    >>> print(kb.course.static_determinacy(m))
    Static determinacy of 'four-bar'
      unknowns 2*4 + 1 of drives = 9, equations 3*3 = 9
      statically determinate
    <BLANKLINE>
      no.  pairs  links            unknowns = equations
      2    RRR    coupler, rocker  6 = 6
      1    R      crank            2 + 1 = 3
    """
    report = mobility(m)
    size, drives = report.space, report.drives
    surplus = max(drives + report.undriven - report.velocities, 0)
    loose = report.passive or report.undriven or surplus
    order = () if loose or not m.drives else tuple(_order(m, size))
    return Determinacy(
        m.name,
        size,
        report.links,
        dict(report.classes),
        drives,
        _unknowns(report.classes, size) + drives + report.couplings,
        size * report.links,
        report.passive,
        report.local,
        report.undriven,
        surplus,
        order,
    )


def _unknowns(classes: dict[int, int], size: int) -> int:
    return sum((size - i) * p for i, p in classes.items())


def _order(m: Mechanism, size: int) -> Iterator[SolvedGroup]:
    """The groups from the last to the first."""
    for group in reversed(groups(m).groups):
        pairs: dict[int, int] = {}
        for name in (*group.inner, *group.outer):
            freedoms = m.joint(name).nv
            pairs[freedoms] = pairs.get(freedoms, 0) + 1
        equations = size * len(group.bodies)
        yield SolvedGroup(group, pairs, equations - _unknowns(pairs, size), equations)


@dataclass(frozen=True)
class GroupKind(Displayed):
    """Counts of links and pairs that make a determinate group in the plane."""

    links: int
    p1: int
    p2: int
    structures: int | None
    """Simple structures; None beyond six links, or beyond three with pairs of class II."""
    kinds: tuple[str, ...] = ()
    """Dyads by their pairs; with pairs of class II, of one link its pairs by class, of two links
    outer, inner and outer pairs: `I - II+II - I`."""


@public
def determinate_groups(links: int, higher: bool = True) -> tuple[GroupKind, ...]:
    """All counts of pairs with 2 p1 + p2 = 3 u for u links, most pairs of class I first.

    Without `higher` only those without pairs of class II.

    >>> [(kind.p1, kind.p2) for kind in kb.course.determinate_groups(2)]
    [(3, 0), (2, 2), (1, 4), (0, 6)]
    >>> kb.course.determinate_groups(4)[0].structures
    2
    >>> kb.course.determinate_groups(2)[1].kinds
    ('I - II+II - I', 'I - I - II+II')
    """
    if not 1 <= links <= 100:
        raise StructureError(f"links: expected a number from 1 to 100, got {links}")
    found = []
    for p1 in range(3 * links // 2, -1, -1):
        p2 = 3 * links - 2 * p1
        if p2 and not higher:
            continue
        count: int | None = None
        kinds: tuple[str, ...] = DYADS if (links, p2) == (2, 0) else ()
        if not p2 and links <= MOST_LINKS:
            count = len(simple_structures(links))
        elif p2 and links <= MOST_HIGHER:
            own = higher_structures(links, p1)
            count, kinds = len(own), tuple(map(_told, own)) if links < 3 else ()
        found.append(GroupKind(links, p1, p2, count, kinds))
    return tuple(found)


Pairs = tuple[int, int]
"""Counts of pairs of classes I and II."""
Numbered = tuple[tuple[Pairs, ...], tuple[Pairs, ...]]
"""Outer pairs of every link, and pairs between every two links in the order of `combinations`."""


@lru_cache(maxsize=32)
def higher_structures(links: int, p1: int) -> tuple[Numbered, ...]:
    """Simple groups of so many links and pairs of class I, all others of class II."""
    wanted = (p1, 3 * links - 2 * p1)
    limit = 2 if links > 1 else 3
    outer = [(a, b) for a in (0, 1) for b in range(4) if 2 * a + b <= limit]
    found = set()
    for between in product(BETWEEN, repeat=links * (links - 1) // 2):
        for outside in product(outer, repeat=links):
            total = tuple(sum(pairs[i] for pairs in (*outside, *between)) for i in (0, 1))
            if total == wanted and _holds(outside, between):
                found.add(_numbered_first(outside, between))
    return tuple(sorted(found, reverse=True))


def _holds(outside: tuple[Pairs, ...], between: tuple[Pairs, ...]) -> bool:
    """Whether no part of a group is a group, or stiff; it is connected then."""
    links = range(len(outside))
    inner = dict(zip(combinations(links, 2), between, strict=True))
    for n in range(1, len(outside) + 1):
        for part in combinations(links, n):
            inside = sum(2 * a + b for a, b in (inner[ends] for ends in combinations(part, 2)))
            held = inside + sum(2 * outside[i][0] + outside[i][1] for i in part)
            if (n < len(outside) and held >= 3 * n) or (n > 1 and inside >= 3 * n - 3):
                return False
    return True


def _numbered_first(outside: tuple[Pairs, ...], between: tuple[Pairs, ...]) -> Numbered:
    """The same group with its links numbered so that the numbers come first in order."""
    links = range(len(outside))
    inner = dict(zip(combinations(links, 2), between, strict=True))
    return max(
        (
            tuple(outside[i] for i in order),
            tuple(inner[min(i, j), max(i, j)] for i, j in combinations(order, 2)),
        )
        for order in permutations(links)
    )


def _told(structure: Numbered) -> str:
    """`I+II` of one link, `I - II+II - I` of two."""
    (first, *second), between = structure
    parts = [first, *between, *second]
    return " - ".join("+".join(["I"] * a + ["II"] * b) for a, b in parts)


@lru_cache(maxsize=8)
def simple_structures(links: int) -> tuple[Any, ...]:
    """Simple groups with pairs of class I as graphs whose nodes tell if they have an outer pair."""
    with undisturbed():
        import networkx as nx
        from networkx.generators.atlas import graph_atlas_g

    graphs = [g for g in graph_atlas_g() if len(g) == links and nx.is_connected(g)]
    found: list[Any] = []
    for graph in graphs:
        count = 3 * links // 2 - graph.number_of_edges()
        for outer in combinations(graph, max(count, 0)) if count > 0 else ():
            if not _simple(graph, set(outer)):
                continue
            whole = graph.copy()
            nx.set_node_attributes(whole, {n: n in outer for n in whole}, "outer")
            if not any(nx.is_isomorphic(whole, one, node_match=_same) for one in found):
                found.append(whole)
    return tuple(found)


def _same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return bool(one["outer"] == two["outer"])


def _simple(graph: Any, outer: set[int]) -> bool:
    """Whether no part of a group is a group, or stiff."""
    for n in range(1, len(graph) + 1):
        for part in combinations(graph, n):
            edges = graph.subgraph(part).number_of_edges()
            held = edges + len(outer & set(part))
            if (n < len(graph) and 2 * held >= 3 * n) or (n > 1 and 2 * edges >= 3 * n - 3):
                return False
    return True
