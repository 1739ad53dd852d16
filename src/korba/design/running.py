"""A sweep on its way: parts of the designs, answered here, by threads or on a cluster.

A part is a few hundred designs, moved and asked in the lanes of one program. What goes wrong with
one design must not cost the others: a part that fails is halved until the design stands alone, and
its error is its reason. Wherever parts are answered they are the same, so are their answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import KorbaError, StructureError
from ..model.mechanism import Mechanism
from ..solve.motion import motion_of_designs
from ..spatial.rotation import Array
from ..trajectory.trajectory import INTERRUPTED
from ..verbs.designs import fit, refusal
from .questions import Question

BYTES = 120e6
"""Of the motion of a part: what is asked of q, v and a of its designs at all times."""
TOLD = 100
"""Designs of a part of which the model says what is wrong with their sizes."""
UNFIT = "no mechanism has such sizes: a link without length, a negative mass or the like"
AHEAD = 4
"""Parts for each worker that are handed out before the first of them is back."""


class Part(NamedTuple):
    """What is said of some designs: arrays with them on the first axis, and why others failed."""

    answers: Mapping[str, Array]
    reasons: Mapping[int, str]


@dataclass(frozen=True)
class Task:
    """What is asked of every design; it travels to other threads, processes and machines."""

    m: Mechanism
    names: tuple[str, ...]
    times: Array
    questions: tuple[Question, ...]
    shapes: Mapping[str, tuple[int, ...]]
    """Of the answers to one design, by name."""

    @property
    def rates(self) -> bool:
        """Whether a question looks at velocities or accelerations."""
        return any(question.rates for question in self.questions)

    def __call__(self, p: Array) -> Part:
        """Answers for the designs `p`, shape (designs, names)."""
        try:
            return self.asked(p)
        except Exception as error:
            if len(p) > 1:
                half = len(p) // 2
                return _joined(self(p[:half]), self(p[half:]), half)
            nothing = {name: np.full((1, *shape), np.nan) for name, shape in self.shapes.items()}
            return Part(nothing, {0: _reason(error)})

    def asked(self, p: Array) -> Part:
        """The same; whatever goes wrong with one of them is raised, but for unfit sizes."""
        good = fit(self.m, self.names, p)
        if not good.all():
            return self._fit_ones(p, good)
        sizes = dict(zip(self.names, p.T, strict=True))
        moved = motion_of_designs(self.m, self.times, sizes, rates=self.rates)
        if np.any(np.asarray(moved.ended) == INTERRUPTED):
            raise KeyboardInterrupt
        answers = {name: np.full((len(p), *shape), np.nan) for name, shape in self.shapes.items()}
        given: set[str] = set()
        for question in self.questions:
            said = question.answers(moved)
            if both := given & said.keys():
                raise StructureError(
                    f"sweep: question {question.name!r} answers with {min(both)!r}, as another "
                    "does; give its answers other names"
                )
            given |= said.keys()
            answers |= said
        return Part(answers, dict(moved.endings))

    def _fit_ones(self, p: Array, good: Array) -> Part:
        """Answers where the model takes the sizes, and what it says of the others."""
        numbers, bad = np.flatnonzero(good), np.flatnonzero(~good)
        said = self.asked(p[good]) if len(numbers) else Part({}, {})
        shapes = {**self.shapes, **{name: x.shape[1:] for name, x in said.answers.items()}}
        answers = {name: np.full((len(p), *shape), np.nan) for name, shape in shapes.items()}
        for name, x in said.answers.items():
            answers[name][numbers] = x
        reasons = {int(numbers[k]): text for k, text in said.reasons.items()}
        for k in bad[:TOLD]:
            reasons[int(k)] = refusal(self.m, self.names, p[k]) or UNFIT
        return Part(answers, reasons | {int(k): UNFIT for k in bad[TOLD:]})


def _joined(one: Part, two: Part, start: int) -> Part:
    answers = {name: np.concatenate([x, two.answers[name]]) for name, x in one.answers.items()}
    later = {number + start: text for number, text in two.reasons.items()}
    return Part(answers, {**one.reasons, **later})


def _reason(error: Exception) -> str:
    if isinstance(error, KorbaError):
        return str(error).removeprefix("parameters of design [0]: ")
    return f"the question failed: {type(error).__name__}: {error}"


def parts_of(task: Task, count: int) -> list[slice]:
    """The parts of all designs."""
    numbers = task.m.nq + (2 * task.m.nv if task.rates else 0)
    step = max(1, int(BYTES / (8 * len(task.times) * numbers)))
    return [slice(k, min(k + step, count)) for k in range(0, count, step)]


def answered(
    task: Callable[[Array], Part], p: Array, parts: list[slice], client: Any, workers: int
) -> Iterator[tuple[slice, Part]]:
    """Parts and what is said of them, in their order; `client` hands them to its workers."""
    if client is None:
        for part in parts:
            yield part, task(p[part])
        return
    waiting: deque[tuple[slice, Any]] = deque()
    rest = deque(parts)
    try:
        while rest or waiting:
            while rest and len(waiting) < AHEAD * workers:
                part = rest.popleft()
                waiting.append((part, client.submit(task, p[part])))
            part, future = waiting.popleft()
            yield part, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


@contextmanager
def workers_of(threads: int | None, client: Any) -> Iterator[tuple[Any, int]]:
    """Who answers, and how many they are: a pool of threads, a cluster or nobody else."""
    if threads is not None and threads < 1:
        raise StructureError(f"sweep: threads: expected 1 or more, got {threads}")
    if client is not None:
        if not callable(getattr(client, "submit", None)):
            raise StructureError(
                "sweep: client: expected a dask.distributed.Client, or a pool of "
                f"concurrent.futures, got {client!r:.60}"
            )
        yield client, _count(client)
    elif threads is not None and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield pool, threads
    else:
        yield None, 1


def _count(client: Any) -> int:
    """Workers of a cluster or of a pool."""
    threads = getattr(client, "nthreads", None)
    if callable(threads):
        return max(1, sum(threads().values()))
    return max(1, int(getattr(client, "_max_workers", 1)))
