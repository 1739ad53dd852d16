"""`korba crosscheck`: every formulation that takes a mechanism, side by side."""

from __future__ import annotations

from typing import Any

import korba as kb

from .commands import command
from .completion import formulations
from .options import Answer, Source
from .parameters import option


@command(
    "korba crosscheck slider-crank.toml",
    kb.crosscheck,
    states=option("How many random states.", min=1),
    formulations=option(
        "Only this one, such as newton-euler; may be repeated.", "--formulation -f", formulations
    ),
)
def crosscheck(source: Source, answer: Answer, **options: Any) -> None:
    """Run every formulation that can take a mechanism, and compare their answers."""
    answer.of(kb.crosscheck(source.read(), **options))
