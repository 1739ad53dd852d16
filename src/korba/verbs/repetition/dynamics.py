"""The verbs of dynamics as repetitions, for mechanisms too long for straight-line code.

Around the sweeps of recursions.py stands straight-line code for what is not the same for every
link: before them the coordinates that depend on others, p = F(q), with their rates, and the loads;
after them the forces that dependent coordinates pass on, tau = F_q' tau_all. Loads that ask where
their link is make a sweep of its own necessary, over the links that lead there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...codegen import program_of
from ...codegen.repetition import SCRATCH, Repetition
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
from .rows import Straight, repeated_program, variables_in
from .steps import Section, Spot

LONGEST = 400
"""Results of one piece of straight-line code."""


def repeated(
    verb: str, formulation: Formulation, system: System, sizes: Mapping[str, int]
) -> Repetition:
    """The repetition of a verb of inputs with these sizes, by the sweeps of a formulation."""
    return _Repeated(verb, formulation, system, sizes).program()


def _size(part: slice) -> int:
    return int(part.stop - part.start)


class _Repeated:
    """Where everything lies, and the sections in their order."""

    def __init__(
        self, verb: str, formulation: Formulation, system: System, sizes: Mapping[str, int]
    ) -> None:
        self.system, self.tree = system, system.lean
        self.sweeps = formulation.sweeps[verb](system.gravity)
        self.inputs = dict(sizes)
        self.arrays = {name: f"in{k}" for k, name in enumerate(self.inputs)}
        self.fixed = 0
        self.free_q = {i: k for k, i in enumerate(self.tree.free_q)}
        self.free_v = {i: k for k, i in enumerate(self.tree.free_v)}
        self.mixed = [link for link in self.tree.links if self._depends(link)]
        self.held = {name: self._held(name) for name in ("q", "v", "a", "tau")}

    def program(self) -> Repetition:
        """Couplings, loads, sweeps, forces of the couplings."""
        links = self.tree.links
        before: list[Section | Straight] = list(self._coupled())
        loads, load, wrench = self._loads()
        given = {
            "q": [self._spot("q", link) for link in links],
            "v": [self._spot("v", link) for link in links],
            "a": [self._spot("a", link) for link in links],
            "load": load,
            "wrench": wrench,
        }
        if "tau" in self.inputs:
            given["force"] = [self._spot("tau", link) for link in links]
        out = "a" if "tau" in self.inputs else "tau"
        result = [self._result(link) for link in links]
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
        found = {}
        for link in self.mixed:
            found[link.name] = self._fix(_size(link.q if name == "q" else link.v))
        return found

    def _fix(self, size: int) -> int:
        start, self.fixed = self.fixed, self.fixed + size
        return start

    def _spot(self, name: str, link: Link) -> Spot:
        """Where the q, v, a or tau of a link is."""
        part, free = (link.q, self.free_q) if name == "q" else (link.v, self.free_v)
        if link.name in self.held[name]:
            return Spot(SCRATCH, self.held[name][link.name], _size(part))
        if name not in self.arrays or not _size(part):
            return Spot("", 0, _size(part))
        return Spot(self.arrays[name], free[part.start], _size(part))

    def _result(self, link: Link) -> Spot:
        if link.name in self.held["tau"]:
            return Spot(SCRATCH, self.held["tau"][link.name], _size(link.v))
        return Spot("out0", self.free_v[link.v.start] if _size(link.v) else 0, _size(link.v))

    def _all(self, name: str) -> Array:
        """The values of all joints, as symbols where they lie."""
        count = len(self.tree.coordinates if name == "q" else self.tree.velocities)
        found = np.zeros(count, dtype=object)
        for link in self.tree.links:
            spot = self._spot(name, link)
            part = link.q if name == "q" else link.v
            if spot.array:
                where = "held" if spot.array == SCRATCH else name
                found[part] = [variable(f"{where}[{spot.start + k}]") for k in range(spot.size)]
        return found

    def _coupled(self) -> list[Straight]:
        """Coordinates, velocities and accelerations of joints that depend on others."""
        if not self.mixed:
            return []
        tree = self.tree
        with recorded() as order:
            q_all = all_coordinates(tree, self._symbols("q"))
            G = velocity_map(tree, q_all)
            v_all = _product(G, self._symbols("v"))
            a_all = coupling_bias(tree, q_all, v_all)
            if "a" in self.inputs:
                a_all = _product(G, self._symbols("a")) + a_all
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
        poses, twists = _Poses(), _Twists()
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
        given = {name: [self._spot(name, link) for link in links] for name in ("q", "v")}
        return [Section(links, [PLACING], given, "place", result)]

    def _passed_on(self) -> list[Straight]:
        """Forces of dependent coordinates, passed on to those they depend on."""
        if not self.mixed:
            return []
        tree = self.tree
        q_all, tau = self._all("q"), self._all_forces()
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

    def _all_forces(self) -> Array:
        """The forces of all joints where the sweeps have left them."""
        found = np.zeros(len(self.tree.velocities), dtype=object)
        for link in self.tree.links:
            spot = self._result(link)
            where = "held" if spot.array == SCRATCH else "out"
            found[link.v] = [variable(f"{where}[{spot.start + k}]") for k in range(spot.size)]
        return found

    def _symbols(self, name: str) -> Array:
        found = np.empty(self.inputs[name], dtype=object)
        found[:] = [variable(f"{name}[{k}]") for k in range(len(found))]
        return found

    def _straight(
        self, values: Sequence[tuple[Spot, Any]], order: Sequence[Expr]
    ) -> list[Straight]:
        """Straight-line code for values and their places, in pieces."""
        found = []
        for start in range(0, len(values), LONGEST):
            part = values[start : start + LONGEST]
            flat = [as_expr(x) for _, numbers in part for x in numbers]
            array = np.empty(len(flat), dtype=object)
            array[:] = flat
            names = sorted({name.rsplit("[", 1)[0] for name in variables_in(flat)})
            spots = [self._whole(name) for name in names]
            inputs = [(name, spot.size) for name, spot in zip(names, spots, strict=True)]
            program = program_of(inputs, array, "", order)
            found.append(Straight(program, spots, [spot for spot, _ in part]))
        return found

    def _whole(self, name: str) -> Spot:
        """The array, or the place of a link, that a symbol of straight-line code means."""
        if name in self.inputs:
            return Spot(self.arrays[name], 0, self.inputs[name])
        if name == "out":
            return Spot("out0", 0, self.tree.nv)
        if name == "held":
            return Spot(SCRATCH, 0, self.fixed)
        return Spot(SCRATCH, self.places[int(name.removeprefix("place"))], 18)


class _Poses(dict[int, Pose]):
    """The poses of links as symbols, made when they are asked for."""

    def __missing__(self, i: int) -> Pose:
        """R by rows, then p."""
        symbols = _place(i)
        self[i] = Pose(symbols[:9].reshape(3, 3), symbols[9:12])
        return self[i]


class _Twists(dict[int, Array]):
    """The twists of links as symbols, made when they are asked for."""

    def __missing__(self, i: int) -> Array:
        """Angular first."""
        self[i] = _place(i)[12:]
        return self[i]


def _place(i: int) -> Array:
    found = np.empty(18, dtype=object)
    found[:] = [variable(f"place{i}[{k}]") for k in range(18)]
    return found


def _is_not_zero(x: Any) -> bool:
    return as_expr(x).value != 0.0


def _product(G: Array, v: Array) -> Array:
    """G v, with what is zero left out."""
    rows = [[(x, y) for x, y in zip(row, v, strict=True) if _is_not_zero(x)] for row in G]
    found = np.empty(len(rows), dtype=object)
    found[:] = [sum((x * y for x, y in row), start=0.0) for row in rows]
    return found
