"""The verbs `pairs` and `knots`: kinematic pairs by their symbols, and chains that act as one.

A knot is a short chain of mostly lower pairs that stands for one pair, often of class IV or V,
which would otherwise be a contact in a point (Fig. 1.8). Its connectivity, the class it acts as, is

    sum f_i - W_L

with W_L the motions of its inner links alone, while both ends stand still. It is the rank of the
pairs' screws, taken at general positions of the chain and not in the drawing only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..display import Displayed, Listed, columns
from ..door import public
from ..errors import StructureError
from ..kinematics.rates import moved_joint
from ..model.joint import Joint
from ..model.joints import JOINT_TYPES
from ..model.mechanism import Mechanism
from ..positions.rank import rank_of
from ..spatial.pose import Pose, identity, twist_matrix
from ..spatial.rotation import Array
from ..topology.graph import Graph
from .count import CLASS
from .placement import Placement, drawn_placement
from .space import motion_space

KNOTS = {
    2: ("2R", "TR", "2T"),
    3: ("3R", "2RT", "CT"),
    4: ("2RC", "2C", "CS"),
    5: ("2RS", "2CR", "SC"),
}
"""Knots of each class (Fig. 1.8); `2RS` is two revolute pairs and a ball.

`CS` has one local freedom: the axis of C goes through the centre of S.
"""

MOST_ROWS = 40
"""Knots that are printed; all of them are in the data."""
POSITIONS = 3
"""General positions of a chain at which its connectivity is tried."""


@dataclass(frozen=True)
class Pair(Displayed):
    """A kinematic pair, or a knot that acts as one."""

    symbol: str
    name: str
    """`revolute`; of a knot, the names of its pairs."""
    klass: int
    """Class: the count of freedoms it leaves, of a knot the connectivity."""
    freedoms: tuple[str, ...]
    """Names of the velocities; of a knot, those of its pairs, local ones included."""
    lower: bool
    """Contact in a surface, not in a line or point; of a knot, in all its pairs."""
    knot: bool = False
    local: int = 0
    """W_L of a knot."""


@dataclass(frozen=True)
class Pairs(Listed[Pair]):
    """The answer of `pairs`: a sequence of pairs and knots; `print` shows it as a table."""

    listed = "pairs"
    pairs: tuple[Pair, ...]

    def __str__(self) -> str:
        """Symbol, class, contact and freedoms of each."""
        rows = [("symbol", "class", "pair", "contact", "freedoms")]
        for pair in self.pairs:
            names = ", ".join(pair.freedoms) + (f" (W_L = {pair.local})" if pair.local else "")
            kind = f"knot of {pair.name}" if pair.knot else pair.name
            contact = "lower" if pair.lower else "higher"
            rows.append((pair.symbol, CLASS[pair.klass], kind, contact, names))
        return "\n".join(["Kinematic pairs and knots", "", *columns(rows)])


@public
def pairs(symbol: str | None = None) -> Pairs:
    """The catalogue of kinematic pairs and knots (Figs. 1.6 to 1.8), or those of one symbol.

    Pairs share a symbol where they are of one kind (`Z` for meshing wheels). Any knot of lower
    pairs can be asked for; one that is not in the book's list counts without local freedoms.

    >>> [pair.klass for pair in kb.course.pairs("2RS")]
    [5]
    """
    single = tuple(_pair(cls) for cls in JOINT_TYPES.values() if 0 < len(cls.velocity_names) < 6)
    if symbol is None:
        listed = [_knot(name, klass) for klass, names in KNOTS.items() for name in names]
        return Pairs((*sorted(single, key=lambda pair: (pair.klass, not pair.lower)), *listed))
    if own := tuple(pair for pair in single if pair.symbol == symbol):
        return Pairs(own)
    return Pairs((_knot(symbol, next((k for k, s in KNOTS.items() if symbol in s), None)),))


def _pair(cls: type[Joint]) -> Pair:
    count = len(cls.velocity_names)
    return Pair(cls.symbol, cls.type, count, cls.velocity_names, cls.lower_pair)


def _knot(symbol: str, klass: int | None) -> Pair:
    """A knot by its symbol, of a class that is listed or counted."""
    by_symbol = {cls.symbol: cls for cls in reversed(JOINT_TYPES.values()) if cls.lower_pair}
    members = [by_symbol.get(letter) for letter in _letters(symbol)]
    if not re.fullmatch(r"([1-9]?[A-Z])+", symbol) or None in members:
        known = ", ".join(dict.fromkeys(cls.symbol for cls in JOINT_TYPES.values()))
        raise StructureError(
            f"symbol {symbol!r}: expected a pair ({known}) or a knot of lower pairs such as '2RS'"
        )
    kinds = [cls for cls in members if cls is not None]
    freedoms = tuple(name for cls in kinds for name in cls.velocity_names)
    klass = len(freedoms) if klass is None else klass
    if len(kinds) < 2 or not 0 < klass < 6:
        raise StructureError(
            f"symbol {symbol!r}: expected two or more pairs of up to five freedoms together, got "
            f"{len(kinds)} of {len(freedoms)}"
        )
    local = len(freedoms) - klass
    return Pair(symbol, ", ".join(cls.type for cls in kinds), klass, freedoms, True, True, local)


@dataclass(frozen=True)
class Knot(Displayed):
    """A chain of pairs through links that have no others, which acts as one pair."""

    symbol: str
    connectivity: int
    """Class of the pair that it acts as: sum of the classes less W_L."""
    ends: tuple[str, str]
    """The links that it joins."""
    through: tuple[str, ...]
    """Its inner links."""
    joints: tuple[str, ...]
    classes: tuple[int, ...]
    """Classes of its pairs."""
    local: int
    """W_L: motions of the inner links alone."""
    instantaneous: int
    """Connectivity in the drawing position, where that may be special."""
    motion: str
    """The space of motion, where the chain moves in all of it: then it is as good as a pair."""


@dataclass(frozen=True)
class Knots(Listed[Knot]):
    """The answer of `knots`: a sequence of knots; `print` shows it as a table."""

    listed = "knots"
    mechanism: str
    knots: tuple[Knot, ...]

    def __str__(self) -> str:
        """One row for each chain."""
        name = self.mechanism or "the mechanism"
        count = f"{len(self)} chain{'s' * (len(self) != 1)} that can act as one pair"
        if not self.knots:
            return f"Knots of {name!r}: {count}"
        rows = [("class", "knot", "between", "through", "pairs", "connectivity", "motion")]
        for knot in self.knots[:MOST_ROWS]:
            total = " + ".join(map(str, knot.classes)) + (f" - {knot.local}" if knot.local else "")
            here = f" ({knot.instantaneous} here)" * (knot.instantaneous != knot.connectivity)
            lists = (" - ".join(knot.ends), ", ".join(knot.through), ", ".join(knot.joints))
            total = f"{total} = {knot.connectivity}{here}"
            rows.append((CLASS[knot.connectivity], knot.symbol, *lists, total, knot.motion))
        lines = [f"Knots of {name!r}: {count}", "", *columns(rows)]
        if len(self) > MOST_ROWS:
            lines.append(f"  ... and {len(self) - MOST_ROWS} more")
        return "\n".join(lines)


@public
@np.errstate(all="ignore")  # absurd sizes are judged by rank_of
def knots(m: Mechanism, most: int = 3) -> Knots:
    """The chains of two to `most` pairs that act as one pair of class I to V, with connectivity.

    The inner links of a knot have two pairs each, and the base is none of them.

        >>> print(kb.course.knots(m))
        Knots of 'four-bar': 3 chains that can act as one pair
        <BLANKLINE>
          class  knot  between           through  pairs  connectivity  motion
          II     2R    ground - coupler  crank    A, B   1 + 1 = 2
          II     2R    ground - coupler  rocker   D, C   1 + 1 = 2
          II     2R    crank - rocker    coupler  B, C   1 + 1 = 2
    """
    if most < 2:
        raise StructureError(f"most: a knot has two pairs or more, got {most}")
    place = drawn_placement(m)
    chains = [_acting(place, *chain) for chain in _chains(place.graph, most)]
    return Knots(m.name, tuple(knot for knot in chains if 0 < knot.connectivity < place.size))


def _chains(graph: Graph, most: int) -> Iterator[tuple[list[int], list[int]]]:
    """Bodies and joints of walks through links with two pairs, each from its first end only."""
    inner = {b for b in range(1, len(graph.bodies)) if len(graph.incident[b]) == 2}
    movable = [j for j, f in enumerate(graph.freedoms) if 0 < f < 6]
    walks = [([start, graph.other(j, start)], [j]) for j in movable for start in graph.ends[j]]
    for _ in range(most - 1):
        walks = [
            ([*bodies, graph.other(j, bodies[-1])], [*joints, j])
            for bodies, joints in walks
            if bodies[-1] in inner
            for j in graph.incident[bodies[-1]]
            if j in movable and j not in joints and graph.other(j, bodies[-1]) not in bodies
        ]
        yield from (walk for walk in walks if walk[1][0] < walk[1][-1])
        if not walks:
            return


def _acting(place: Placement, bodies: list[int], joints: list[int]) -> Knot:
    """What a chain acts as."""
    graph = place.graph
    rng = np.random.default_rng(2003)
    drawn = [place.q[j] for j in joints]
    here = rank_of(_screws(place, bodies, joints, drawn)).rank
    general = [_nearby(place, joints, rng) for _ in range(POSITIONS)]
    ranks = [rank_of(_screws(place, bodies, joints, q)).rank for q in general]
    connectivity = max(here, *ranks)
    classes = tuple(graph.freedoms[j] for j in joints)
    space = motion_space(place, joints)
    return Knot(
        _symbol([place.m.joints[j].symbol for j in joints], connectivity),
        connectivity,
        (graph.bodies[bodies[0]], graph.bodies[bodies[-1]]),
        graph.body_names(bodies[1:-1]),
        graph.joint_names(joints),
        classes,
        sum(classes) - connectivity,
        here,
        space.name if space.size == connectivity else "",
    )


def _nearby(place: Placement, joints: Sequence[int], rng: np.random.Generator) -> list[Array]:
    """Coordinates of the joints of a chain at a general position; slides go by the size of it."""
    found = []
    for j in joints:
        joint = place.m.joints[j]
        S = joint.motion_subspace(place.q[j])
        sizes = np.where(np.abs(S[:3]).max(axis=0) > 0, 1.0, place.scale)
        found.append(moved_joint(joint, place.q[j], 0.3 * sizes * rng.standard_normal(joint.nv)))
    return found


def _screws(
    place: Placement, bodies: Sequence[int], joints: Sequence[int], q: Sequence[Array]
) -> Array:
    """Screws of the freedoms of a chain, side by side, seen from its first joint."""
    X, blocks = identity(), []
    for n, (j, q_j) in enumerate(zip(joints, q, strict=True)):
        tie = place.ties[j]
        own = tie.joint.pose(q_j)
        first, last = (tie.X_LF, tie.X_LM) if tie.parent == bodies[n] else (tie.X_LM, tie.X_LF)
        step = own if tie.parent == bodies[n] else own.inverse()
        at: Pose = X @ first if n else identity()
        X_M = at @ step if tie.parent == bodies[n] else at
        blocks.append(twist_matrix(X_M) @ tie.joint.motion_subspace(q_j))
        X = at @ step @ last.inverse()
    screws = np.column_stack(blocks)
    return np.concatenate([screws[:3], screws[3:] / place.scale])


def _symbol(symbols: list[str], connectivity: int) -> str:
    """The symbol of the book's list, else the pairs with their counts: `2RS`."""
    for known in KNOTS.get(connectivity, ()):
        if Counter(_letters(known)) == Counter(symbols):
            return known
    counts = Counter(symbols)
    between = "-" if max(map(len, symbols)) > 1 else ""
    return between.join(f"{n if n > 1 else ''}{symbol}" for symbol, n in counts.items())


def _letters(symbol: str) -> list[str]:
    """`2RS` as R, R, S."""
    read = re.findall(r"([1-9]?)([A-Z])", symbol)
    return [letter for times, letter in read for _ in range(int(times or 1))]
