"""A large system of loops in pieces: each is solved on its own, after those it needs.

Every unknown velocity is matched with a row in which it stands (orthogonal.py). The joints that
close loops own the unknowns of their rows; one needs another whose unknowns stand in its rows, and
those that need each other are one piece. A piece sees the links from its joints down to the first
link they have in common, no more: so its equations do not grow with the mechanism, and pieces that
differ in their numbers only, such as the four-bars of a chain, have the same formulas.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from ..codegen import symbols
from ..expr import constant
from ..expr.node import present
from ..kinematics.orthogonal import in_turn, matched
from ..kinematics.rows import Moving, Row, entries, tied
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..system.numbers import apart, pattern, together
from ..system.system import Tie, ties
from ..system.tree import Slices, Tree, places_of


@dataclass(frozen=True, eq=False)
class Piece:
    """Joints that close loops, solved together, with the links that move them."""

    tree: Tree
    """Links with local places, and symbols for their numbers."""
    ties: tuple[Tie, ...]
    joints: tuple[Joint, ...]
    """All joints of the piece, in the order of their local places."""
    numbers: tuple[float, ...]
    """What the symbols c[0], c[1], ... stand for."""
    members: tuple[int, ...]
    """Which of all joints that close loops these are."""
    key: Hashable
    """The same for pieces with the same formulas."""
    unknowns: tuple[int, ...] = ()
    """Local velocities that it solves for; the others are known before."""

    def rows(self, q: Array) -> list[Row]:
        """The rows of its ties at local coordinates."""
        at = Moving(self.tree, q)
        return [tied(at, tie) for tie in self.ties]

    def velocities(self, places: Slices) -> list[int]:
        """Place of every local velocity among all."""
        starts = [(joint, places[joint.name][1].start) for joint in self.joints]
        return [start + k for joint, start in starts for k in range(joint.nv)]


def pieces_of(tree: Tree, given: set[int], places: Slices) -> list[Piece]:
    """Pieces in the order of solution, some velocities being given.

    If that leaves some free, every tie is a piece without unknowns. `places` are those of the
    joints among all coordinates and velocities.
    """
    closing = ties(tree)
    alone = [_piece(tree, [tie], (k,)) for k, tie in enumerate(closing)]
    rows = _unknowns(alone, given, places)
    height = 3 if tree.m.plane else 6
    owner = {j: i // height for j, i in matched(rows).items()}
    if len(owner) + len(given) < tree.nv:
        return alone
    needs: dict[int, set[int]] = {k: set() for k in range(len(alone))}
    for i, row in rows.items():
        needs[i // height] |= {owner[j] for j in row}
    found = []
    for group in in_turn({k: sorted(each) for k, each in needs.items()}):
        one = len(group) == 1
        piece = alone[group[0]] if one else _piece(tree, [closing[k] for k in group], tuple(group))
        numbered = enumerate(piece.velocities(places))
        unknowns = tuple(j for j, i in numbered if owner.get(i, -1) in group)
        found.append(replace(piece, unknowns=unknowns, key=(piece.key, unknowns)))
    return found


def _unknowns(
    alone: Sequence[Piece], given: set[int], places: Slices
) -> dict[int, dict[int, bool]]:
    """The unknowns of every row that has some."""
    patterns: dict[Hashable, list[list[int]]] = {}
    found: dict[int, dict[int, bool]] = {}
    for piece in alone:
        if piece.key not in patterns:
            patterns[piece.key] = _pattern(piece)
        lines, place = patterns[piece.key], piece.velocities(places)
        for i, line in enumerate(lines, piece.members[0] * len(lines)):
            unknowns = {place[j]: True for j in line if place[j] not in given}
            if unknowns:
                found[i] = unknowns
    return found


def _pattern(piece: Piece) -> list[list[int]]:
    """Local velocities that stand in every row."""
    q = symbols("q", sum(joint.nq for joint in piece.joints))
    return [[j for j, x in line.items() if present(x)] for line in entries(piece.rows(q))]


def _piece(tree: Tree, chosen: Sequence[Tie], members: tuple[int, ...]) -> Piece:
    """The piece of some ties, symbols for its numbers but zeros and ones; it owns no unknowns."""
    ends: list[set[int]] = [
        set(tree.support(end)) for tie in chosen for end in (tie.parent, tie.child)
    ]
    inside = sorted(ends[0].union(*ends) - ends[0].intersection(*ends))
    place, links = dict(zip(inside, range(len(inside)), strict=True)), tree.links
    joints = [links[i].joint.described for i in place] + [tie.joint for tie in chosen]
    slices = places_of(joints)
    parts = (
        tuple((links[i].joint, links[i].X_PF) for i in place),
        tuple((tie.X_LF, tie.X_LM) for tie in chosen),
    )
    what, numbers = apart(parts)
    known = pattern(numbers)
    own = tuple(x for x, same in zip(numbers, known, strict=True) if same is None)
    names = iter(symbols("c", len(own)))
    new_links, new_ties = together(
        parts, iter([next(names) if x is None else constant(x) for x in known])
    )
    local_links, local_ties = [], []
    for i, joint, (seen, X_PF) in zip(place, joints, new_links, strict=False):
        (q, v), parent = slices[joint.name], place.get(links[i].parent, -1)
        local_links.append(replace(links[i], joint=seen, X_PF=X_PF, parent=parent, q=q, v=v))
    for tie, (X_LF, X_LM) in zip(chosen, new_ties, strict=True):
        parent, child = place.get(tie.parent, -1), place.get(tie.child, -1)
        local_ties.append(Tie(tie.joint, parent, X_LF, child, X_LM, *slices[tie.joint.name]))
    shape = tuple(x.parent for x in local_links), tuple((x.parent, x.child) for x in local_ties)
    key = (what, known, shape, tuple(apart(joint)[0] for joint in joints))
    local = replace(tree, links=tuple(local_links))
    return Piece(local, tuple(local_ties), tuple(joints), own, members, key)
