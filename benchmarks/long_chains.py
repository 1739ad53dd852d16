"""Forward dynamics of long chains: straight-line code, loops over the links, and Pinocchio.

A chain of n equal hinges, axes in turn along z and y, so that nothing is planar. For each n the
processor time until the first result is there, from the numbers of the links and with nothing
cached, and the time per state of a batch in one thread. Straight-line code is left out where nobody
would wait for it. Pinocchio's batch call (`abaInParallel`, one thread) runs beside it where it can
be imported.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import korba as kb
from korba.codegen import CacheFolder, compile_program
from korba.dynamics import articulated_body
from korba.verbs.repetition.dynamics import repeated

LENGTHS = (10, 20, 50, 100, 200, 500, 1000)
LONGEST_STRAIGHT = 200
LONGEST_PINOCCHIO = 200  # its data hold arrays of n^3 numbers: 8 GB each for 1000 links
LINK = 0.1
TENSOR = np.diag([2e-3, 3e-3, 4e-3])


def chain(n: int) -> kb.Mechanism:
    bodies = [kb.Body(f"b{i}", 1.0, (LINK * (i + 0.5), 0.01, 0.02), TENSOR) for i in range(n)]
    joints = [
        kb.Revolute(
            f"j{i}",
            "ground" if i == 0 else f"b{i - 1}",
            f"b{i}",
            at=(LINK * i, 0, 0),
            axis=(0, 1, 0) if i % 2 else (0, 0, 1),
        )
        for i in range(n)
    ]
    return kb.Mechanism(f"chain of {n}", bodies, joints)


def best(call: Callable[[], object], repeats: int = 7) -> float:
    """Least time of some runs on this thread, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)


def states(n: int) -> np.ndarray:
    """q, v and tau of a batch that gets shorter as the chain gets longer."""
    count = max(64, 64_000 // n)
    return np.random.default_rng(0).uniform(-1, 1, size=(3, count, n))


def ready(n: int, make: Callable[[kb.Mechanism], Any]) -> tuple[float, Any]:
    """Processor seconds from the description to the first results, and the function."""
    start = sum(os.times()[:4])  # of this process and of the compilers it has started
    f = compile_program(make(chain(n)), CacheFolder(None))
    f(*states(n)[:, :1])
    return sum(os.times()[:4]) - start, f


def over_links(m: kb.Mechanism) -> Any:
    verb, way = kb.forward_dynamics, articulated_body.FORMULATION
    system = verb.system(m)
    return repeated(verb.name, way, system, verb.sizes(system, verb.checked(m, {})))


def straight(m: kb.Mechanism) -> Any:
    return kb.forward_dynamics.program(m, formulation="articulated-body")


def pinocchio_batch(n: int) -> tuple[Any, Any] | None:
    """Pinocchio's batch call on the same states, and where it leaves its results."""
    if n > LONGEST_PINOCCHIO:
        return None
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.Model()
    for i in range(n):
        joint = pin.JointModelRY() if i % 2 else pin.JointModelRZ()
        at = pin.SE3(np.eye(3), np.array([LINK if i else 0.0, 0, 0]))
        number = model.addJoint(i, joint, at, f"j{i}")
        inertia = pin.Inertia(1.0, np.array([0.5 * LINK, 0.01, 0.02]), TENSOR)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    pool = pin.ModelPool(model, 1)
    given = [np.asfortranarray(x.T) for x in states(n)]
    out = np.zeros_like(given[0])
    return lambda: pin.abaInParallel(1, pool, *given, out), out


def row(n: int) -> tuple[str, float]:
    """A line of the table, and the loops' time per state."""
    q, v, tau = states(n)
    seconds, f = ready(n, over_links)
    each = best(lambda: f(q, v, tau)) / len(q)
    expected = f(q, v, tau)
    cells = [f"{seconds:.2f}", f"{each * 1e6:.2f}"]
    if n <= LONGEST_STRAIGHT:
        seconds, g = ready(n, straight)
        assert np.abs(g(q, v, tau) - expected).max() < 1e-8 * np.abs(expected).max()
        cells = [f"{seconds:.2f}", f"{best(lambda: g(q, v, tau)) / len(q) * 1e6:.2f}", *cells]
    else:
        cells = ["-", "-", *cells]
    theirs = pinocchio_batch(n)
    if theirs is not None:
        call, out = theirs
        call()
        assert np.abs(out.T - expected).max() < 1e-6 * np.abs(expected).max()
        peer = best(call) / len(q)
        cells += [f"{peer * 1e6:.1f}", f"{peer / each:.0f} x"]
    else:
        cells += ["-", "-"]
    return f"| {n} | {' | '.join(cells)} |", each


def table() -> str:
    head = (
        "| links | straight-line: ready, s | µs a state | repeated: ready, s | µs a state "
        "| Pinocchio µs a state | ratio to repeated |"
    )
    lines, times = [], []
    for n in LENGTHS:
        line, each = row(n)
        lines.append(line)
        times.append(each)
    slope = np.polyfit(np.log(LENGTHS), np.log(times), 1)[0]
    growth = f"Loops grow as n^{slope:.2f} from {LENGTHS[0]} to {LENGTHS[-1]} links."
    title = "## Long chains: forward dynamics, one thread"
    return "\n".join([title, "", head, "|---|---|---|---|---|---|---|", *lines, "", growth])


if __name__ == "__main__":
    print(table())
