"""How sentences name a verb and its arguments: in the words of the front at which somebody asks.

A refusal gives the way out, which often is another verb or an argument. In Python these are
`kb.simulate` and `events='friction'`, at a terminal `korba simulate` and `--friction`. So a
sentence does not spell them,

    f"{named('simulate')} takes it with {given('simulate', events='friction')}"

and it comes out in Python's words, unless it is made inside `speaking` of another front.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar


class Python:
    """The words of Python; another front overrides both."""

    def named(self, name: str) -> str:
        """A public name: `kb.motion`."""
        return f"kb.{name}"

    def given(self, name: str, arguments: Mapping[str, object]) -> str:
        """Arguments of a public name: `times=1001`; `...` stands for any value."""
        values = {key: "..." if value is ... else repr(value) for key, value in arguments.items()}
        return ", ".join(f"{key}={value}" for key, value in values.items())


PYTHON = Python()
_FRONT: ContextVar[Python] = ContextVar("front", default=PYTHON)


@contextmanager
def speaking(front: Python) -> Iterator[None]:
    """Sentences that are made inside are in the words of this front."""
    before = _FRONT.set(front)
    try:
        yield
    finally:
        _FRONT.reset(before)


def named(name: str) -> str:
    """A public name of Korba in a sentence."""
    return _FRONT.get().named(name)


def given(name: str, /, **arguments: object) -> str:
    """Arguments of a public name in a sentence."""
    return _FRONT.get().given(name, arguments)
