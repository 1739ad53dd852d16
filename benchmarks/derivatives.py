"""Derivatives of inverse and forward dynamics beside Pinocchio's, in one run and one thread.

Korba: one compiled program with all partial derivatives, on a batch of states, rows or tiles.
Pinocchio: `computeRNEADerivatives` (by q, v and a) and `computeABADerivatives` (by q, v and tau),
called for one state after the other from Python: it has no batch call. Its call from C++ takes
about 0.7 of that for an arm and all of it for a humanoid. Results are checked against each other
before they are timed. Needs the extra `bench`.

The derivatives of one state of a humanoid fill 20 kB, so new arrays for a large batch cost up to
as much as the numbers in them. States come in batches of BATCH, whose memory is used again, and
in one of LARGE, into arrays given as `out` and into new ones; Pinocchio writes into its data.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from tree_dynamics import pinocchio_order, undamped, urdf

import korba as kb
from korba.codegen import tiles

ROBOTS = ("ur5_robot", "xarm7", "simple_humanoid")
BATCH, LARGE = 256, 20_000
TOLERANCE = 1e-10


def best(call: Callable[[], object], repeats: int = 9, least: float = 0.02) -> float:
    """Least time of the processor for one call, among runs of at least `least` seconds."""
    call()
    count = 1
    while (spent := _spent(call, count)) < least:
        count = max(2 * count, int(1.2 * count * least / max(spent, 1e-9)))
    return min(_spent(call, count) / count for _ in range(repeats))


def _spent(call: Callable[[], object], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - start


def pinocchio_slopes(model: object, verb: Callable[..., object]) -> Callable[..., list[np.ndarray]]:
    """All partial derivatives of one state, as Pinocchio gives them."""
    import pinocchio as pin

    data = model.createData()  # type: ignore[attr-defined]

    def inverse(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        pin.computeRNEADerivatives(model, data, q, v, a)
        return [data.dtau_dq, data.dtau_dv, data.M]

    def forward(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> list[np.ndarray]:
        pin.computeABADerivatives(model, data, q, v, tau)
        return [data.ddq_dq, data.ddq_dv, data.Minv]

    return inverse if verb is kb.inverse_dynamics else forward


def check(found: list[np.ndarray], expected: list[np.ndarray], order: list[int]) -> float:
    """The largest relative difference; of the last, symmetric one Pinocchio fills a half."""
    worst = 0.0
    for k, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        x, y = ours[np.ix_(order, order)], theirs
        if k == 2:
            x, y = np.triu(x), np.triu(y)
        worst = max(worst, float(np.abs(x - y).max() / np.abs(y).max()))
    assert worst < TOLERANCE, worst
    return worst


def rows(name: str) -> list[str]:
    import pinocchio as pin

    m = undamped(kb.read_urdf(urdf(name), merge_fixed=True))
    model = pin.buildModelFromUrdf(str(urdf(name)))
    order = pinocchio_order(model, m)
    found = []
    for verb, last in ((kb.inverse_dynamics, "a"), (kb.forward_dynamics, "tau")):
        slopes = pinocchio_slopes(model, verb)
        q, v, x = np.random.default_rng(0).uniform(-1, 1, size=(3, LARGE, m.nv))
        state = [z[0, order].copy() for z in (q, v, x)]
        program = kb.derivative(verb, m, ("q", "v", last))
        f = kb.compile(program)
        few = [z[:BATCH].copy() for z in (q, v, x)]
        worst = check([J[0] for J in f(*few)], slopes(*state), order)
        tiled = [tiles(z) for z in few]
        theirs = best(partial(slopes, *state))
        plain = best(partial(f, *few)) / BATCH
        on_tiles = best(partial(f.on_tiles, *tiled)) / BATCH
        large = best(partial(f, q, v, x, out=f(q, v, x)), 3) / LARGE
        fresh = best(partial(f, q, v, x), 3) / LARGE
        what = f"{name} ({m.nv}), {verb.__name__.split('_')[0]}"
        found.append(
            f"| {what} | {program.operations.total} | {theirs * 1e9:.0f} "
            f"| {plain * 1e9:.0f} | {theirs / plain:.0f} x | {on_tiles * 1e9:.0f} "
            f"| {theirs / on_tiles:.0f} x | {theirs / large:.0f} x | {theirs / fresh:.0f} x "
            f"| {worst:.0e} |"
        )
    return found


def table() -> str:
    head = "| robot | operations | Pinocchio ns | rows ns | ratio | tiles ns | ratio "
    head += "| large batch, ratio | in new arrays | difference |"
    title = f"## Derivatives by q, v and a or tau: batches of {BATCH} states, one thread"
    lines = [title, "", head, "|---|---|---|---|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(row for name in ROBOTS for row in rows(name))])


if __name__ == "__main__":
    print(table())
