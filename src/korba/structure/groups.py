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
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import StructureError
from ..expr import constant
from ..model.drive import Drive
from ..model.drives.joint_drive import JointDrive
from ..model.mechanism import Mechanism
from ..model.validate import single_coordinates
from ..spatial.rotation import Array
from ..topology.graph import Graph
from ..topology.loops import independent_loops
from ..topology.tree import spanning_tree
from .count import CLASS
from .finite import finite_mobility
from .local import LocalFreedom, local_freedoms
from .placement import NamedRows, Placement, drawn_placement
from .rank import DENSE_UP_TO, TOLERANCE, rank_of

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
class Groups(Displayed):
    """The answer of `groups`; `print` shows it as a table."""

    mechanism: str
    inputs: tuple[str, ...]
    groups: tuple[Group, ...]
    passive: tuple[str, ...]
    """Joints whose repeated constraints were left out of the decomposition."""
    local: tuple[str, ...]
    """Links with a local freedom, which no group determines."""

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

    def __str__(self) -> str:
        """One row for each group, in the order of solution."""
        rows: list[tuple[str, ...]] = [
            ("no.", "class", "pairs", "links", "outer joints", "inner joints", "after")
        ]
        for g in self.groups:
            klass = _roman(g.klass) + (", input" if g.kind == "input" and g.klass != 1 else "")
            after = ", ".join("base" if n == 0 else str(n) for n in g.after)
            names = (", ".join(part) for part in (g.bodies, g.outer, g.inner))
            rows.append((str(g.number), klass, g.signature, *names, after))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        whole = f": class {_roman(self.highest_class)}" if self.highest_class else ""
        name = self.mechanism or "the mechanism"
        lines = [f"Structural groups of {name!r}, input {', '.join(self.inputs)}{whole}", ""]
        for row in rows:
            cells = (f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True))
            lines.append(("  " + "  ".join(cells)).rstrip())
        if self.passive:
            lines += ["", f"Passive constraints left out at: {', '.join(self.passive)}."]
        if self.local:
            lines += ["", f"Local freedoms, not determined: {', '.join(self.local)}."]
        return "\n".join(lines)


def _roman(klass: int) -> str:
    if klass == 0:
        return "-"
    return CLASS[klass] if klass < len(CLASS) else str(klass)


def groups(m: Mechanism, inputs: str | Sequence[str] | None = None) -> Groups:
    """Structural groups for the given inputs (coordinates; else the drives), in solution order.

        >>> print(kb.groups(m, "crank"))                                         # doctest: +SKIP

    A wrong number of inputs is a `StructureError` that says how many are needed.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # absurd sizes are judged by rank_of
        return _groups(m, inputs)


def _groups(m: Mechanism, inputs: str | Sequence[str] | None) -> Groups:
    drives = _drives(m, inputs)
    place = drawn_placement(m)
    settled, kept, dropped = _independent(place)
    locals_ = local_freedoms(settled)
    kept += _split((DRIVEN, blocks) for _, blocks in place.drive_rows(drives))
    kept += [row for freedom in locals_ for row in _idle_rows(place, freedom)]
    owner = _owners(kept, place.graph.moving, place.size)
    if max(place.matrix().shape) > DENSE_UP_TO and (
        spare := _spare(place, kept, owner, len(dropped))
    ):
        dropped += [kept[i] for i in sorted(spare)]
        kept = [row for i, row in enumerate(kept) if i not in spare]
        owner = [body for i, body in enumerate(owner) if i not in spare]
    _check_inputs(place, owner, drives)
    return Groups(
        m.name,
        tuple(drive.name for drive in drives),
        _decomposed(place, kept, owner),
        tuple(dict.fromkeys(name for name, _ in dropped)),
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
    if unknown := [name for name in names if name not in known]:
        raise StructureError(
            f"inputs: there is no coordinate {unknown[0]!r}; there are {', '.join(known)}"
        )
    return [JointDrive(name, name, constant(0.0)) for name in names]


def _split(rows: Iterable[NamedRows]) -> list[NamedRows]:
    """Every row alone."""
    return [
        (name, {body: block[[i]] for body, block in blocks.items()})
        for name, blocks in rows
        for i in range(next(iter(blocks.values())).shape[0])
    ]


def _idle_rows(place: Placement, freedom: LocalFreedom) -> list[NamedRows]:
    """Rows that stand for the local freedoms of a link, so that unknowns and rows are as many."""
    body = place.graph.bodies.index(freedom.bodies[0])
    return [(IDLE, {body: np.ones((1, place.size))})] * freedom.count


def _independent(place: Placement) -> tuple[Placement, list[NamedRows], list[NamedRows]]:
    """The rows of joints and couplings without those that repeat others, and those.

    Where some do and the mechanism is not large, ranks are taken at a general position near the
    drawing, which is returned first.
    """
    rows, A = _split(place.rows), place.matrix()
    if max(A.shape) > DENSE_UP_TO:
        return place, *_independent_by_loop(place, rows)
    rank = rank_of(A)
    if rank.rank == len(rows):
        return place, rows, []
    settled = finite_mobility(place, rank).place
    dependent = _dependent_rows(settled.matrix().toarray(), _weights(place, rows))
    kept = [row for i, row in enumerate(rows) if i not in dependent]
    return settled, kept, [row for i, row in enumerate(rows) if i in dependent]


def _weights(place: Placement, rows: list[NamedRows]) -> Array:
    """Small weights for joints that close loops: if a row must go, it is one of theirs."""
    graph = place.graph
    closing = {graph.joints[j] for j in spanning_tree(graph).closing}
    return np.array([1e-2 if name in closing else 1.0 for name, _ in rows])


def _dependent_rows(A: Array, weights: Array) -> set[int]:
    """Rows of a dense matrix that repeat others; rows of small weight go first."""
    if min(A.shape) == 0:
        return set()
    from scipy.linalg import qr

    _, R, order = qr((A * weights[:, None]).T, pivoting=True, mode="economic")
    count = int(np.sum(np.abs(np.diag(R)) > TOLERANCE * abs(R[0, 0])))
    return set(order[count:].tolist())


def _independent_by_loop(
    place: Placement, rows: list[NamedRows]
) -> tuple[list[NamedRows], list[NamedRows]]:
    """A large mechanism: rows that repeat others of the same loop are left out, loop by loop."""
    graph, size = place.graph, place.size
    of_joint: dict[str, list[int]] = {}
    for i, (name, _) in enumerate(rows):
        of_joint.setdefault(name, []).append(i)
    weights = _weights(place, rows)
    dropped: set[int] = set()
    for loop in independent_loops(graph):
        here = [i for j in loop.joints for i in of_joint.get(graph.joints[j], ())]
        here = [i for i in here if i not in dropped]
        start = {b: k * size for k, b in enumerate(b for b in loop.bodies if b)}
        A = np.zeros((len(here), size * len(start)))
        for r, i in enumerate(here):
            for b, block in rows[i][1].items():
                if b in start:
                    A[r, start[b] : start[b] + size] = block[0]
        dropped |= {here[r] for r in _dependent_rows(A, weights[here])}
    kept = [row for i, row in enumerate(rows) if i not in dropped]
    return kept, [rows[i] for i in sorted(dropped)]


def _spare(place: Placement, rows: list[NamedRows], owner: list[int], dropped: int) -> set[int]:
    """Rows of a large mechanism that no unknown needs, if they can be passive ones."""
    spare = {i for i, body in enumerate(owner) if body == 0 and rows[i][0] not in (DRIVEN, IDLE)}
    A = place.matrix()
    return spare if spare and len(spare) + dropped <= A.shape[0] - rank_of(A).rank else set()


def _check_inputs(place: Placement, owner: list[int], drives: list[Drive]) -> None:
    """As many independent inputs as the mobility, by the count of matched constraints."""
    matched = sum(body > 0 for body in owner)
    left = place.graph.moving * place.size - matched
    too_many = len(owner) - matched
    names = ", ".join(drive.name for drive in drives) or "(none)"
    count = sum(drive.count for drive in drives)
    if left and too_many:
        raise StructureError(
            f"inputs {names} prescribe {too_many} motions twice and leave {left} freedoms free; "
            "choose inputs that do not follow from each other"
        )
    if left:
        raise StructureError(
            f"inputs {names} leave {left} freedoms free; give {left} more, {count + left} in all"
        )
    if too_many:
        raise StructureError(
            f"inputs {names} prescribe {count} motions where {count - too_many} are free; leave "
            f"out {too_many}"
        )


def _decomposed(place: Placement, rows: list[NamedRows], owner: list[int]) -> tuple[Group, ...]:
    graph = place.graph
    needs: dict[int, set[int]] = {b: set() for b in range(1, len(graph.bodies))}
    using: dict[int, list[str]] = {b: [] for b in needs}
    for (name, blocks), body in zip(rows, owner, strict=True):
        if body:
            needs[body] |= {b for b in blocks if b not in (0, body)}
            using[body].append(name)
    label = _strong_components(needs, len(graph.bodies))
    members: dict[int, list[int]] = {}
    for body in needs:
        members.setdefault(label[body], []).append(body)
    numbers: dict[int, int] = {}
    found: list[Group] = []
    for key in _solution_order(members, needs, label):
        names = {name for body in members[key] for name in using[body]}
        before = {label[b] for body in members[key] for b in needs[body]} - {key}
        group = _group(place, members[key], names, DRIVEN in names)
        numbers[key] = len(found) + 1
        after = (*group.after, *sorted(numbers[other] for other in before))
        found.append(replace(group, number=numbers[key], after=after))
    return tuple(found)


def _owners(rows: list[NamedRows], moving: int, size: int) -> list[int]:
    """The body whose unknown each row determines (0 for none), by a maximum matching."""
    from scipy import sparse
    from scipy.sparse.csgraph import maximum_bipartite_matching

    places = [(r, b) for r, (_, blocks) in enumerate(rows) for b in sorted(blocks) if b]
    i = [r for r, _ in places for _ in range(size)]
    j = [(b - 1) * size + k for _, b in places for k in range(size)]
    pattern = sparse.csr_matrix((np.ones(len(i)), (i, j)), shape=(len(rows), moving * size))
    match = maximum_bipartite_matching(pattern, perm_type="column")
    return [int(v) // size + 1 if v >= 0 else 0 for v in match]


def _strong_components(needs: dict[int, set[int]], count: int) -> list[int]:
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    pairs = [(b, other) for b, others in needs.items() for other in others]
    i, j = zip(*pairs, strict=True) if pairs else ((), ())
    pattern = sparse.csr_matrix((np.ones(len(pairs)), (i, j)), shape=(count, count))
    return [int(k) for k in connected_components(pattern, directed=True, connection="strong")[1]]


def _solution_order(
    members: dict[int, list[int]], needs: dict[int, set[int]], label: list[int]
) -> list[int]:
    """Groups so that each comes after those it needs; of equals, in the order of the bodies."""
    waits = {
        key: {label[b] for body in bodies for b in needs[body]} - {key}
        for key, bodies in members.items()
    }
    users: dict[int, list[int]] = {key: [] for key in members}
    for key, others in waits.items():
        for other in others:
            users[other].append(key)
    ready = sorted((k for k, others in waits.items() if not others), key=lambda k: members[k])[::-1]
    order: list[int] = []
    while ready:
        key = ready.pop()
        order.append(key)
        for user in users[key]:
            waits[user].discard(key)
            if not waits[user]:
                ready.append(user)
    return order


def _group(place: Placement, bodies: list[int], names: set[str], driven: bool) -> Group:
    """The group of some bodies, solved with the constraints of the named joints; not numbered."""
    graph, joints = place.graph, place.m.joints
    touching = sorted({j for b in bodies for j in graph.incident[b] if graph.joints[j] in names})
    inner = [j for j in touching if set(graph.ends[j]) <= set(bodies)]
    outer = [j for j in touching if j not in inner]
    return Group(
        number=0,
        kind="input" if driven else ("dyad" if len(bodies) == 2 else "group"),
        klass=_class(graph, bodies, touching, driven) if place.size == 3 else 0,
        order=len(outer),
        bodies=tuple(graph.bodies[b] for b in bodies),
        inner=tuple(graph.joints[j] for j in inner),
        outer=tuple(graph.joints[j] for j in outer),
        signature=_signature([joints[j].symbol for j in outer], [joints[j].symbol for j in inner]),
        after=(0,) if any(0 in graph.ends[j] for j in outer) else (),
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
