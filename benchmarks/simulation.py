"""A double pendulum for 10 s: Korba beside exudyn, and beside Pinocchio with SciPy, in one run.

All sides start from the same state and have the same tolerance. The error is that of the second
angle at the end, against a reference with tolerance 1e-13; it is amplified by the motion itself.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

import korba as kb

START, UNTIL, TOLERANCE = (0.0, 0.0), 10.0, 1e-8
LENGTH, MASS, INERTIA = 1.0, 1.0, 1 / 12


def pendulum() -> kb.Mechanism:
    """Two equal rods, drawn along x, in gravity along -y."""
    rods = [kb.Body(f"rod {i}", MASS, com=(LENGTH * (i + 0.5), 0), inertia=INERTIA) for i in (0, 1)]
    joints = [
        kb.Revolute("A", "ground", "rod 0", at=(0, 0)),
        kb.Revolute("B", "rod 0", "rod 1", at=(LENGTH, 0)),
    ]
    return kb.Mechanism("double pendulum", rods, joints, plane="xy")


def korba_run(m: kb.Mechanism) -> Callable[[], np.ndarray]:
    def call() -> np.ndarray:
        return kb.simulate(m, UNTIL, q=START, method=kb.Method(rtol=TOLERANCE, atol=TOLERANCE)).q[
            -1
        ]

    return call


def pinocchio_run() -> Callable[[], np.ndarray]:
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    model, parent = pin.Model(), 0
    model.gravity.linear = np.array([0, -9.81, 0])
    for i in range(2):
        place = pin.SE3(np.eye(3), np.array([LENGTH * i, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint {i}")
        tensor = np.diag([INERTIA, INERTIA, INERTIA])
        rod = pin.Inertia(MASS, np.array([LENGTH / 2, 0, 0]), tensor)
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
    data, zero = model.createData(), np.zeros(2)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], zero)])

    def call() -> np.ndarray:
        found = solve_ivp(
            slope, (0, UNTIL), [*START, 0, 0], "DOP853", rtol=TOLERANCE, atol=TOLERANCE
        )
        return found.y[:2, -1]

    return call


def exudyn_run() -> Callable[[], np.ndarray]:
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    container = exu.SystemContainer()
    system = container.AddSystem()
    zero = [0.0, 0.0]
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=zero,
            initialCoordinates=list(START),
            initialCoordinates_t=zero,
            numberOfODE2Coordinates=2,
        )
    )
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * 2,
            linkParents=[-1, 0],
            jointTransformations=exu.Matrix3DList([np.eye(3)] * 2),
            jointOffsets=exu.Vector3DList([[0, 0, 0], [LENGTH, 0, 0]]),
            linkInertiasCOM=exu.Matrix3DList([INERTIA * np.eye(3)] * 2),
            linkCOMs=exu.Vector3DList([[LENGTH / 2, 0, 0]] * 2),
            linkMasses=[MASS] * 2,
            gravity=[0, -9.81, 0],
        )
    )
    system.Assemble()
    settings = exu.SimulationSettings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # names that all versions know
        settings.solutionSettings.writeSolutionToFile = False
    stepping = settings.timeIntegration
    stepping.endTime, stepping.numberOfSteps, stepping.verboseMode = UNTIL, 10, 0
    stepping.automaticStepSize = True
    stepping.absoluteTolerance = stepping.relativeTolerance = TOLERANCE

    def call() -> np.ndarray:
        system.SolveDynamic(
            settings, solverType=exu.DynamicSolverType.DOPRI5, updateInitialValues=False
        )
        return np.array(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates))

    return call


def timed(call: Callable[[], np.ndarray], repeats: int) -> tuple[float, float, np.ndarray]:
    """Median of processor and of wall time in ms, after one call to warm up, and its answer."""
    answer = call()
    cpu, wall = [], []
    for _ in range(repeats):
        begun = time.process_time(), time.perf_counter()
        call()
        cpu.append(1e3 * (time.process_time() - begun[0]))
        wall.append(1e3 * (time.perf_counter() - begun[1]))
    return float(np.median(cpu)), float(np.median(wall)), answer


def table() -> str:
    m = pendulum()
    exact = kb.simulate(m, UNTIL, q=START, method=kb.Method(rtol=1e-13, atol=1e-13)).q[-1]
    runs = {"Korba, dop853": (korba_run(m), 50)}
    if find_spec("exudyn") is not None:
        runs["exudyn, kinematic tree, DOPRI5"] = (exudyn_run(), 10)
    if find_spec("pinocchio") is not None:
        runs["Pinocchio aba, SciPy DOP853"] = (pinocchio_run(), 10)
    lines = [
        f"## Double pendulum, {UNTIL:g} s at {TOLERANCE:g}",
        "",
        "| run | CPU ms | times Korba's | wall ms | times Korba's | error at the end, rad |",
        "|---|---|---|---|---|---|",
    ]
    found = {name: timed(call, repeats) for name, (call, repeats) in runs.items()}
    own = found["Korba, dop853"]
    for name, (cpu, wall, answer) in found.items():
        lines.append(
            f"| {name} | {cpu:.2f} | {cpu / own[0]:.0f} x | {wall:.2f} | {wall / own[1]:.0f} x | "
            f"{abs(answer[1] - exact[1]):.1e} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
