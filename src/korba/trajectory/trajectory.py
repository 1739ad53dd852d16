"""The one trajectory: whatever moves is t, q, v, a of a mechanism, and what one asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, overload

import numpy as np

from ..codegen import Compiled
from ..display import Drawn, Page
from ..errors import KorbaError, refuse_unknown
from ..files.toml_file import redimension
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.verb import Verb
from . import archive, notes, summary, tables
from .audit import Audit, Effort
from .columns import Column, Given, columns_of, units_of
from .events import Events
from .places import BodyMotion, PointMotion, body_frame, body_point, kept_tree

FINISHED, INTERRUPTED, FAILED = "finished", "interrupted", "failed"
DOUBTFUL = "doubtful"


@dataclass(frozen=True, eq=False)
class Trajectory(Drawn):
    """What moves how, over time: of driven motion, of a simulation, of a batch of them.

    `trajectory["A"]` is a coordinate over time, `["v_A"]` its velocity, `["a_A"]` its acceleration;
    `names` lists these and all other columns (motor currents, torques, energies ...), `units` has
    their units. `trajectory[10:20]` are some of its times. A batch has leading axes: q of shape
    (..., times, nq); `run(3)` is one run of it.
    """

    in_words: ClassVar[str] = "a motion, such as kb.motion(m, times)"

    mechanism: Mechanism
    t: Array
    """Times, shape (times,)."""
    q: Array
    """Coordinates, shape (..., times, nq)."""
    v: Array
    """Velocities, shape (..., times, nv)."""
    accelerations: Given = field(repr=False)
    """`a`, or what computes it when it is first asked for."""
    extra: Mapping[str, Column] = field(default_factory=dict, repr=False)
    """Further columns by name."""
    ended: Any = FINISHED
    """Or "interrupted" or "failed", with the motion up to then; an array for a batch."""
    message: str = ""
    """How it ended, in a sentence."""
    method: str = ""
    """How it was computed."""
    remarks: tuple[str | Callable[[], tuple[str, ...]], ...] = field(default=(), repr=False)
    """What the verb has to say, or what finds it when it is first asked for; see `notes`."""
    audit: Audit = field(default_factory=Audit, repr=False)
    """How well it keeps its equations."""
    effort: Effort | None = None
    """What it took."""
    endings: Mapping[int, str] = field(default_factory=dict, repr=False)
    """How those runs of a batch ended that did not finish, by their number."""
    events: Events = field(default_factory=Events, repr=False)
    """What happened when, of the events that were asked for."""
    parameters: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """Sizes of the designs of a batch by name, shape (..., 1), as verbs take them beside q."""

    def __post_init__(self) -> None:
        if self.events.names and self.events.of is not self.mechanism:
            object.__setattr__(self, "events", replace(self.events, of=self.mechanism))

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: the fields, with what was still to be computed."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        return own | {"accelerations": self.a, "remarks": self.said}

    @cached_property
    def a(self) -> Array:
        """Accelerations, shape (..., times, nv)."""
        made = self.accelerations
        return np.asarray(made() if callable(made) else made)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names in the order of q."""
        return self.mechanism.coordinates

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names in the order of v and a."""
        return self.mechanism.velocities

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns: t, coordinates, velocities, accelerations, and the others."""
        return tuple(self._columns)

    @property
    def units(self) -> dict[str, str]:
        """Units of all columns by name."""
        return {name: column.unit for name, column in self._columns.items()}

    @property
    def columns(self) -> Array:
        """All columns beside each other, shape (..., times, names)."""
        values = [self[name] for name in self.names]
        return np.stack(np.broadcast_arrays(*values), axis=-1)

    @cached_property
    def status(self) -> Any:
        """How it ended; "doubtful" if it came to the end with an audit above its bounds.

        One word, or an array of them for a batch.
        """
        doubtful = (np.asarray(self.ended) == FINISHED) & self.audit.doubtful
        words = np.where(doubtful, DOUBTFUL, self.ended)
        return words if self.shape else str(words)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was assumed, and what else one should know: doubts, limits passed, wheels apart."""
        seen = notes.seen(self.mechanism, self.t, self.q, self.v)
        return (*self.said, *self.audit.doubts, *seen)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What the verb has to say."""
        each = (said() if callable(said) else (said,) for said in self.remarks)
        return tuple(note for notes in each for note in notes)

    @cached_property
    def _columns(self) -> dict[str, Column]:
        """All columns; where names collide the coordinate has the name."""
        tree = kept_tree(self.mechanism)
        own = {"t": Column(self.t, "s")}
        own |= columns_of(self.coordinates, self.q, units_of(tree, "q"))
        own |= columns_of((f"v_{name}" for name in self.velocities), self.v, units_of(tree, "v"))
        for k, unit in enumerate(units_of(tree, "a")):
            later = callable(self.accelerations)
            one = partial(self._acceleration, k) if later else self._acceleration(k)
            own[f"a_{self.velocities[k]}"] = Column(one, unit)
        return own | {name: column for name, column in self.extra.items() if name not in own}

    def _acceleration(self, k: int) -> Array:
        return self.a[..., k]

    @overload
    def __getitem__(self, key: str) -> Array: ...
    @overload
    def __getitem__(self, key: int | tuple[int, ...] | slice) -> Trajectory: ...
    def __getitem__(self, key: Any) -> Array | Trajectory:
        """A column by its name, shape (..., times); some of the times; or one run of a batch."""
        if isinstance(key, slice):
            return self._taken(..., key)
        if not isinstance(key, str):
            return self.run(key)
        refuse_unknown("column", key, self.names)
        return self._columns[key].values

    def all_of(self, prefix: str) -> Array:
        """Columns such as `tau_A`, `tau_B` of all velocities together, shape (..., times, nv)."""
        return np.stack([self[f"{prefix}_{name}"] for name in self.velocities], axis=-1)

    def __len__(self) -> int:
        """The number of times."""
        return len(self.t)

    def known(self, name: str) -> bool:
        """Whether a column is at hand, or computed when it is first asked for."""
        return self._columns[name].known

    __repr__, __str__, _table = summary.line, summary.text, summary.table
    to_dict = summary.data
    to_dataframe, to_xarray = tables.to_dataframe, tables.to_xarray
    save, load = tables.save, classmethod(archive.load)

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading axes of a batch; () for a single run."""
        return self.q.shape[:-2]

    def run(self, number: int | tuple[int, ...]) -> Trajectory:
        """One run of a batch as far as it came, by its number; a tuple for several axes.

        Of a batch of designs it is the motion of the mechanism with the sizes of that design.
        """
        if not self.shape:
            raise KorbaError("this trajectory is a single run, not a batch; use it as it is")
        places = number if isinstance(number, tuple) else (number,)
        flat = int(np.arange(np.prod(self.shape)).reshape(self.shape)[places])
        one = self._taken(*places)
        one = one[: int(np.sum(np.isfinite(one.q).all(axis=-1)))]
        own = {name: np.asarray(x)[places] for name, x in self._by_run().items()}
        ended = str(own.pop("ended"))
        return replace(
            one,
            mechanism=self.design(places),
            parameters={},
            ended=ended,
            message=self.endings.get(flat, f"{ended} at t = {self.t[-1]:g} s"),
            effort=self.effort and replace(self.effort, **own),
            audit=Audit(**{name: x[places] for name, x in self.audit.measures.items()}),
            endings={},
            events=self.events.of_run(flat),
        )

    def design(self, places: tuple[int, ...]) -> Mechanism:
        """The mechanism of one run of a batch."""
        if not self.parameters:
            return self.mechanism
        own = {name: float(x[places][0]) for name, x in self.parameters.items()}
        return redimension(self.mechanism, **own)

    def _by_run(self) -> dict[str, Any]:
        """Status and counts that a batch has for each run."""
        counts = {} if self.effort is None else self.effort.to_dict()
        every = {**counts, "ended": self.ended}
        return {
            name: x for name, x in every.items() if np.shape(x)[: len(self.shape)] == self.shape
        }

    def _taken(self, *places: Any) -> Trajectory:
        """Some runs, or with (..., rows) some times."""
        rows = places[-1] if places[0] is ... else slice(None)
        inner = (*places, slice(None)) if places[0] is ... else places
        return replace(
            self,
            t=self.t[rows],
            q=self.q[inner],
            v=self.v[inner],
            accelerations=lambda: self.a[inner],
            extra={name: column.taken(*places) for name, column in self.extra.items()},
        )

    def with_columns(self, columns: Mapping[str, Any], units: str = "1") -> Trajectory:
        """The same trajectory with further columns of shape (..., times)."""
        more = {name: Column(np.asarray(x, dtype=float), units) for name, x in columns.items()}
        return replace(self, extra={**self.extra, **more})

    def animate(self, path: str | Path | None = None, **options: Any) -> Page:
        """A page that plays it, or a film (.gif, .mp4); the options are those of `kb.animate`."""
        from ..show.pages.animate import animate

        return animate(self, path, **options)

    def plot(self, *columns: str, **options: Any) -> Any:
        """Its columns over time, or `over` another; the options are those of `kb.plot`."""
        from ..show.plots.plot import plot

        return plot(self, columns=columns, **options)

    def body(self, name: str) -> BodyMotion:
        """Pose, velocity and acceleration of a body's frame over time."""
        return BodyMotion(*self.asked(body_frame, body=name))

    def point(self, body: str, at: Any = (0.0, 0.0, 0.0)) -> PointMotion:
        """Position, velocity and acceleration, in the world, of a point of a body.

        `at` is the name of one of the body's points, or a place in its frame.
        """
        return PointMotion(*self.asked(body_point, body=body, point=at))

    def asked(self, verb: Verb[..., Any], **options: Any) -> Any:
        """What a verb of q, v and a says of every row, of every design with its own sizes."""
        return self.asked_at(verb, *(getattr(self, name) for name in verb.inputs), **options)

    @property
    def sizes(self) -> Array:
        """Sizes of the designs of a batch, shape (..., 1, parameters), as programs take them."""
        return np.stack(np.broadcast_arrays(*self.parameters.values()), axis=-1)

    def _clock(self, compiled: Compiled) -> list[Array]:
        """The times, for a program in which something depends on them."""
        return [self.t[:, None]] if "t" in dict(compiled.signature.inputs) else []

    def asked_at(self, verb: Verb[..., Any], *state: Array, **options: Any) -> Any:
        """The same of other states, shape (..., states, nq), of the same designs."""
        if not self.parameters:
            compiled = verb.compiled(self.mechanism, **options)
            return compiled(*state, *self._clock(compiled), check_finite=False)
        compiled = verb.compiled(self.mechanism, **options, parameters=tuple(self.parameters))
        arrays = [*state, *self._clock(compiled), self.sizes]
        if state[0].ndim != 3 or state[0].flags.c_contiguous:
            return compiled(*arrays, check_finite=False)
        turned = [
            x.swapaxes(0, 1) if x.ndim == 3 else x[:, None] for x in arrays
        ]  # designs of one time lie side by side
        said = compiled(*turned, check_finite=False)
        several = isinstance(said, tuple)
        return tuple(x.swapaxes(0, 1) for x in said) if several else said.swapaxes(0, 1)
