"""Dynamics and whole simulations on one GPU: states and steps a second, beside a copy of memory.

Needs the extra `gpu` and PyTorch (for arrays, a copy to compare with, and the GPU's own clock). All
results are checked against NumPy's evaluation of the same programs on the processor. The arm has
seven joints in the places of Franka's Panda; the four-bar has links of 0.2, 0.7, 0.5 and 0.8 m.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb
from korba.codegen import evaluate_program

COPY = 1 << 28
"""Numbers of the copy."""
STATES = 1 << 24
RUNS, STEPS, STEP = 1_000_000, 1000, 1e-3
GOALS = {"inverse": 0.9, "one four-bar": 0.2, "many four-bars": 0.4}
REPEATS, CALLS = 5, 10
SIZES = ("a", "b", "c", "d")


def arm() -> kb.Mechanism:
    """Seven revolute joints, masses and full inertias."""
    rows = [
        (0, 0, 0.333, 4.97, (0.004, 0.002, -0.05)),
        (0, -90, 0, 0.65, (-0.003, -0.029, 0.003)),
        (0, 90, 0.316, 3.23, (0.027, 0.039, -0.066)),
        (0.0825, 90, 0, 3.59, (-0.053, 0.104, 0.027)),
        (-0.0825, -90, 0.384, 1.23, (-0.012, 0.041, -0.038)),
        (0, 90, 0, 1.67, (0.060, -0.014, -0.010)),
        (0.088, 90, 0, 0.74, (0.010, -0.004, 0.062)),
    ]
    inertia = [[0.03, 0.002, 0.001], [0.002, 0.028, -0.001], [0.001, -0.001, 0.009]]
    return kb.from_dh(
        [
            {"a": a, "alpha": np.radians(alpha), "d": d, "mass": m, "com": c, "inertia": inertia}
            for a, alpha, d, m, c in rows
        ],
        convention="modified",
        name="arm",
    )


def four_bar() -> kb.Mechanism:
    return replace(kb.linkages.four_bar(0.2, 0.7, 0.5, 0.8), drives=())


def seconds(torch: Any, call: Callable[[], Any], calls: int = CALLS) -> float:
    """The least time of a call among some, made one after the other, by the clock of the GPU."""
    call()
    least = float("inf")
    for _ in range(REPEATS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        least = min(least, 1e-3 * start.elapsed_time(end) / calls)
    return least


def copied(torch: Any) -> float:
    """Bytes read and written by a copy, a second."""
    a = torch.ones(COPY, dtype=torch.float64, device="cuda")
    b = torch.empty_like(a)
    return 2 * 8 * COPY / seconds(torch, lambda: b.copy_(a))


def difference(torch: Any, result: Any, expected: Any) -> float:
    """The largest, beside the largest number."""
    found = torch.as_tensor(result).cpu().numpy()
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def used(program: Any) -> int:
    """Numbers of a state that a program reads: of columns nobody needs nothing is moved."""
    return sum(node.op == "variable" for node in program.nodes)


def dynamics(torch: Any, bandwidth: float) -> None:
    """States a second of the arm, in rows and in columns."""
    m, rng = arm(), np.random.default_rng(0)
    for verb, word in ((kb.inverse_dynamics, "inverse"), (kb.forward_dynamics, "forward")):
        f = kb.compile(verb, m, device="cuda")
        begun = time.perf_counter()
        for kind in (torch.float64, torch.float32):
            rows = [
                torch.as_tensor(rng.uniform(-1, 1, (STATES, 7)), device="cuda", dtype=kind)
                for _ in range(3)
            ]
            columns = [x.T.contiguous().T for x in rows]
            for layout, given in (("rows", rows), ("columns", columns)):
                result = f(*given)
                torch.cuda.synchronize()
                ready = time.perf_counter() - begun
                expected = evaluate_program(
                    f.program, *(x[-99:].double().cpu().numpy() for x in rows)
                )
                error = difference(torch, result[-99:], expected)
                out = torch.empty_strided(result.shape, result.stride(), dtype=kind, device="cuda")
                took = seconds(torch, lambda f=f, given=given, out=out: f(*given, out=out))
                numbers = 28 if layout == "rows" else used(f.program) + 7
                moved = numbers * STATES * (8 if kind is torch.float64 else 4) / took
                share = moved / bandwidth
                goal = GOALS.get(word, 0.0) if kind is torch.float64 else 0.0
                told = f" (goal {goal:.0%}: {'yes' if share >= goal else 'NO'})" if goal else ""
                print(
                    f"{word} dynamics, {f.operations.total} operations, {kind} in {layout}: "
                    f"{STATES / took / 1e9:.1f} G states/s, {share:.0%} of a copy{told}; "
                    f"error {error:.0e}; first {ready:.1f} s"
                )
                assert error < (1e-12 if kind is torch.float64 else 1e-4)


def told(word: str, took: float, error: float) -> None:
    goal = GOALS[word]
    print(
        f"{word}, {RUNS:.0e} starts x {STEPS} RK4 steps with projection: {took:.3f} s = "
        f"{RUNS * STEPS / took / 1e9:.1f} G steps/s (goal {goal} s: "
        f"{'yes' if took <= goal else 'NO'}); error {error:.0e}"
    )
    assert error < 1e-9


def simulations(torch: Any) -> None:
    """Whole runs of four-bars: one of many starts, and many designs."""
    m, rng = four_bar(), np.random.default_rng(0)
    assemble = kb.compile(kb.assemble, m, device="cuda", values=("A",), parameters=SIZES)
    own = np.array([0.2, 0.7, 0.5, 0.8])
    drawn = kb.motion(kb.linkages.four_bar(0.2, 0.7, 0.5, 0.8), [0.0])
    q0, turning = drawn.q[0], drawn.v[0] / drawn.v[0, 0]
    lengths = own * rng.uniform(0.95, 1.05, (RUNS, 4))
    p = torch.as_tensor(lengths, device="cuda")
    near = torch.as_tensor(np.broadcast_to(q0, (RUNS, 4)).copy(), device="cuda")
    angle = torch.full((RUNS, 1), float(q0[0]), dtype=torch.float64, device="cuda")
    q, closed = assemble(near, angle, p)
    assert float(closed.min()) == 1.0
    speeds = torch.as_tensor(rng.uniform(3.0, 6.0, (RUNS, 1)), device="cuda")
    v = speeds * torch.as_tensor(turning, device="cuda")
    for word, positions, sizes in (("one four-bar", near, None), ("many four-bars", q, p)):
        options = {"parameters": SIZES} if sizes is not None else {}
        run = kb.compile(kb.simulate, m, device="cuda", **options)
        more = [] if sizes is None else [sizes]
        ends = run(positions, v, *more, 0.0, STEP, STEPS)
        assert float(ends[2][:, 1].min()) == 1.0, "a run did not reach its end"
        given = [x[:8].cpu().numpy() for x in (positions, v, *more)]
        expected = evaluate_program(run.program, *given, [0.0], [STEP], [float(STEPS)])
        error = max(difference(torch, ends[k][:8], expected[k]) for k in range(2))
        out = tuple(torch.empty_like(x) for x in ends)
        took = seconds(
            torch,
            lambda run=run, given=(positions, v, *more), out=out: run(
                *given, 0.0, STEP, STEPS, out=out
            ),
            1,
        )
        told(word, took, error)


def libraries(torch: Any) -> None:
    """Arrays of every library that is there go in and come out."""
    f = kb.compile(kb.forward_dynamics, arm(), device="cuda")
    given = [np.random.default_rng(k).uniform(-1, 1, (1000, 7)) for k in range(3)]
    expected = evaluate_program(f.program, *given)
    for name, put in (
        ("torch", lambda x: torch.as_tensor(x, device="cuda")),
        ("cupy", lambda x: import_module("cupy").asarray(x)),
        ("jax", lambda x: import_module("jax.numpy").asarray(x, dtype="float64")),
        ("numba", lambda x: import_module("numba.cuda").to_device(x)),
    ):
        try:
            import_module("jax").config.update("jax_enable_x64", True)
            arrays = [put(x) for x in given]
        except Exception as error:
            print(f"{name}: not here ({error!r:.60})")
            continue
        result = f(*arrays)
        back = torch.from_dlpack(result).cpu().numpy()
        print(f"{name}: {type(result).__module__}, error {np.abs(back - expected).max():.0e}")


def beside_mjx(states: int = 1 << 17) -> None:
    """The same arm in MJX, MuJoCo on JAX, compiled and mapped over a batch; if it can be had."""
    try:
        jax, mujoco = import_module("jax"), import_module("mujoco")
        mjx = import_module("mujoco.mjx")
    except Exception as error:
        print(f"MJX: not here ({error!r:.60})")
        return
    with tempfile.TemporaryDirectory() as folder:
        kb.save(arm(), Path(folder) / "arm.urdf")
        model = mujoco.MjModel.from_xml_path(str(Path(folder) / "arm.urdf"))
    rng = np.random.default_rng(0)
    given = [rng.uniform(-1, 1, (states, 7)) for _ in range(3)]
    for kind in ("float32", "float64"):
        jax.config.update("jax_enable_x64", kind == "float64")
        m = mjx.put_model(model)
        data = mjx.make_data(m)

        def inverse(q: Any, v: Any, a: Any, m: Any = m, data: Any = data) -> Any:
            return mjx.inverse(m, data.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse

        def forward(q: Any, v: Any, tau: Any, m: Any = m, data: Any = data) -> Any:
            return mjx.forward(m, data.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc

        for verb, f in ((kb.inverse_dynamics, inverse), (kb.forward_dynamics, forward)):
            call = jax.jit(jax.vmap(f))
            arrays = [jax.numpy.asarray(x, dtype=kind) for x in given]
            result = np.asarray(call(*arrays))
            took = float("inf")
            for _ in range(REPEATS):
                begun = time.perf_counter()
                call(*arrays).block_until_ready()
                took = min(took, time.perf_counter() - begun)
            program = kb.compile(verb, arm(), device="cuda").program
            expected = evaluate_program(program, *(x[:99] for x in given))
            error = np.abs(result[:99] - expected).max() / np.abs(expected).max()
            print(f"MJX, {verb.name}, {kind}: {states / took / 1e6:.1f} M states/s; {error:.0e}")


def main() -> None:
    torch = import_module("torch")
    bandwidth = copied(torch)
    print(f"{torch.cuda.get_device_name()}: a copy moves {bandwidth / 1e12:.2f} TB/s")
    dynamics(torch, bandwidth)
    simulations(torch)
    libraries(torch)
    beside_mjx()


if __name__ == "__main__":
    main()
