"""Mechanisms with loops under forces: one four-bar for 10 s, its accelerations, many of them.

The four-bar: ground 1.3, crank 0.5, coupler 1.2, rocker 1.0 m, rods of 1 kg, crank at 90 deg with
10 rad/s. MuJoCo closes it by an equality constraint (RK4, steps of 1e-4 s, a stiff solref);
Pinocchio answers `constraintDynamics`. Errors are those of the crank at the end, against a run with
tolerance 1e-13. Designs are four-bars of other lengths, all four drawn at random around these; the
rods keep their masses. Turns: 10,000 revolutions without friction.

    python benchmarks/closed_dynamics.py [--only run accelerations starts designs turns]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

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
        how = {"method": kb.Method(rtol=tolerance, atol=tolerance / 100)}
        return kb.simulate(m, UNTIL, v={"A": SPEED}, times=2, **how).q[-1]

    return call


def mujoco_run(
    m: kb.Mechanism, speed: float = SPEED, step: float = 1e-4
) -> Callable[[], np.ndarray]:
    """A four-bar with the pins A, B, C, D, its loop closed by an equality constraint at C."""
    import mujoco

    at = {joint.name: np.array(joint.at[:2]) for joint in m.joints}

    def rod(name: str, P: np.ndarray, inside: str = "", origin: Any = (0, 0)) -> str:
        p, body = P - origin, m.body(name)
        c, own = np.array(body.com[:2]) - P, body.inertia[2][2]
        return (
            f'<body name="{name}" pos="{p[0]} {p[1]} 0"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{c[0]} {c[1]} 0" mass="{body.mass}" diaginertia="{own} {own} {own}"/>'
            f"{inside}</body>"
        )

    coupler = rod("coupler", at["B"], origin=at["A"])
    crank, rocker = rod("crank", at["A"], coupler), rod("rocker", at["D"])
    tip = at["C"] - at["B"]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" integrator="RK4" gravity="0 -9.81 0"/>'
        f"<worldbody>{crank}{rocker}</worldbody><equality>"
        f'<connect body1="coupler" body2="rocker" anchor="{tip[0]} {tip[1]} 0" '
        f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/></equality></mujoco>'
    )
    v = kb.simulate(m, 1e-6, v={"A": speed}, times=2).v[0]

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
    runs = {f"Korba, dop853, {tol:.0e}": (korba_run(m, tol), 20) for tol in (1e-8, 4e-10, 1e-10)}
    if find_spec("mujoco") is not None:
        runs["MuJoCo, RK4, 1e-4 s"] = (mujoco_run(m), 1)
    lines = [
        f"## Four-bar with its loop closed, {UNTIL:g} s",
        "",
        "| run | CPU ms | in the time of the last row | error at the end, rad |",
        "|---|---|---|---|",
    ]
    answers, times = {name: call() for name, (call, _) in runs.items()}, dict.fromkeys(runs, np.inf)
    for _ in range(3):  # in turns, the least of all
        for name, (call, repeats) in runs.items():
            times[name] = min(times[name], least(call, 10**6, repeats))
    last = [*times.values()][-1]
    for name, ms in times.items():
        miss = abs(float(answers[name][0]) - exact)
        lines.append(f"| {name} | {ms:.2f} | {last / ms:.0f} x | {miss:.1e} |")
    return "\n".join(lines)


def least(call: Callable[[], Any], count: int, repeats: int = 20) -> float:
    """Least processor time of a call, in ns of one of its parts."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return min(times) / count * 1e9


ROD = """
[[body]]
name = "{0}"
mass = 1
com = ["{1}/2", 0]
inertia = "1 kg*{1}^2/12"
points = {{ {2} = [0, 0], {3} = ["{1}", 0] }}
"""
PIN = """
[[joint]]
name = "{0}"
type = "revolute"
parent = "{1}.{0}"
child = "{2}.{0}"
"""
STEPS = 1_000
STEP = 1e-3
RK4: dict[str, Any] = {"method": kb.Method("rk4", step=STEP, threads=1), "times": 2}


def four_bar_by_lengths() -> kb.Mechanism:
    """The four-bar with its lengths a, b, c, d as parameters, the crank upright."""
    lengths = {"a": CRANK, "b": COUPLER, "c": ROCKER, "d": GROUND}
    parts = [
        'plane = "xy"\npoints = { A = [0, 0], D = ["d", 0] }\n[parameters]',
        *(f'{name} = "{size} m"' for name, size in lengths.items()),
        ROD.format("crank", "a", "A", "B"),
        ROD.format("coupler", "b", "B", "C"),
        ROD.format("rocker", "c", "D", "C"),
        PIN.format("A", "ground", "crank") + 'drawn = "90 deg"',
        PIN.format("B", "crank", "coupler"),
        PIN.format("C", "coupler", "rocker"),
        PIN.format("D", "ground", "rocker"),
    ]
    return kb.loads("\n".join(parts))


def accelerations_table(states: int = 100_000) -> str:
    m = four_bar()
    speeds = np.random.default_rng(0).uniform(5, 12, states)
    run = kb.simulate(m, 0.1, v={"A": speeds}, **RK4)
    q, v = (np.ascontiguousarray(x[:, -1]) for x in (run.q, run.v))
    f = kb.compile(kb.forward_dynamics, m)
    tau, out = 0 * v, 0 * v
    ns = least(lambda: f(q, v, tau, out=out, check_finite=False), len(q))
    own = f"{ns:.1f} ns a state (goal 20), {f.operations.total} operations"
    lines = [f"closed forward dynamics in a batch: {own}"]
    if find_spec("pinocchio") is not None:
        call = pinocchio_call()
        one = least(lambda: [call() for _ in range(2000)], 2000)
        lines.append(f"Pinocchio's constraintDynamics: {one:.0f} ns a call, {one / ns:.0f} x (100)")
    return "\n".join(lines)


def starts_table(starts: int = 10_000) -> str:
    m, speeds = four_bar(), np.random.default_rng(0).uniform(5, 12, starts)
    return steps_table("starts", 12, m, v={"A": speeds})


def designs_table(designs: int = 10_000) -> str:
    rng, m = np.random.default_rng(0), four_bar_by_lengths()
    around = {"a": CRANK, "b": COUPLER, "c": ROCKER, "d": GROUND}
    sizes = {name: size * rng.uniform(0.93, 1.07, designs) for name, size in around.items()}
    return steps_table("designs", 8, m, v={"A": SPEED}, parameters=sizes)


def steps_table(what: str, goal: int, m: kb.Mechanism, **given: Any) -> str:
    """Projected steps of many runs on one core."""

    def call() -> kb.Trajectory:
        return kb.simulate(m, STEPS * STEP, **given, **RK4)

    run = call()
    ns = least(call, run.q.shape[0] * STEPS, 5)
    return (
        f"{run.q.shape[0]} {what}, {STEPS} projected RK4 steps each: {1e3 / ns:.1f} million steps "
        f"a second (goal {goal})\n"
        f"loops closed to {run.audit.residual.max():.1e}, energy to {run.audit.energy.max():.1e}"
    )


def turns_table(until: float = 4870.0) -> str:
    m = four_bar()
    lines = [
        "| turns | tolerance | CPU s | energy kept to | loops closed to |",
        "|---|---|---|---|---|",
    ]
    for tolerance in (1e-13, 1e-12, 1e-10, 1e-8):
        begun, how = (
            time.process_time(),
            {"method": kb.Method(rtol=tolerance, atol=tolerance / 100)},
        )
        run = kb.simulate(m, until, v={"A": SPEED}, times=2001, **how)
        spent, turns = time.process_time() - begun, run["A"][-1] / (2 * np.pi)
        kept = f"{run.audit.energy:.1e} | {run.audit.residual:.1e}"
        lines.append(f"| {turns:.0f} | {tolerance:.0e} | {spent:.2f} | {kept} |")
    return "\n".join(lines)


TABLES = {
    "run": runs_table,
    "accelerations": accelerations_table,
    "starts": starts_table,
    "designs": designs_table,
    "turns": turns_table,
}


def table(only: tuple[str, ...] = ()) -> str:
    return "\n\n".join(make() for name, make in TABLES.items() if not only or name in only)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), choices=[*TABLES], help="these tables")
    print(table(tuple(parser.parse_args().only)))
