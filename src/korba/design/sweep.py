"""Sweeps: one question to many designs of a mechanism, by one program.

The designs are moved in the lanes of the processor's vectors (solve/designs.py) and asked part by
part (running.py). Those whose loops cannot be closed, or that stop at a dead point, are marked.
What is known is kept: an interrupt gives the table so far, and a file goes on where it ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..door import public
from ..model.mechanism import Mechanism
from ..progress import Progress
from ..solve.cycle import cycle_time
from ..spatial.rotation import Array
from ..trajectory.trajectory import FINISHED, INTERRUPTED
from ..verbs.designs import size_units, sizes_of
from ..verbs.states import increasing_times
from .designs import Designs, designs_of
from .questions import questions_of
from .record import Record, refuse_clashes
from .result import Sweep
from .running import Task, answered, parts_of, workers_of

TRIED = 64
"""Designs that are tried for the shape of an answer."""
POSITIONS = 360
"""Of one turn of the drive, where no times are given."""


@public
def sweep(
    m: Mechanism,
    parameters: Mapping[str, Any],
    question: Any,
    times: Any = None,
    *,
    designs: str = "grid",
    count: int = 1000,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
    client: Any = None,
    progress: bool | Callable[[float], object] | None = None,
) -> Sweep:
    """Answers to a question about the driven motion of many designs of a mechanism.

    `parameters` has values for named sizes, numbers in SI or texts with units: every value with
    every other (`designs="grid"`), row by row ("given"), or `count` designs between two ends
    ("random"). The motion is that at `times`, or one turn of the first drive in 360 positions.

    A question is a name, a verb, or a function of the motion of many designs that gives one
    number, or an array, for each of them; several in a list, or in a mapping by names of your own.
    Ready ones: "stroke" (of the output, or `"stroke of D"`), "transmission angle" (the least),
    "peak torque" (of the drive), `"peak of a_D"`, "time ratio", `"point of coupler.tip"`, and
    "size", the diagonal of the box in which the joints stay.

    Designs that cannot be assembled, or jam, are nan and have a reason. An interrupted sweep gives
    the table so far. With a `file` (.parquet, by pyarrow, or .npz) it is kept there as it grows,
    and the same call goes on where it ended; a question is the same where it does the same, its
    name is not enough. `threads` are of this machine; `client` is a `dask.distributed.Client` or a
    pool of concurrent.futures, which gets the same parts.

    >>> s = kb.sweep(m, {"b": np.linspace(0.1, 0.14, 5)}, "transmission angle")
    >>> kb.save(s.design(s.best("transmission angle")), "best.toml")
    """
    begun = time.perf_counter()
    table = designs_of(m, parameters, designs, count, seed)
    t = cycle(m) if times is None else increasing_times(times)
    task = prepared(m, table, t, question)
    record = Record(task, table, file)
    parts = [part for part in parts_of(task, len(table.p)) if not record.asked[part].all()]
    shown = Progress(progress, float(len(table.p)), "sweeping", "designs")
    status = FINISHED
    try:
        with workers_of(threads, client) as (who, workers):
            for part, said in answered(task, table.p, parts, who, workers):
                record.take(part, said)
                done = float(record.asked.sum())
                shown(done, done)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        shown.close()
        record.write()
    seconds = time.perf_counter() - begun
    units = size_units(m, table.names) | {each.name: each.unit for each in task.questions}
    return Sweep(m, table, record.answers, record.asked, record.reasons, status, seconds, units)


def cycle(m: Mechanism) -> Array:
    """Times of one turn of the first drive, both ends included."""
    return np.linspace(0.0, cycle_time(m), POSITIONS + 1)


def prepared(m: Mechanism, table: Designs, t: Array, question: Any) -> Task:
    """The task, tried on the mechanism's own sizes: questions that have no answer are refused.

    Where these do not come to the end of the motion, a few of the designs are tried.
    """
    questions = questions_of(m, question)
    task = Task(m, table.names, t, questions, {})
    said = task.asked(sizes_of(m, table.names)[None])
    if not said.answers:
        said = task(table.p[:: -(-len(table.p) // TRIED)])
    shapes = {name: x.shape[1:] for name, x in said.answers.items()}
    shapes = shapes or {each.name: () for each in questions}
    refuse_clashes(table.names, shapes)
    return Task(m, table.names, t, questions, shapes)
