"""`korba exercise`: a task with numbers of a student's own, its solution, and answers checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import korba as kb

from ..course.teaching.exercises import KINDS
from ..disk import write_text
from .answers import Output, assignments
from .commands import command
from .options import WrittenAnswer
from .parameters import choice, option, writes


@command(
    "korba exercise velocities --student Anna --answer v_C=0.12m/s",
    kind=choice("What it practises: {}.", KINDS, "KIND"),
    student=option("By this name, or number, its figures are drawn."),
    number=option("Which of a student's exercises of this kind.", min=1),
    solution=option("Show the way to the answer, step by step."),
    answers=option("An answer, v_C=0.12m/s, to be checked; may be repeated.", "--answer -a"),
    out=writes("The solution as a page.", (".html",), "--out -o"),
)
def exercise(
    kind: str,
    *,
    student: str = "everybody",
    number: int = 1,
    solution: bool = False,
    answers: list[str] | None = None,
    out: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """A task with numbers of a student's own; with answers, what is right of them."""
    answer.free(out)
    task = kb.course.exercise(kind, student, number)
    text = [str(task)]
    data: dict[str, Any] = {"ok": True, "kind": kind, "student": student, "number": number}
    data |= {"text": task.text, "asked": {name: x.unit for name, x in task.answers.items()}}
    if answers:
        marks = task.check(assignments(answers, "--answer", "NAME=VALUE"))
        text.append(str(marks))
        data |= {"right": marks.right, "marks": [mark._asdict() for mark in marks.marks]}
    if solution:
        text.append(str(task.solution))
        data["steps"] = [step._asdict() for step in task.solution.steps]
    page = Output(out, "the solution", lambda path: write_text(task.solution.page(), path))
    answer(data, "\n\n".join(text), page)
