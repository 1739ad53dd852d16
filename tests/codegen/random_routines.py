"""Random routines with everything in them, for the tests of this folder."""

from typing import Any, NamedTuple

import numpy as np

from korba.codegen import trace
from korba.codegen.routine import both, call, choose, either, get, held, negated, put, repeat

LONG = 37
"""Elements of the long vector: more than are written out, and no multiple of four."""
ROWS = 4
"""Rows that each state may write."""
SHIFT = np.linspace(-0.4, 0.7, LONG)
TURN = trace(
    lambda u, a: np.array([np.sin(u[1] + a[0]), u[0] * np.cos(u[2]), np.tanh(u[1] - u[0])]),
    {"u": 3, "a": 1},
)


class State(NamedTuple):
    a: Any
    b: Any
    u: Any
    w: Any


SIMPLE = [
    lambda s, _: s._replace(a=np.tanh(s.a + 0.7 * s.b)),
    lambda s, _: s._replace(b=np.tanh(0.3 * np.sum(s.u) + s.a)),
    lambda s, _: s._replace(a=np.tanh(np.max(s.w) - s.b)),
    lambda s, _: s._replace(b=np.tanh(s.w @ s.w - s.a)),
    lambda s, _: s._replace(u=np.tanh(s.a * s.u + np.array([0.1, -0.2, 0.3]))),
    lambda s, _: s._replace(w=np.maximum(0.9 * s.w, s.b * np.sin(s.w + SHIFT)) - 0.3 * np.abs(s.w)),
    lambda s, _: s._replace(u=call(TURN_NOW[0], s.u, s.a)),
    lambda s, _: s._replace(w=np.concatenate([s.u, s.w[3:]])),
    lambda s, _: s._replace(a=0.5 * s.w[5] - s.u[1]),
    lambda s, _: choose(s.a < s.b, s, s._replace(b=0.5 * s.a, w=0.5 * s.w)),
    lambda s, io: s._replace(a=get(io.table, np.floor(4.0 * abs(np.tanh(s.b))))),
    lambda s, io: io.write(s, either(s.a > 0.0, negated(s.b < 0.1))),
    lambda s, _: s._replace(b=held(s.a + s.b) - s.a),
]
"""Small steps from state to state."""

TURN_NOW: list[Any] = [TURN]
"""What `call` runs: the program while recording, a function of numbers otherwise."""


class Streams(NamedTuple):
    table: Any
    rows: Any
    k: Any
    row: int

    def write(self, s: State, when: Any) -> State:
        put(self.rows, ROWS * self.k + self.row, (s.a, s.u), when=when)
        return s


def plan(rng, depth):
    """A random list of steps; repetitions and choices hold lists of their own."""
    steps = []
    for _ in range(rng.integers(2, 5)):
        kind = rng.integers(4) if depth else 3
        if kind == 0:
            steps.append(("repeat", plan(rng, depth - 1), int(rng.integers(1, 4))))
        elif kind == 1:
            steps.append(("choose", plan(rng, depth - 1), plan(rng, depth - 1)))
        else:
            steps.append(("step", int(rng.integers(len(SIMPLE))), int(rng.integers(ROWS))))
    return steps


def followed(steps, s, io):
    """The state after the steps of a plan."""
    for kind, first, second in steps:
        if kind == "step":
            s = SIMPLE[first](s, io._replace(row=second))
        elif kind == "choose":
            s = choose(
                s.a < 0.3 * s.b,
                lambda s=s, steps=first: followed(steps, s, io),
                lambda s=s, steps=second: followed(steps, s, io),
            )
        else:
            most = second + np.floor(3.0 * abs(np.tanh(s.a)))

            def turn(each, steps=first):
                return followed(steps, each[0], io), each[1] + 1.0

            s, _ = repeat(
                turn, (s, 0.0), while_=lambda each, most=most: both(each[1] < most, each[0].b > -9)
            )
    return s


def random_function(seed):
    """A function of (a, u, w, k) and the streams (table, rows)."""
    steps = [
        ("repeat", plan(np.random.default_rng(seed), 2), 2),
        *plan(np.random.default_rng(seed), 2),
    ]

    def function(a, u, w, k, *streams):
        s = State(a, 0.25 * a - 0.1, u, w)
        return tuple(followed(steps, s, Streams(*streams, k, 0)))

    return function
