"""The verb `groups`: structural (Assur) groups for chosen inputs, in the order of solution.

With the inputs held, a mechanism has as many independent constraints as unknowns. Matching every
constraint to one unknown of one of its bodies, and calling a body dependent on the bodies that its
constraints lead to, the strongly connected sets of bodies are the structural groups: the smallest
parts that can be solved one after the other (Dulmage-Mendelsohn decomposition). It holds for groups
of any class, in the plane and in space, and takes linear time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..display import Displayed, Tabled, columns, records
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr import constant
from ..kinematics.orthogonal import matched
from ..libraries import undisturbed
from ..model.drive import Drive
from ..model.drives.joint_drive import JointDrive
from ..model.mechanism import Mechanism
from ..model.validate import single_coordinates
from ..positions.rank import DENSE_UP_TO, dependent_rows, rank_of
from ..spatial.rotation import Array
from ..topology.components import needing_each_other
from ..topology.graph import Graph, independent_loops, spanning_tree
from .count import CLASS
from .finite import finite_mobility
from .local import local_freedoms
from .placement import NamedRows, Placement, dense, drawn_placement

DRIVEN, IDLE = "\ndriven", "\nidle"
"""Names of rows that hold drives and local freedoms still: no joint can have such a name."""


@dataclass(frozen=True)
class Group(Displayed):
    """Links that are solved together, after the groups they hang on."""

    number: int
    kind: str
    """`input`, `dyad`, or `group`."""
    klass: int
    """In the plane: I for an input, II for chains of binary links, III with a ternary link, n
    with a closed contour of n links (n > 3). 0 in space, where the term has no settled meaning."""
    order: int
    """Count of outer joints."""
    bodies: tuple[str, ...]
    inner: tuple[str, ...]
    outer: tuple[str, ...]
    signature: str
    """Symbols of the pairs, outer - inner - outer for a dyad: `RRT`."""
    after: tuple[int, ...]
    """Numbers of the groups it hangs on; 0 is the base."""


@dataclass(frozen=True)
class Groups(Tabled):
    """The answer of `groups`; `print` shows it as a table."""

    mechanism: str
    inputs: tuple[str, ...]
    groups: tuple[Group, ...]
    passive: tuple[str, ...]
    """Joints whose repeated constraints were left out of the decomposition."""
    local: tuple[str, ...]
    """Links with a local freedom, which no group determines."""

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each group."""
        return records(self.groups)

    @property
    def highest_class(self) -> int:
        """The class of the mechanism for these inputs."""
        return max((group.klass for group in self.groups), default=1)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, ready for JSON."""
        table = asdict(self)
        for group in table["groups"]:
            group["class"] = group.pop("klass")
        return table | {"class": self.highest_class}

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Heads, and one row for each group."""
        rows: list[tuple[str, ...]] = [
            ("no.", "class", "pairs", "links", "outer joints", "inner joints", "after")
        ]
        for g in self.groups:
            klass = _roman(g.klass) + (", input" if g.kind == "input" and g.klass != 1 else "")
            after = ", ".join("base" if n == 0 else str(n) for n in g.after)
            names = (", ".join(part) for part in (g.bodies, g.outer, g.inner))
            rows.append((str(g.number), klass, g.signature, *names, after))
        return rows

    def __str__(self) -> str:
        """One row for each group, in the order of solution."""
        whole = f": class {_roman(self.highest_class)}" if self.highest_class else ""
        name = self.mechanism or "the mechanism"
        lines = [f"Structural groups of {name!r}, input {', '.join(self.inputs)}{whole}", ""]
        lines += columns(self.rows)
        if self.passive:
            lines += ["", f"Passive constraints left out at: {', '.join(self.passive)}."]
        if self.local:
            lines += ["", f"Local freedoms, not determined: {', '.join(self.local)}."]
        return "\n".join(lines)


def _roman(klass: int) -> str:
    if klass == 0:
        return "-"
    return CLASS[klass] if klass < len(CLASS) else str(klass)


@public
@np.errstate(all="ignore")  # absurd sizes are judged by rank_of
def groups(m: Mechanism, inputs: str | Sequence[str] | None = None) -> Groups:
    """Structural groups for the given inputs (coordinates; else the drives), in solution order.

        >>> print(kb.groups(m, "A"))
        Structural groups of 'four-bar', input A: class II
        <BLANKLINE>
          no.  class  pairs  links            outer joints  inner joints  after
          1    I      R      crank            A                           base
          2    II     RRR    coupler, rocker  D, B          C             base, 1

    A wrong number of inputs is a `StructureError` that says how many are needed.
    """
    drives = _drives(m, inputs)
    place = drawn_placement(m)
    rows, size = _split(place.rows), place.size
    settled, passive = _passive(place, rows)
    locals_ = local_freedoms(settled)
    asked = [i for i in range(len(rows)) if i not in passive]
    kept = [rows[i] for i in asked]
    kept += _split((DRIVEN, blocks) for _, blocks in place.drive_rows(drives))
    for freedom in locals_:  # rows that stand for them, so that unknowns and rows are as many
        body = place.graph.bodies.index(freedom.bodies[0])
        kept += [(IDLE, {body: np.ones((1, size))})] * freedom.count
    owner = _owners(kept, place.graph.moving, size)
    spare = _spare(place, [i for i, body in zip(asked, owner, strict=False) if not body], passive)
    matched = sum(body > 0 for body in owner)
    _check_inputs(drives, place.graph.moving * size - matched, len(owner) - matched - len(spare))
    return Groups(
        m.name,
        tuple(drive.name for drive in drives),
        _decomposed(place, kept, owner),
        tuple(dict.fromkeys(rows[i][0] for i in (*passive, *spare))),
        tuple(dict.fromkeys(body for freedom in locals_ for body in freedom.bodies)),
    )


def _drives(m: Mechanism, inputs: str | Sequence[str] | None) -> list[Drive]:
    if inputs is None and m.drives:
        return list(m.drives)
    known = single_coordinates(m)
    if inputs is None:
        choice = ", ".join(known)
        raise StructureError(
            f"mechanism {m.name!r} has no drives, so the inputs must be named, such as "
            f"{next(iter(known), 'A')!r} (korba groups FILE --input A); coordinates are {choice}"
        )
    names = [inputs] if isinstance(inputs, str) else list(inputs)
    refuse_unknown("coordinate", names, known, "inputs")
    return [JointDrive(name, name, constant(0.0)) for name in names]


def _split(rows: Iterable[NamedRows]) -> list[NamedRows]:
    """Every row alone."""
    return [
        (name, {body: block[[i]] for body, block in blocks.items()})
        for name, blocks in rows
        for i in range(len(next(iter(blocks.values()))))
    ]


def _passive(place: Placement, rows: list[NamedRows]) -> tuple[Placement, list[int]]:
    """Numbers of the rows of joints and couplings that repeat others.

    Where some do and the mechanism is not large, ranks are taken at a general position near the
    drawing, which is returned first.
    """
    A = place.matrix()
    if max(A.shape) > DENSE_UP_TO:
        return place, sorted(_passive_by_loop(place, rows))
    rank = rank_of(A)
    if rank.rank == len(rows):
        return place, []
    settled = finite_mobility(place, rank).place
    return settled, sorted(dependent_rows(np.asarray(settled.matrix()), _weights(place, rows)))


def _weights(place: Placement, rows: list[NamedRows]) -> Array:
    """Small weights for joints that close loops: if a row must go, it is one of theirs."""
    graph = place.graph
    closing = {graph.joints[j] for j in spanning_tree(graph).closing}
    return np.array([1e-2 if name in closing else 1.0 for name, _ in rows])


def _passive_by_loop(place: Placement, rows: list[NamedRows]) -> set[int]:
    """A large mechanism: rows that repeat others of the same loop, loop by loop."""
    of_joint: dict[str, list[int]] = {}
    for i, (name, _) in enumerate(rows):
        of_joint.setdefault(name, []).append(i)
    weights = _weights(place, rows)
    passive: set[int] = set()
    for loop in independent_loops(place.graph):
        names = place.graph.joint_names(loop.joints)
        here = [i for name in names for i in of_joint.get(name, ()) if i not in passive]
        A = dense((rows[i][1] for i in here), [b for b in loop.bodies if b], place.size)
        passive |= {here[r] for r in dependent_rows(A, weights[here])}
    return passive


def _spare(place: Placement, spare: list[int], passive: list[int]) -> list[int]:
    """Rows of a large mechanism that no unknown needs, if they can be passive ones."""
    A = place.matrix()
    if not spare or max(A.shape) <= DENSE_UP_TO:
        return []
    return spare if len(spare) + len(passive) <= A.shape[0] - rank_of(A).rank else []


def _check_inputs(drives: list[Drive], left: int, too_many: int) -> None:
    """As many independent inputs as the mobility: no freedom left, no constraint too many."""
    names = ", ".join(drive.name for drive in drives) or "(none)"
    count = sum(drive.count for drive in drives)
    if left and too_many:
        fault = (
            f"prescribe {too_many} motions twice and leave {left} freedoms free; "
            "choose inputs that do not follow from each other"
        )
    elif left:
        fault = f"leave {left} freedoms free; give {left} more, {count + left} in all"
    elif too_many:
        free = count - too_many
        fault = f"prescribe {count} motions where {free} are free; leave out {too_many}"
    else:
        return
    raise StructureError(f"inputs {names} {fault}")


def _decomposed(place: Placement, rows: list[NamedRows], owner: list[int]) -> tuple[Group, ...]:
    """The groups: bodies that need each other, after those that they need."""
    needs: dict[int, set[int]] = {body: set() for body in range(1, len(place.graph.bodies))}
    using: dict[int, set[str]] = {body: set() for body in needs}
    for (name, blocks), body in zip(rows, owner, strict=True):
        if body:
            needs[body] |= blocks.keys() - {0, body}
            using[body].add(name)
    members = needing_each_other(needs)
    home = {body: part for part, bodies in enumerate(members) for body in bodies}
    before = [
        {home[other] for body in bodies for other in needs[body]} - {part}
        for part, bodies in enumerate(members)
    ]
    order = _solution_order(members, before)
    numbers = {part: k for k, part in enumerate(order, 1)}
    return tuple(
        _group(
            place,
            numbers[part],
            members[part],
            set().union(*(using[body] for body in members[part])),
            sorted(numbers[other] for other in before[part]),
        )
        for part in order
    )


def _owners(rows: list[NamedRows], moving: int, size: int) -> list[int]:
    """The body whose unknown each row determines (0 for none), by a maximum matching."""
    if max(len(rows), moving * size) <= DENSE_UP_TO:
        pattern = {
            r: dict.fromkeys((b - 1) * size + k for b in sorted(blocks) if b for k in range(size))
            for r, (_, blocks) in enumerate(rows)
        }
        body_of = {r: j // size + 1 for j, r in matched(pattern).items()}
        return [body_of.get(r, 0) for r in range(len(rows))]
    with undisturbed():
        from scipy import sparse
        from scipy.sparse.csgraph import maximum_bipartite_matching

    places = [(r, b) for r, (_, blocks) in enumerate(rows) for b in sorted(blocks) if b]
    i = [r for r, _ in places for _ in range(size)]
    j = [(b - 1) * size + k for _, b in places for k in range(size)]
    pattern = sparse.csr_matrix((np.ones(len(i)), (i, j)), shape=(len(rows), moving * size))
    match = maximum_bipartite_matching(pattern, perm_type="column")
    return [int(v) // size + 1 if v >= 0 else 0 for v in match]


def _solution_order(members: list[list[int]], before: list[set[int]]) -> list[int]:
    """Groups so that each comes after those it needs; of equals, in the order of the bodies."""
    waits = list(map(len, before))
    users: list[list[int]] = [[] for _ in members]
    for part in sorted(range(len(members)), key=members.__getitem__):
        for other in before[part]:
            users[other].append(part)
    none = (part for part, count in enumerate(waits) if not count)
    ready = sorted(none, key=members.__getitem__, reverse=True)
    order: list[int] = []
    while ready:
        order.append(ready.pop())
        for user in users[order[-1]]:
            waits[user] -= 1
            if not waits[user]:
                ready.append(user)
    return order


def _group(
    place: Placement, number: int, bodies: list[int], names: set[str], after: list[int]
) -> Group:
    """The group of some bodies, solved with the constraints of the named joints."""
    graph, joints, driven = place.graph, place.m.joints, DRIVEN in names
    touching = sorted({j for b in bodies for j in graph.incident[b] if graph.joints[j] in names})
    inner = [j for j in touching if set(graph.ends[j]) <= set(bodies)]
    outer = [j for j in touching if j not in inner]
    return Group(
        number=number,
        kind="input" if driven else ("dyad" if len(bodies) == 2 else "group"),
        klass=_class(graph, bodies, touching, driven) if place.size == 3 else 0,
        order=len(outer),
        bodies=graph.body_names(bodies),
        inner=graph.joint_names(inner),
        outer=graph.joint_names(outer),
        signature=_signature([joints[j].symbol for j in outer], [joints[j].symbol for j in inner]),
        after=((0,) if any(0 in graph.ends[j] for j in outer) else ()) + tuple(after),
    )


def _class(graph: Graph, bodies: list[int], joints: list[int], driven: bool) -> int:
    """Class of a planar group: I input, II binary links, III a ternary link, n a contour of n."""
    if driven and len(bodies) == 1:
        return 1
    number = {b: i for i, b in enumerate(bodies)}
    nodes = Counter(b for j in joints for b in graph.ends[j] if b in number)
    inner = [j for j in joints if all(b in number for b in graph.ends[j])]
    ends = tuple((number[a], number[b]) for a, b in (graph.ends[j] for j in inner))
    part = Graph(tuple(map(str, bodies)), tuple(map(str, inner)), ends, (1,) * len(inner))
    contour = max((len(loop.joints) for loop in independent_loops(part)), default=0)
    ternary = len(bodies) > 2 and max(nodes.values(), default=0) > 2
    return max(2, 3 if ternary else 0, contour if contour > 3 else 0)


def _signature(outer: list[str], inner: list[str]) -> str:
    """`RRT` for a dyad, else all symbols, outer ones first."""
    if len(outer) == 2 and len(inner) == 1:
        return outer[0] + inner[0] + outer[1]
    return "".join(outer) + ("-" if inner else "") + "".join(inner)
