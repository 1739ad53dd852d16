"""The verbs of dynamics as repetitions, for mechanisms too long for straight-line code.

Around the sweeps of recursions.py stands straight-line code for what is not the same for every
link: before them the coordinates that depend on others, p = F(q), with their rates, and the loads;
after them the forces that dependent coordinates pass on, tau = F_q' tau_all. Loads that ask where
their link is make a sweep of its own necessary, over the links that lead there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from ...codegen import array_of, symbols
from ...codegen.repetition import SCRATCH, Draft, Repetition, Spot, Write, blocks_in
from ...dynamics.formulation import Formulation
from ...expr import Expr, variable
from ...expr.node import as_expr, recorded
from ...forces.loads import State, loads_in, named_values
from ...kinematics.couplings import all_coordinates, coupling_bias, velocity_map
from ...kinematics.velocity import PLACING
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from ...system.system import System
from ...system.tree import Link
from .rows import Straight, repeated_program
from .steps import Section

LONGEST = 400
"""Results of one piece of straight-line code."""


def repeated(
    verb: str, formulation: Formulation, system: System, sizes: Mapping[str, int]
) -> Repetition:
    """The repetition of a verb of inputs with these sizes, by the sweeps of a formulation."""
    return _Repeated(formulation.sweeps[verb], system, sizes).program()


def _size(part: slice) -> int:
    return int(part.stop - part.start)


class _Repeated:
    """Where everything lies, and the sections in their order."""

    def __init__(
        self, sweeps: Callable[..., Any], system: System, sizes: Mapping[str, int]
    ) -> None:
        self.system, self.tree = system, system.lean
        self.sweeps = sweeps(system.gravity)
        self.inputs = dict(sizes)
        self.arrays = {name: f"in{k}" for k, name in enumerate(self.inputs)}
        self.fixed = 0
        self.free_q = {i: k for k, i in enumerate(self.tree.free_q)}
        self.free_v = {i: k for k, i in enumerate(self.tree.free_v)}
        self.mixed = [link for link in self.tree.links if self._depends(link)]
        self.held = {name: self._held(name) for name in ("q", "v", "a", "tau")}
        self.arrays["out"], self.held["out"] = "out0", self.held["tau"]

    def program(self) -> Repetition:
        """Couplings, loads, sweeps, forces of the couplings."""
        links = self.tree.links
        before: list[Section | Straight] = list(self._coupled())
        loads, load, wrench = self._loads()
        given = {name: [self._spot(name, link) for link in links] for name in "qva"}
        given |= {"load": load, "wrench": wrench}
        if "tau" in self.inputs:
            given["force"] = [self._spot("tau", link) for link in links]
        out = "a" if "tau" in self.inputs else "tau"
        result = [self._spot("out", link) for link in links]
        main = Section(links, self.sweeps, given, out, result)
        sections = [*before, *loads, main, *self._passed_on()]
        shape = (self.tree.nv,)
        name = self.tree.m.name or "the mechanism"
        return repeated_program(name, tuple(self.inputs.items()), shape, sections, self.fixed)

    def _depends(self, link: Link) -> bool:
        """Whether a coordinate of a link's joint depends on others."""
        return any(i not in self.free_q for i in range(link.q.start, link.q.stop))

    def _held(self, name: str) -> dict[str, int]:
        """Places for the values of links with dependent coordinates."""
        parts = {link.name: link.q if name == "q" else link.v for link in self.mixed}
        return {link: self._fix(_size(part)) for link, part in parts.items()}

    def _fix(self, size: int) -> int:
        start, self.fixed = self.fixed, self.fixed + size
        return start

    def _spot(self, name: str, link: Link) -> Spot:
        """Where the q, v, a, tau or result of a link is."""
        part, free = (link.q, self.free_q) if name == "q" else (link.v, self.free_v)
        if link.name in self.held[name]:
            return Spot(SCRATCH, self.held[name][link.name], _size(part))
        if name not in self.arrays or not _size(part):
            return Spot("", 0, _size(part))
        return Spot(self.arrays[name], free[part.start], _size(part))

    def _all(self, name: str) -> Array:
        """The values of all joints, as symbols where they lie."""
        part = attrgetter("q" if name == "q" else "v")
        found = np.zeros(sum(_size(part(link)) for link in self.tree.links), dtype=object)
        for link in self.tree.links:
            array, start, size = self._spot(name, link)
            if array:
                block = "held" if array == SCRATCH else name
                found[part(link)] = symbols(block, start + size)[start:]
        return found

    def _coupled(self) -> list[Straight]:
        """Coordinates, velocities and accelerations of joints that depend on others."""
        if not self.mixed:
            return []
        tree = self.tree
        with recorded() as order:
            q_all = all_coordinates(tree, symbols("q", self.inputs["q"]))
            G = velocity_map(tree, q_all)
            v_all = _product(G, symbols("v", self.inputs["v"]))
            a_all = coupling_bias(tree, q_all, v_all)
            if "a" in self.inputs:
                a_all = _product(G, symbols("a", self.inputs["a"])) + a_all
        values: list[tuple[Spot, Any]] = []
        for link in self.mixed:
            for name, found in (("q", q_all), ("v", v_all), ("a", a_all)):
                part = link.q if name == "q" else link.v
                values.append((Spot(SCRATCH, self.held[name][link.name], _size(part)), found[part]))
        return self._straight(values, order)

    def _loads(self) -> tuple[list[Section | Straight], list[Spot], list[Spot]]:
        """What acts besides gravity: sections that find it, load and wrench of every link."""
        links = self.tree.links
        none = [Spot("", 0, _size(link.v)) for link in links], [Spot("", 0, 6) for _ in links]
        if not self.tree.m.forces:
            return [], *none
        q, v = self._all("q"), self._all("v")
        t = variable("t[0]") if "t" in self.inputs else 0.0
        poses = _Made(lambda place: Pose(place[:9].reshape(3, 3), place[9:12]))
        twists = _Made(lambda place: place[12:])
        values = named_values(self.system.tree, q, v, t)
        with recorded() as order:
            found = loads_in(State(self.system.tree, v, t, values, poses, twists, {}))
        load, wrench = none
        kept: list[tuple[Spot, Any]] = []
        for i, link in enumerate(links):
            if any(as_expr(x).value != 0.0 for x in found.tau[link.v]):
                load[i] = Spot(SCRATCH, self._fix(_size(link.v)), _size(link.v))
                kept.append((load[i], found.tau[link.v]))
            if i in found.wrenches:
                wrench[i] = Spot(SCRATCH, self._fix(6), 6)
                kept.append((wrench[i], np.concatenate(found.wrenches[i])))
        placing = self._placing(sorted({*poses, *twists}))
        return [*placing, *self._straight(kept, order)], load, wrench

    def _placing(self, wanted: Sequence[int]) -> list[Section]:
        """Poses and twists of the links that loads ask for."""
        if not wanted:
            return []
        links = self.tree.links
        self.places = {i: self._fix(18) for i in wanted}
        result = [
            Spot(SCRATCH if i in self.places else "", self.places.get(i, 0), 18)
            for i in range(len(links))
        ]
        given = {name: [self._spot(name, link) for link in links] for name in "qv"}
        return [Section(links, [PLACING], given, "place", result)]

    def _passed_on(self) -> list[Straight]:
        """Forces of dependent coordinates, passed on to those they depend on."""
        if not self.mixed:
            return []
        tree = self.tree
        q_all, tau = self._all("q"), self._all("out")
        with recorded() as order:
            G = velocity_map(tree, q_all)
            dependent = [i for i in range(len(G)) if i not in self.free_v]
            values = []
            for column, row in enumerate(tree.free_v):
                shares = [G[i, column] * tau[i] for i in dependent if _is_not_zero(G[i, column])]
                if shares or any(row in range(link.v.start, link.v.stop) for link in self.mixed):
                    total = sum(shares, start=tau[row])
                    values.append((Spot("out0", column, 1), [total]))
        return self._straight(values, order)

    def _straight(
        self, values: Sequence[tuple[Spot, Any]], order: Sequence[Expr]
    ) -> list[Straight]:
        """Straight-line code for values and their places, in pieces."""
        found = []
        for start in range(0, len(values), LONGEST):
            part = values[start : start + LONGEST]
            spots = {f"found{k}": spot for k, (spot, _) in enumerate(part)}
            writes = [
                Write(name, k, as_expr(x))
                for name, (_, numbers) in zip(spots, part, strict=True)
                for k, x in enumerate(numbers)
            ]
            reads = {name: self._whole(name) for name in blocks_in(x.value for x in writes)}
            found.append(Straight(partial(Draft, writes, list(order)), spots | reads))
        return found

    def _whole(self, name: str) -> Spot:
        """The array, or the place of a link, that a symbol of straight-line code means."""
        if name in self.arrays:
            return Spot(self.arrays[name], 0)
        return Spot(SCRATCH, 0 if name == "held" else self.places[int(name.removeprefix("place"))])


class _Made(dict[int, Any]):
    """Values of links, made from the symbols of their places when they are asked for."""

    def __init__(self, make: Callable[[Array], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, i: int) -> Any:
        """R by rows, p, then the twist, angular first."""
        self[i] = self.make(symbols(f"place{i}", 18))
        return self[i]


def _is_not_zero(x: Any) -> bool:
    return as_expr(x).value != 0.0


def _product(G: Array, v: Array) -> Array:
    """G v, with what is zero left out."""
    rows = [[(x, y) for x, y in zip(row, v, strict=True) if _is_not_zero(x)] for row in G]
    return array_of(sum((x * y for x, y in row), start=0.0) for row in rows)
