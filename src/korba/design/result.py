"""What a sweep says: a table of designs and answers, the best of them, and those hard to beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..display import DIGITS, Drawn, Table, Tabled, columns, number_told
from ..errors import StructureError, refuse_unknown
from ..expr.display_units import DisplayUnits
from ..files.toml_file import redimension
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.designs import size_display, size_written, sizes_told
from .designs import Designs
from .record import table

WRITTEN = 12
"""Digits of sizes of designs."""
FEW = 5
"""Reasons that a report lists."""


@dataclass(frozen=True, eq=False)
class Sweep(Drawn, Tabled):
    """Designs of a mechanism and the answers to questions about them.

    `sweep["rod"]` is a size and `sweep["stroke"]` an answer of every design, shape (designs, ...);
    `grid("stroke")` has the axes of the sizes. Answers are nan for designs that failed: `reasons`
    says why, by their number.
    """

    in_words: ClassVar[str] = "a sweep, such as kb.sweep(m, {'rod': rods}, 'stroke')"

    mechanism: Mechanism
    designs: Designs = field(repr=False)
    answers: Mapping[str, Array]
    asked: Array = field(repr=False)
    """Whether a design was asked: not all were if the sweep was interrupted."""
    reasons: Mapping[int, str] = field(repr=False)
    status: str = "finished"
    seconds: float = 0.0
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """In SI, by the names of sizes and answers; "" where none is known."""

    def __len__(self) -> int:
        return len(self.designs.p)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the sizes that differ."""
        return self.designs.names

    @property
    def ok(self) -> Array:
        """Whether a design was asked and did not fail."""
        good = self.asked.copy()
        good[[*self.reasons]] = False
        return good

    def __getitem__(self, name: str) -> Array:
        """A size or an answer of all designs."""
        if name in self.designs.names:
            return self.designs.p[:, self.designs.names.index(name)]
        refuse_unknown("", name, [*self.designs.names, *self.answers], end=" in the sweep")
        return self.answers[name]

    def grid(self, name: str) -> Array:
        """A size or an answer with one axis for each size of a grid in front."""
        values = self[name]
        return values.reshape(*self.designs.shape, *values.shape[1:])

    def best(self, by: str) -> int:
        """The number of the design with the most of something; with `-` before it the least.

        >>> s = kb.sweep(m, {"b": np.linspace(0.1, 0.14, 5)}, "transmission angle")
        >>> s.design(s.best("transmission angle")).parameters[1]
        ('b', '100 mm')
        """
        cost = self._cost(by)
        if not np.isfinite(cost).any():
            raise StructureError(
                f"no design has an answer to {by!r:.60}: all {len(self)} failed or were not asked"
            )
        return int(np.nanargmin(cost))

    def pareto(self, *by: str) -> Array:
        """Numbers of the designs that no other beats in everything: the Pareto front.

        `pareto("stroke", "-peak torque")` wants a large stroke and a small torque. They come in
        the order of the first.
        """
        if not by:
            raise StructureError("pareto: name what is wanted, such as 'stroke', '-peak torque'")
        costs = np.stack([self._cost(each) for each in by], axis=-1)
        numbers = np.flatnonzero(np.isfinite(costs).all(axis=-1))
        numbers = numbers[np.lexsort(costs[numbers].T[::-1])]
        front: list[int] = []
        for number in numbers:
            ahead = costs[front] if front else np.empty((0, len(by)))
            if not np.any(np.all(ahead <= costs[number], axis=1)):
                front.append(int(number))
        return np.array(front, dtype=int)

    def design(self, number: int) -> Mechanism:
        """One of the designs as a mechanism, for `kb.save` and for everything else.

        Its sizes are in the units in which they were written, to twelve digits.
        """
        if not -len(self) <= number < len(self):
            raise StructureError(f"design: expected 0 ... {len(self) - 1}, got {number}")
        own = self.parameters_of(number)
        return redimension(
            self.mechanism,
            **{name: size_written(self.mechanism, name, x, WRITTEN) for name, x in own.items()},
        )

    def parameters_of(self, number: int) -> dict[str, float]:
        """The sizes of one of the designs, in SI."""
        return dict(zip(self.designs.names, self.designs.p[number].tolist(), strict=True))

    def to_dataframe(self) -> Any:
        """The table as a `pandas.DataFrame`: sizes, answers, whether asked, the reason."""
        frame = super().to_dataframe()
        frame.attrs = {"mechanism": self.mechanism.name, "status": self.status}
        return frame

    @property
    def columns(self) -> dict[str, Any]:
        """Sizes, answers, whether asked, and the reason, of every design."""
        return table(self.designs, self.answers, self.asked, self.reasons)

    def _cost(self, by: str) -> Array:
        """What is to be small."""
        less = by.startswith("-")
        values = self[by[1:] if less else by]
        if values.ndim != 1:
            raise StructureError(
                f"{by!r:.60} has {np.prod(values.shape[1:]):g} numbers for each design; ask a "
                "question with one"
            )
        return np.asarray(values if less else -values)

    def _ranges(self) -> list[tuple[str, str, str, str]]:
        rows = []
        for name in (*self.designs.names, *self.answers):
            values = self[name][self.ok]
            if values.size and np.isfinite(values).any():
                si, shown = self.units.get(name, ""), self.shown(name)
                ends = shown.values(np.array([np.nanmin(values), np.nanmax(values)]), si)
                low, high = map(number_told, ends.tolist())
                rows.append((name, low, high, shown.unit(si)))
        return rows

    def shown(self, name: str) -> DisplayUnits:
        """In which units people read a size or an answer."""
        known = name in self.designs.names
        return size_display(self.mechanism, name) if known else display_units(self.mechanism)

    def value_told(self, number: int, of: str, digits: int = DIGITS) -> str:
        """A size or an answer of one of the designs, with its unit."""
        return self.shown(of).told(float(self[of][number]), self.units.get(of, ""), digits)

    def told(self, number: int, by: str, digits: int = DIGITS) -> str:
        """What one of the designs has of something, and its sizes, in a few words with units."""
        sizes = sizes_told(self.mechanism, self.parameters_of(number), self.units, digits)
        return f"{by}: {self.value_told(number, by.removeprefix('-'), digits)} with {sizes}"

    def __str__(self) -> str:
        good, asked = int(self.ok.sum()), int(self.asked.sum())
        name = self.mechanism.name or "mechanism"
        lines = [
            f"{name!r}: {asked} of {len(self)} designs asked, {good} answered, "
            f"{len(self.reasons)} failed; {self.status} after {self.seconds:.3g} s"
        ]
        lines += columns([("", "from", "to", ""), *self._ranges()])
        counts: dict[str, int] = {}
        for text in self.reasons.values():
            short = text.partition(":")[0]
            counts[short] = counts.get(short, 0) + 1
        most = sorted(counts.items(), key=lambda item: -item[1])
        lines += [f"  {count} x {text}" for text, count in most[:FEW]]
        lines += [f"  ... and {len(most) - FEW} other reasons"] * (len(most) > FEW)
        return "\n".join(lines)

    def _table(self) -> Table:
        own = self.columns
        rows = list(zip(*(x[:200].tolist() for x in own.values()), strict=True))
        return Table(str(self).partition("\n")[0], tuple(own), rows)
