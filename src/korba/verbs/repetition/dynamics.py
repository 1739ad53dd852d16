"""The verbs of dynamics as repetitions, for mechanisms too long for straight-line code.

Around the sweeps of recursions.py stands straight-line code for what is not the same for every
link: before them the coordinates that depend on others, p = F(q), with their rates, and the loads;
after them the forces that dependent coordinates pass on, tau = F_q' tau_all. Loads that ask where
their link is make a sweep of its own necessary, over the links that lead there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...codegen import symbols
from ...codegen.repetition import SCRATCH, Draft, Repetition, Spot, Write, blocks_in
from ...dynamics.formulation import Formulation
from ...expr import Expr, variable
from ...expr.node import as_expr, recorded
from ...forces.loads import State, loads_in, named_values
from ...kinematics.couplings import all_coordinates, coupling_map
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
        self.arrays["out"] = "out0"
        self.fixed = 0
        self.counts = dict.fromkeys(("v", "a", "tau", "out"), len(self.tree.velocities))
        self.counts["q"] = len(self.tree.coordinates)
        coupled = ("q", "v", "a", "out") if self.tree.couplings else ()
        self.held = {name: self._fix(self.counts[name]) for name in coupled}
        """Where the values of all joints lie, if some depend on others."""

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

    def _fix(self, size: int) -> int:
        start, self.fixed = self.fixed, self.fixed + size
        return start

    def _spot(self, name: str, link: Link) -> Spot:
        """Where the q, v, a, tau or result of a link is."""
        part = link.q if name == "q" else link.v
        if name in self.held:
            return Spot(SCRATCH, self.held[name] + part.start, _size(part))
        if name not in self.arrays or not _size(part):
            return Spot("", 0, _size(part))
        free = self.tree.free_q if name == "q" else self.tree.free_v
        return Spot(self.arrays[name], free.index(part.start), _size(part))

    def _all(self, name: str) -> Array:
        """The values of all joints, as symbols where they lie."""
        start, count = self.held.get(name, 0), self.counts[name]
        if name in self.held:
            return np.asarray(symbols("held", start + count)[start:])
        found = np.zeros(count, dtype=object)
        found[list(self.tree.free_q if name == "q" else self.tree.free_v)] = symbols(name, count)
        return found

    def _coupled(self) -> list[Straight]:
        """Coordinates, velocities and accelerations of all joints, where some depend on others."""
        if not self.held:
            return []
        q, v = (symbols(name, self.inputs[name]) for name in "qv")
        a = symbols("a", self.tree.nv) if "a" in self.inputs else np.zeros(self.tree.nv)
        with recorded() as order:
            q_all = all_coordinates(self.tree, q)
            G = coupling_map(self.tree, q_all, v)
            v_all = G.out(v)
            found = {"q": q_all, "v": v_all, "a": G.out_rate(v_all, a)}
        places = [(SCRATCH, self.held[name], values) for name, values in found.items()]
        return self._straight(_pieces(places), order)

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
        if not self.held:
            return []
        q_all, tau = self._all("q"), self._all("out")
        with recorded() as order:
            found = coupling_map(self.tree, q_all).back(tau)
        return self._straight(_pieces([("out0", 0, found)]), order)

    def _straight(
        self, values: Sequence[tuple[Spot, Any]], order: Sequence[Expr]
    ) -> list[Straight]:
        """Straight-line code for values and their places, in pieces."""
        found, ends = [], np.cumsum([len(numbers) for _, numbers in values]) // LONGEST
        for which in dict.fromkeys(ends.tolist()):
            part = [value for value, end in zip(values, ends, strict=True) if end == which]
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


def _pieces(arrays: Iterable[tuple[str, int, Array]]) -> list[tuple[Spot, Array]]:
    """Values that lie one after the other in an array, from a place on, in short pieces."""
    return [
        (Spot(array, start + k), values[k : k + LONGEST])
        for array, start, values in arrays
        for k in range(0, len(values), LONGEST)
    ]
