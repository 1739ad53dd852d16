"""Events of a trajectory: which happened when, and the state there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..display import Displayed, Table, Tabled, number_told
from ..errors import refuse_unknown
from ..expr.display_units import IN_SI, DisplayUnits
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.forces.joint_wrench import JointWrench
from .columns import units_of
from .impacts import Impacts
from .places import kept_tree

MOST = 8
"""Events that are told in a summary."""


class Jumping:
    """What an event, or each of some, changes at once; worked out when it is asked for."""

    v: Array
    jumps: Callable[[], Impacts] | None

    @cached_property
    def _impacts(self) -> Impacts:
        return Impacts(self.v, {}, {}, {}) if self.jumps is None else self.jumps()

    @property
    def v_after(self) -> Array:
        """Velocities right after."""
        return self._impacts.v

    @property
    def impulses(self) -> Mapping[str, Any]:
        """Of contacts by name, stops too, in N s or N m s: each pushes what meets apart."""
        return self._impacts.contacts

    @property
    def joint_impulses(self) -> dict[str, JointWrench]:
        """Force and moment through every joint, of the parent on the child, in N s and N m s.

        What an event does in a joint itself, a stop or a new velocity, is part of them.
        """
        return self._impacts.wrenches()

    @property
    def drive_impulses(self) -> Mapping[str, Any]:
        """Of drives by name, which hold their velocities through it."""
        return self._impacts.drives


@dataclass(frozen=True, eq=False)
class Occurrence(Jumping, Displayed):
    """One event: its name, the time, and the state right before anything changes."""

    name: str
    t: float
    q: Array
    v: Array
    run: int = 0
    """The number of the run, in a batch."""
    jumps: Callable[[], Impacts] | None = field(default=None, repr=False)
    """What changes there; None where events of this run change nothing."""

    @property
    def also_shown(self) -> tuple[str, ...]:
        """What an impact has besides, in `repr`."""
        return () if np.array_equal(self.v_after, self.v) else ("v_after", "impulses")

    @property
    def impulses(self) -> dict[str, float]:
        """Of the contacts that act, stops too, by name, in N s or N m s."""
        return {name: float(p) for name, p in self._impacts.contacts.items() if p}


@dataclass(frozen=True, eq=False)
class Events(Jumping, Tabled, Sequence[Occurrence]):
    """All events of a trajectory in the order of time, of one run after the other.

    `events[0]` is one of them, `events["bottom"]` are those of one name; `t`, `q` and `v` have a
    row for each, and so have `v_after` and the impulses of impacts.
    """

    names: tuple[str, ...] = ()
    """Of all events that were asked for."""
    which: Array = field(default_factory=lambda: np.zeros(0, dtype=int), repr=False)
    """Place of each in `names`."""
    t: Array = field(default_factory=lambda: np.zeros(0))
    q: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    v: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    run: Array = field(default_factory=lambda: np.zeros(0, dtype=int), repr=False)
    """Number of the run of each."""
    jumps: Callable[[], Impacts] | None = field(default=None, repr=False)
    """What changes there; None where nothing does."""
    of: Mechanism | None = field(default=None, repr=False)
    """Whose units tables have."""

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[Occurrence]:
        return (self._one(k) for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            refuse_unknown("event", key, self.names)
            return self.taken(self.which == self.names.index(key))
        if isinstance(key, slice):
            return self.taken(key)
        return self._one(range(len(self))[key])

    def _one(self, k: int) -> Occurrence:
        name = self.names[int(self.which[k])]
        place = float(self.t[k]), self.q[k], self.v[k], int(self.run[k])
        return Occurrence(name, *place, self._jumps_of(k))

    def _jumps_of(self, places: Any) -> Callable[[], Impacts] | None:
        return None if self.jumps is None else lambda: self._impacts.taken(places)

    def taken(self, places: Any) -> Events:
        """Some of them."""
        parts = {name: getattr(self, name)[places] for name in ("which", "t", "q", "v", "run")}
        return replace(self, **parts, jumps=self._jumps_of(places))

    def of_run(self, number: int) -> Events:
        """Those of one run of a batch, as of a single run."""
        own = self.taken(self.run == number)
        return replace(own, run=np.zeros(len(own), dtype=int))

    @property
    def arrays(self) -> dict[str, Array]:
        """What is saved, besides the names."""
        own = {name: getattr(self, name) for name in ("which", "t", "q", "v", "run")}
        jumps = {} if self.jumps is None else self._impacts.arrays
        return own | {f"jump {name}": x for name, x in jumps.items()}

    @staticmethod
    def loaded(names: Sequence[str], arrays: Mapping[str, Any]) -> Events:
        """What was saved."""
        if not names:
            return Events()
        arrays = {name: np.atleast_1d(x) for name, x in arrays.items()}
        jumps = {name[5:]: arrays.pop(name) for name in [*arrays] if name.startswith("jump ")}
        found = (lambda: Impacts.loaded(jumps)) if jumps else None
        return Events(tuple(names), **arrays, jumps=found)

    @staticmethod
    def joined(parts: Sequence[Events]) -> Events:
        """Of runs one after the other."""
        names = tuple(dict.fromkeys(name for part in parts for name in part.names))
        which = [[names.index(part.names[int(k)]) for k in part.which] for part in parts]
        rows: dict[str, Any] = {
            key: np.concatenate([getattr(part, key) for part in parts])
            for key in ("t", "q", "v", "run")
        }
        jumping = any(part.jumps is not None for part in parts)
        found = (lambda: Impacts.joined([part._impacts for part in parts])) if jumping else None
        return Events(names, np.concatenate(which).astype(int), **rows, jumps=found)

    def __str__(self) -> str:
        told = [f"{each.name} at t = {each.t:.9g} s" for each in self[:MOST]]
        more = [f"{len(self) - MOST} more"] if len(self) > MOST else []
        return "; ".join([*told, *more]) or "none happened"

    def _table(self) -> Table:
        heads, caption = ("event", "t in s", "run"), f"{len(self)} events"
        if self.jumps is None:
            return Table(caption, heads, [(each.name, each.t, each.run) for each in self])
        names, units, shown = self._shown()
        rows = []
        for each in self:
            after = dict(zip(names, zip(each.v_after, units, strict=True), strict=True))
            speeds = (f"{name} = {shown.told(float(v), si)}" for name, (v, si) in after.items())
            rows.append((each.name, each.t, each.run, _impulses(each.impulses), ", ".join(speeds)))
        return Table(caption, (*heads, "impulses in N s, N m s", "velocities after"), rows)

    def _shown(self) -> tuple[Sequence[str], Sequence[str], DisplayUnits]:
        """Names of velocities, their SI units, and what people read."""
        if self.of is None:
            return [str(k) for k in range(self.v.shape[-1])], ["1"] * self.v.shape[-1], IN_SI
        return self.of.velocities, units_of(kept_tree(self.of), "v"), display_units(self.of)


def _impulses(impulses: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {number_told(x)}" for name, x in impulses.items())
