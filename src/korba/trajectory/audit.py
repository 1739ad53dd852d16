"""How well a trajectory keeps its equations, and what it took to compute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import KorbaError
from ..spatial.rotation import Array

BOUNDS = {"energy": 1e-2, "residual": 1e-6, "path": 1e-6}
"""Measures above these say that a motion is none of the mechanism, or not the one asked for."""
WAYS_OUT = {
    "energy": "take shorter steps or tighter tolerances",
    "residual": "ask for more times, or draw the mechanism in a position that is not singular",
    "path": "ask for more times, or for a slower motion",
}
WORDS = {
    "residual": "loops closed to {:.1e}",
    "singularity": "nearest to a dead point: {:.3g} of 1",
    "energy": "energy less work holds to {:.1e}",
    "path": "the point stays on its path to {:.1e} m",
}
"""What each measure says."""


def _measure(name: str, meaning: str) -> Any:
    """One of the measures, as a property."""
    return property(lambda audit: audit[name], doc=meaning)


class Audit(Displayed):
    """The largest errors of a trajectory, each computed when it is asked for.

    Which of them there are depends on the verb; `measures` has all of them by name.
    """

    def __init__(self, **measures: Any) -> None:
        self._measures = measures

    residual = _measure(
        "residual", "Largest residual of loops and drives, in typical lengths and rad."
    )
    singularity = _measure(
        "singularity",
        "Least pivot of the velocity equations over the largest: 0 at a dead point, 1 at best.",
    )
    energy = _measure(
        "energy",
        "Largest |T + V - W| since the start, relative to the energies that came and went.",
    )
    path = _measure("path", "Largest distance of a point from its path, in m.")

    @property
    def measures(self) -> dict[str, Any]:
        """All measures of this trajectory: a number, or one for each run of a batch."""
        return {name: self[name] for name in self._measures}

    def to_dict(self) -> dict[str, Any]:
        """The measures as plain data."""
        return {name: np.asarray(x).tolist() for name, x in self.measures.items()}

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the measures say against the trajectory, in sentences."""
        return tuple(
            f"{WORDS[name].format(float(np.nanmax(self[name])))}, above the bound of {bound:g}, "
            f"so the motion is not to be trusted; {WAYS_OUT[name]}"
            for name, bound in BOUNDS.items()
            if np.any(self._above(name))
        )

    @property
    def doubtful(self) -> Any:
        """Whether a measure is above its bound; for each run of a batch."""
        return np.any(np.broadcast_arrays(False, *map(self._above, BOUNDS)), axis=0)

    def _above(self, name: str) -> Any:
        return np.asarray(self[name]) > BOUNDS[name] if name in self._measures else False

    def __getitem__(self, name: str) -> Any:
        if name not in self._measures:
            known = ", ".join(self._measures) or "nothing"
            raise KorbaError(f"this trajectory has no {name} in its audit; there is {known}")
        if callable(self._measures[name]):
            self._measures[name] = self._measures[name]()
        return self._measures[name]

    def __getstate__(self) -> dict[str, Any]:
        return {"_measures": self.measures}

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self._measures)

    def __repr__(self) -> str:
        return f"Audit({', '.join(self._measures)})"

    def __str__(self) -> str:
        worst = {"singularity": np.min}
        said = [
            WORDS.get(name, f"{name} {{:.3g}}").format(
                float(worst.get(name, np.max)(value)) if np.size(value) else np.nan
            )
            for name, value in self.measures.items()
        ]
        return "; ".join(said)


@dataclass(frozen=True, eq=False)
class Effort(Displayed):
    """What a run took; numbers, or arrays with one for each run of a batch."""

    steps: Any = 0
    rejected: Any = 0
    """Steps tried that were too inaccurate."""
    evaluations: Any = 0
    """Of the right-hand side."""
    stiff: Any = 0
    """Steps that stability limits, not accuracy."""
    seconds: float = 0.0
    """From the call to the answer, compiling included."""
    iterations: Array | None = None
    """Of the inner problem in every step, all stages together: semi-canonical motion."""
    multiplications: Array | None = None
    """Multiplications and divisions of every step of it."""
    additions: Array | None = None

    def __str__(self) -> str:
        steps, rejected, calls = (int(np.sum(x)) for x in list(self.to_dict().values())[:3])
        parts = [f"{steps} steps" + (f" ({rejected} rejected)" if rejected else "")]
        parts += [f"{calls} evaluations"] if calls else []
        if self.iterations is not None:
            parts.append(f"{int(np.sum(self.iterations))} inner iterations")
        return ", ".join([*parts, *([f"{self.seconds:.3g} s"] if self.seconds else [])])

    def to_dict(self) -> dict[str, Any]:
        """What there is, by name."""
        return {name: each for name, each in super().to_dict().items() if each is not None}
