"""Inverse and forward dynamics of robots beside Pinocchio, in one run and one thread.

Pinocchio's own C++ batch calls (`rneaInParallel`, `abaInParallel`, one thread) and its calls from
Python, against Korba on plain row-major arrays, on tiles, and called for one state. Needs the extra
`bench` and example-robot-data. Results are checked against each other before they are timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import korba as kb
from korba.codegen import tiles

ROBOTS = ("ur5_robot", "xarm7", "simple_humanoid")
STATES = 100_000


def robot_files() -> list[Path]:
    share = distribution("example-robot-data").locate_file("cmeel.prefix/share")
    return sorted(Path(str(share)).rglob("*.urdf"))


def urdf(name: str) -> Path:
    return next(path for path in robot_files() if path.stem == name)


def best(call: Callable[[], object], repeats: int = 5) -> float:
    """Least time of some runs, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def each(call: Callable[[], object], count: int = 20_000) -> float:
    """Time of one call out of many, after one to warm up."""
    call()
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def pinocchio_order(model: object, m: kb.Mechanism) -> list[int]:
    """Place in Korba's q of each of Pinocchio's velocities; joints of one freedom only."""
    names = {model.joints[i].idx_v: model.names[i] for i in range(1, model.njoints)}  # type: ignore[attr-defined]
    return [m.coordinates.index(names[k]) for k in range(model.nv)]  # type: ignore[attr-defined]


def undamped(m: kb.Mechanism) -> kb.Mechanism:
    """Without viscous damping, which Pinocchio's recursions leave out."""
    return replace(m, joints=tuple(replace(joint, damping=0.0) for joint in m.joints))


def rows(name: str) -> list[str]:
    import pinocchio as pin

    m = undamped(kb.read_urdf(urdf(name), merge_fixed=True))
    model = pin.buildModelFromUrdf(str(urdf(name)))
    data, pool = model.createData(), pin.ModelPool(model, 1)
    order = pinocchio_order(model, m)
    q, v, a = np.random.default_rng(0).uniform(-1, 1, size=(3, STATES, m.nv))
    Q, V, A = (np.asfortranarray(x[:, order].T) for x in (q, v, a))
    out = np.zeros((model.nv, STATES), order="F")
    peers = ((kb.inverse_dynamics, pin.rneaInParallel, pin.rnea),)
    peers += ((kb.forward_dynamics, pin.abaInParallel, pin.aba),)
    found = []
    for verb, batch, single in peers:
        f = kb.compile(verb, m)
        batch(1, pool, Q, V, A, out)
        assert np.abs(f(q, v, a)[:, order].T - out).max() < 1e-9 * np.abs(out).max()
        theirs = best(partial(batch, 1, pool, Q, V, A, out)) / STATES
        plain = best(partial(f, q, v, a, check_finite=False)) / STATES
        on_tiles = best(partial(f.on_tiles, *[tiles(x) for x in (q, v, a)])) / STATES
        call = each(partial(f, *[x[0].copy() for x in (q, v, a)]))
        their_call = each(partial(single, model, data, *[x[:, 0].copy() for x in (Q, V, A)]))
        what = f"{name} ({m.nv}), {verb.__name__.split('_')[0]}"
        found.append(
            f"| {what} | {theirs * 1e9:.0f} | {plain * 1e9:.1f} | {theirs / plain:.0f} x "
            f"| {on_tiles * 1e9:.1f} | {theirs / on_tiles:.0f} x | {their_call / call:.1f} x |"
        )
    return found


def table() -> str:
    head = "| robot | Pinocchio ns | rows ns | ratio | tiles ns | ratio | one call, ratio |"
    lines = [f"## Trees: {STATES} states, one thread", "", head, "|---|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(row for name in ROBOTS for row in rows(name))])


if __name__ == "__main__":
    print(table())
