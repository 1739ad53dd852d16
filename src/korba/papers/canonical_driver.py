"""Runs the machine code of semi-canonical motion (canonical_llvm.py) on a mechanism."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from ..codegen.cache import cache_folder
from ..codegen.targets.llvm.machine import Compiler, Library, host, llvm_version
from ..dynamics.quadratic_program import Stop, not_converged
from ..errors import SimulationError
from ..spatial.rotation import Array
from ..verbs.states import vector
from .canonical_llvm import ARRAYS, COUNTS, FUNCTIONS, NOT_CONVERGED, NOT_FINITE, TEXT
from .canonical_state import Machine

AT_ONCE = 50
"""Steps between which Python may stop the run."""
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.POINTER(ctypes.c_double)] * 4)


@dataclass(frozen=True, eq=False)
class Scheme:
    """An explicit Runge-Kutta scheme: the tableau A, b, c."""

    A: Array
    b: Array
    c: Array


@dataclass(frozen=True, eq=False)
class Plan:
    """How to integrate: scheme, moments of time, end of the iterations."""

    scheme: Scheme
    t: Array
    stop: Stop


def driven(made: Machine, plan: Plan, y: Array, z: Array, tau: Any) -> tuple[Array, Array, Array]:
    """Rows of y = (q, p), of the velocities z, and the iterations of every step."""
    steps = len(plan.t) - 1
    results = (
        np.empty((steps + 1, len(y))),
        np.empty((steps + 1, len(z))),
        np.zeros(steps, dtype=np.int64),
    )
    memory = _memory(made, plan, y, z, None if callable(tau) else tau)
    call, raised = _callback(made, tau) if callable(tau) else (None, [])
    functions = [getattr(made, name).address for name in FUNCTIONS[:-1]]
    address = ctypes.cast(call, ctypes.c_void_p).value if call is not None else 0
    F = np.array([*functions, address], dtype=np.uint64)
    N = np.array([_counts(made, plan)[name] for name in COUNTS], dtype=np.int64)
    D = np.array([plan.stop.tolerance, 0.0, 0.0])
    P = np.array([memory[name].ctypes.data for name in ARRAYS], dtype=np.uint64)
    R = np.array([result.ctypes.data for result in results], dtype=np.uint64)
    run = _library().function("run", ctypes.c_int64, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 2)
    for first in range(0, steps, AT_ONCE):
        last = min(first + AT_ONCE, steps)
        status = run(*[array.ctypes.data for array in (F, N, D, P, R)], first, last)
        if status < 0:
            raise _failure(status, plan.stop, float(D[2]), raised)
    return results


def _memory(made: Machine, plan: Plan, y: Array, z: Array, tau: Any) -> dict[str, Array]:
    stages, nx = len(plan.scheme.b), made.solver.size(made.nv)
    return {
        "held": np.zeros(made.once.signature.sizes[0]),
        "x": np.zeros(nx),
        "x_new": np.zeros(nx),
        "z": np.array(z),
        "y": np.array(y),
        "stage": np.zeros(len(y)),
        "K": np.zeros((stages, len(y))),
        "A": np.ascontiguousarray(plan.scheme.A, dtype=float),
        "b": np.ascontiguousarray(plan.scheme.b, dtype=float),
        "c": np.ascontiguousarray(plan.scheme.c, dtype=float),
        "tau": np.zeros(made.nv) if tau is None else vector("tau", tau, made.nv),
        "t": plan.t,
        "turns": np.array(made.quaternions, dtype=np.int64),
    }


def _counts(made: Machine, plan: Plan) -> dict[str, int]:
    return {
        "nq": made.nq,
        "nv": made.nv,
        "nx": made.solver.size(made.nv),
        "limit": plan.stop.limit,
        "after": plan.stop.after,
        "stages": len(plan.scheme.b),
        "quaternions": len(made.quaternions),
        "steps": len(plan.t) - 1,
    }


def _callback(made: Machine, tau: Callable[..., Any]) -> tuple[Any, list[BaseException]]:
    """`tau(t, q, v)` for machine code; what it raises is kept, and ends the run."""
    raised: list[BaseException] = []

    def forces(t: Any, q: Any, z: Any, into: Any) -> int:
        try:
            place, v, out = (
                np.ctypeslib.as_array(pointer, (size,))
                for pointer, size in ((q, made.nq), (z, made.nv), (into, made.nv))
            )
            out[:] = vector("tau", tau(t[0], place.copy(), v.copy()), made.nv)
        except BaseException as error:  # it cannot pass through machine code
            raised.append(error)
            return 1
        return 0

    return _CALLBACK(forces), raised


def _failure(status: int, stop: Stop, t: float, raised: list[BaseException]) -> BaseException:
    if status == NOT_CONVERGED:
        return not_converged(stop)
    if status == NOT_FINITE:
        return SimulationError(
            f"the motion is not finite any more after t = {t:g} s; take a shorter step"
        )
    return raised[0]


@cache
def _library() -> Library:
    """The driver, compiled or from the cache on disk."""
    target, folder = host(), cache_folder()
    parts = ("semi-canonical", TEXT, *map(str, vars(target).values()), llvm_version())
    key = sha256("\n".join(parts).encode()).hexdigest()
    code = folder.get(key)
    if code is None:
        compiler = Compiler(target)
        try:
            code = compiler.object_code(TEXT)
        finally:
            compiler.close()
        folder.put(key, code)
    return Library(code, target, ("run",))
