"""Mechanisms with loops under forces: one four-bar for 10 s, its accelerations, many starts.

The four-bar: ground 1.3, crank 0.5, coupler 1.2, rocker 1.0 m, rods of 1 kg, crank at 90 deg with
10 rad/s. MuJoCo closes it by an equality constraint (RK4, steps of 1e-4 s, a stiff solref);
Pinocchio answers `constraintDynamics`. Errors are those of the crank at the end, against a run with
tolerance 1e-13.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from simulation import timed

import korba as kb

GROUND, CRANK, COUPLER, ROCKER = 1.3, 0.5, 1.2, 1.0
UNTIL, SPEED = 10.0, 10.0


def places() -> dict[str, np.ndarray]:
    """The pins with the crank upright, the coupler above."""
    A, B, D = np.zeros(2), np.array([0.0, CRANK]), np.array([GROUND, 0.0])
    way = D - B
    r = float(np.hypot(*way))
    x = (r * r + COUPLER**2 - ROCKER**2) / (2 * r)
    C = B + x * way / r + np.sqrt(COUPLER**2 - x * x) * np.array([-way[1], way[0]]) / r
    return {"A": A, "B": B, "C": C, "D": D}


def four_bar() -> kb.Mechanism:
    """Three rods of 1 kg."""
    at = places()
    ends = {"crank": "AB", "coupler": "BC", "rocker": "DC"}
    bodies = []
    for name, (p, q) in ends.items():
        P, Q = at[p], at[q]
        bodies.append(kb.Body(name, 1.0, tuple((P + Q) / 2), float(np.sum((Q - P) ** 2)) / 12))
    pairs = [("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker")]
    joints = [
        kb.Revolute(name, *pair, at=tuple(at[name]))
        for name, pair in zip("ABCD", pairs, strict=True)
    ]
    return kb.Mechanism("four-bar", bodies, joints, plane="xy")


def korba_run(m: kb.Mechanism, tolerance: float) -> Callable[[], np.ndarray]:
    def call() -> np.ndarray:
        how = {"rtol": tolerance, "atol": tolerance / 100}
        return kb.simulate(m, UNTIL, v={"A": SPEED}, times=2, **how).q[-1]

    return call


def mujoco_run(step: float = 1e-4) -> Callable[[], np.ndarray]:
    import mujoco

    at = places()

    def rod(name: str, P: np.ndarray, Q: np.ndarray, inside: str = "", origin: Any = (0, 0)) -> str:
        p, c, long = P - origin, (Q - P) / 2, float(np.sum((Q - P) ** 2)) / 12
        return (
            f'<body name="{name}" pos="{p[0]} {p[1]} 0"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{c[0]} {c[1]} 0" mass="1" diaginertia="{long} {long} {long}"/>'
            f"{inside}</body>"
        )

    coupler = rod("coupler", at["B"], at["C"], origin=at["A"])
    crank, rocker = rod("crank", at["A"], at["B"], coupler), rod("rocker", at["D"], at["C"])
    tip = at["C"] - at["B"]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" integrator="RK4" gravity="0 -9.81 0"/>'
        f"<worldbody>{crank}{rocker}</worldbody><equality>"
        f'<connect body1="coupler" body2="rocker" anchor="{tip[0]} {tip[1]} 0" '
        f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/></equality></mujoco>'
    )
    m = four_bar()
    v = kb.simulate(m, 1e-6, v={"A": SPEED}, times=2).v[0]

    def call() -> np.ndarray:
        data = mujoco.MjData(model)
        data.qvel[:] = v[0], v[1], v[3]
        mujoco.mj_step(model, data, nstep=round(UNTIL / step))
        return np.array([data.qpos[0]])

    return call


def pinocchio_call() -> Callable[[], Any]:
    import pinocchio as pin

    at, model, names = places(), pin.Model(), {}
    for name, parent, p, q, origin in (
        ("crank", 0, "A", "B", np.zeros(2)),
        ("coupler", "crank", "B", "C", at["A"]),
        ("rocker", 0, "D", "C", np.zeros(2)),
    ):
        P, Q = at[p], at[q]
        place = pin.SE3(np.eye(3), np.array([*(P - origin), 0]))
        base = names[parent] if parent else 0
        joint = names[name] = model.addJoint(base, pin.JointModelRZ(), place, name)
        inertia = float(np.sum((Q - P) ** 2)) / 12 * np.eye(3)
        rod = pin.Inertia(1.0, np.array([*((Q - P) / 2), 0]), inertia)
        model.appendBodyToJoint(joint, rod, pin.SE3.Identity())
    ends = [pin.SE3(np.eye(3), np.array([*(at["C"] - at[p]), 0])) for p in ("B", "D")]
    tie = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, names["coupler"], ends[0], names["rocker"], ends[1]
    )
    data, ties = model.createData(), pin.StdVec_RigidConstraintModel()
    made = pin.StdVec_RigidConstraintData()
    ties.append(tie)
    made.append(tie.createData())
    settings = pin.ProximalSettings(1e-12, 1e-12, 10)
    pin.initConstraintDynamics(model, data, ties, made)
    q, v, tau = np.zeros(3), np.zeros(3), np.zeros(3)
    return lambda: pin.constraintDynamics(model, data, q, v, tau, ties, made, settings)


def runs_table() -> str:
    m = four_bar()
    exact = korba_run(m, 1e-13)()[0]
    runs = {f"Korba, dop853, {tol:.0e}": (korba_run(m, tol), 30) for tol in (1e-8, 4e-10, 1e-10)}
    if find_spec("mujoco") is not None:
        runs["MuJoCo, RK4, 1e-4 s"] = (mujoco_run(), 3)
    lines = [
        f"## Four-bar with its loop closed, {UNTIL:g} s",
        "",
        "| run | CPU ms | wall ms | in the time of the last row | error at the end, rad |",
        "|---|---|---|---|---|",
    ]
    made = {name: timed(call, repeats) for name, (call, repeats) in runs.items()}
    last = [*made.values()][-1][0]
    for name, (cpu, wall, answer) in made.items():
        miss = abs(float(answer[0]) - exact)
        lines.append(f"| {name} | {cpu:.2f} | {wall:.2f} | {last / cpu:.0f} x | {miss:.1e} |")
    return "\n".join(lines)


def least(call: Callable[[], Any], count: int, repeats: int = 20) -> float:
    """Least processor time of a call, in ns of one of its parts."""
    call()
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return min(times) / count * 1e9


def batch_table(starts: int = 10_000, steps: int = 1_000) -> str:
    m = four_bar()
    speeds = np.random.default_rng(0).uniform(5, 12, starts)
    how: dict[str, Any] = {"method": "rk4", "step": 1e-3, "times": 2}
    span = steps * 1e-3
    run = kb.simulate(m, span, v={"A": speeds}, **how)
    q, v = (np.tile(x[:, -1], (10, 1)) for x in (run.q, run.v))
    f = kb.compile(kb.forward_dynamics, m)
    tau, out = 0 * v, 0 * v
    ns = least(lambda: f(q, v, tau, out=out, check_finite=False), len(q))
    step = least(lambda: kb.simulate(m, span, v={"A": speeds}, **how), starts * steps, 3)
    lines = [
        f"closed forward dynamics in a batch: {ns:.1f} ns a state, {f.operations.total} operations",
        f"{starts} starts, {steps} projected RK4 steps: {1e3 / step:.1f} million steps a second",
        f"loops closed to {run.audit.gap.max():.1e}, energy to {run.audit.energy.max():.1e}",
    ]
    if find_spec("pinocchio") is not None:
        call = pinocchio_call()
        one = least(lambda: [call() for _ in range(2000)], 2000)
        lines.append(f"Pinocchio's constraintDynamics: {one:.0f} ns a call, {one / ns:.0f} x")
    return "\n".join(lines)


def table() -> str:
    return f"{runs_table()}\n\n{batch_table()}"


if __name__ == "__main__":
    print(table())
