"""Batches of motions of which some did not come to their end: the others are answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .designs import PARAMETERS


def refuse_unfinished(verb: str, motion: Any) -> None:
    """An error for a trajectory, or one of a batch, that did not come to its end."""
    unfinished = np.ravel(np.isin(motion.ended, ("interrupted", "failed")))
    if np.any(unfinished):
        first = int(unfinished.argmax())
        which = f"motion {first} of the batch" if motion.shape else "the motion"
        reason = motion.endings.get(first) or motion.message or motion.ended
        way = (
            f"ask for those that are: kb.{verb}(m, motion.run(k))"
            if motion.shape
            else "move it to the end, or ask for what there is: "
            f"kb.{verb}(m, motion.q, motion.v, motion.a, t=motion.t)"
        )
        raise StructureError(f"{verb}: {which} was not finished ({reason}); {way}")


def is_partial(motion: Any) -> bool:
    """Whether some of a batch did not come to their end, so that rows are nan."""
    return bool(motion.shape) and bool(np.any(np.isin(motion.ended, ("interrupted", "failed"))))


def of_reached_rows(verb: Any, m: Mechanism, motion: Any, args: Any, options: Any) -> Any:
    """The answer at the rows that a batch reached, and nan at the others."""
    reached = np.isfinite(motion.q).all(axis=-1)

    def rows(x: Any) -> Any:
        """Of what has a value for every row, or is the same for some: those of the rows reached."""
        return np.broadcast_to(x, reached.shape)[reached] if np.ndim(x) else x

    own = {id(x) for x in (motion.q, motion.v, motion.a)}
    args = tuple(x[reached] if id(x) in own else x for x in args)
    options = {name: rows(x) if name == "t" else x for name, x in options.items()}
    if PARAMETERS in options:
        options[PARAMETERS] = {name: rows(x) for name, x in options[PARAMETERS].items()}
    return _spread(verb(m, *args, **options), reached, lambda: refuse_unfinished(verb.name, motion))


def _spread(result: Any, reached: Array, refuse: Callable[[], None]) -> Any:
    """Answers in their places; refused where they are no arrays."""
    if isinstance(result, tuple):
        parts = [_spread(part, reached, refuse) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, dict):
        return {name: _spread(part, reached, refuse) for name, part in result.items()}
    if not isinstance(result, np.ndarray):
        refuse()
    whole = np.full((*reached.shape, *result.shape[1:]), np.nan)
    whole[reached] = result
    return whole
