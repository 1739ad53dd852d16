"""Events of a trajectory: which happened when, and the state there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..display import Displayed, Table
from ..errors import StructureError, way_out
from ..spatial.rotation import Array

MOST = 8
"""Events that are told in a summary."""


@dataclass(frozen=True, eq=False)
class Occurrence(Displayed):
    """One event: its name, the time, and the state right before anything changes."""

    name: str
    t: float
    q: Array
    v: Array
    run: int = 0
    """The number of the run, in a batch."""


@dataclass(frozen=True, eq=False)
class Events(Displayed, Sequence[Occurrence]):
    """All events of a trajectory in the order of time, of one run after the other.

    `events[0]` is one of them, `events["bottom"]` are those of one name; `t`, `q` and `v` have a
    row for each.
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

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[Occurrence]:
        return (self._one(k) for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.names:
                raise StructureError(f"there is no event {key!r}; {way_out(key, self.names)}")
            return self.taken(self.which == self.names.index(key))
        if isinstance(key, slice):
            return self.taken(key)
        return self._one(range(len(self))[key])

    def _one(self, k: int) -> Occurrence:
        name = self.names[int(self.which[k])]
        return Occurrence(name, float(self.t[k]), self.q[k], self.v[k], int(self.run[k]))

    def taken(self, places: Any) -> Events:
        """Some of them."""
        parts = {name: getattr(self, name)[places] for name in ("which", "t", "q", "v", "run")}
        return replace(self, **parts)

    def of_run(self, number: int) -> Events:
        """Those of one run of a batch, as of a single run."""
        own = self.taken(self.run == number)
        return replace(own, run=np.zeros(len(own), dtype=int))

    @property
    def arrays(self) -> dict[str, Array]:
        """What is saved, besides the names."""
        return {name: getattr(self, name) for name in ("which", "t", "q", "v", "run")}

    @staticmethod
    def loaded(names: Sequence[str], arrays: Mapping[str, Any]) -> Events:
        """What was saved."""
        if not names:
            return Events()
        return Events(tuple(names), **{name: np.atleast_1d(x) for name, x in arrays.items()})

    def __str__(self) -> str:
        told = [f"{each.name} at t = {each.t:.9g} s" for each in self[:MOST]]
        more = [f"{len(self) - MOST} more"] if len(self) > MOST else []
        return "; ".join([*told, *more]) or "none happened"

    def _table(self) -> Table:
        rows = [(each.name, each.t, each.run) for each in self]
        return Table(f"{len(self)} events", ("event", "t in s", "run"), rows)
