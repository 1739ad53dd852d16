"""Mechanisms in exudyn, for the forces in their joints.

Every body hangs on a node of its own: in the plane at its centre of mass, in space too, but for
bodies on a pin of the ground, whose node is the pin. Pins and balls are exudyn's; what a pin of
the ground in space, a slide or the drive holds, are coordinates of a node. The multipliers of
these constraints are the forces that are looked for. The drive turns at a constant speed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from force_models import DRIVE, SPEED

import korba as kb

sys.exudynFast = True  # type: ignore[attr-defined]  # its fast module, which checks no ranges
import exudyn as exu  # noqa: E402
import exudyn.itemInterface  # noqa: E402


class Peer:
    """A mechanism in exudyn, at its drawing and the velocities there."""

    def __init__(self, m: kb.Mechanism) -> None:
        self.m, self.motion = m, kb.motion(m, [0.0])
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.parts: dict[str, list[tuple[Any, float]]] = {joint.name: [] for joint in m.joints}
        """By joint the constraints that hold it, and the sign of their forces on the child."""
        self.bodies, self.nodes, self.origins = {}, {}, {}
        for body in m.bodies:
            self._add_body(body)
        self.base = self.mbs.CreateGround()
        self.still = self._still_coordinate()
        for joint in m.joints:
            self._add_joint(joint)
        for force in m.forces:
            self._push(force.body, force.at, force.force)
        self.drive = self._hold("crank", self._turn("crank"), speed=SPEED)
        self.mbs.Assemble()

    def _pin(self, body: str) -> kb.Joint | None:
        own = [j for j in self.m.joints if (j.parent, j.child) == ("ground", body) and j.nv == 1]
        return own[0] if own and not self.m.plane else None

    def _add_body(self, body: kb.Body) -> None:
        com, pin = np.array(body.com), self._pin(body.name)
        origin = np.array(pin.at) if pin else com
        self.origins[body.name] = origin
        point, turn = self.motion.point(body.name, origin), self.motion.body(body.name)
        v, w = point.velocity[0], turn.angular_velocity[0]
        if self.m.plane:
            node = exu.itemInterface.NodeRigidBody2D(
                referenceCoordinates=[*origin[:2], 0], initialVelocities=[*v[:2], w[2]]
            )
            n = self.mbs.AddNode(node)
            own = exu.itemInterface.ObjectRigidBody2D(
                mass=body.mass, inertia=body.inertia[2][2], nodeNumber=n
            )
        else:
            arm = com - origin
            J = np.array(body.inertia) + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
            node = exu.itemInterface.NodeRigidBodyRxyz(
                referenceCoordinates=[*origin, 0, 0, 0], initialVelocities=[*v, *w]
            )
            n = self.mbs.AddNode(node)
            own = exu.itemInterface.ObjectRigidBody(
                mass=body.mass,
                inertia=[J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]],
                centerOfMass=list(arm),
                nodeNumber=n,
            )
        self.nodes[body.name], self.bodies[body.name] = n, self.mbs.AddObject(own)
        self._push(body.name, com, body.mass * np.array(self.m.gravity))

    def _push(self, body: str, at: Any, force: Any) -> None:
        marker = self._marker(body, at)
        load = [float(getattr(x, "value", x)) for x in force]
        self.mbs.AddLoad(exu.itemInterface.LoadForceVector(markerNumber=marker, loadVector=load))

    def _marker(self, body: str, at: Any) -> Any:
        number = self.base if body == "ground" else self.bodies[body]
        local = np.array(at, dtype=float) - self.origins.get(body, np.zeros(3))
        return self.mbs.AddMarker(
            exu.itemInterface.MarkerBodyPosition(bodyNumber=number, localPosition=local)
        )

    def _still_coordinate(self) -> Any:
        node = self.mbs.AddNode(exu.itemInterface.NodePointGround())
        return self.mbs.AddMarker(
            exu.itemInterface.MarkerNodeCoordinate(nodeNumber=node, coordinate=0)
        )

    def _turn(self, body: str) -> int:
        return 2 if self.m.plane else 5

    def _hold(self, body: str, coordinate: int, speed: float | None = None) -> Any:
        marker = self.mbs.AddMarker(
            exu.itemInterface.MarkerNodeCoordinate(
                nodeNumber=self.nodes[body], coordinate=coordinate
            )
        )
        more = {} if speed is None else {"velocityLevel": True, "offset": speed}
        held = exu.itemInterface.ObjectConnectorCoordinate(
            markerNumbers=[self.still, marker], **more
        )
        return self.mbs.AddObject(held)

    def _add_joint(self, joint: kb.Joint) -> None:
        if joint.role == "slide":
            self.parts[joint.name] = [self._hold(joint.child, k) for k in (1, 2)]
        elif not self.m.plane and joint.parent == "ground":
            axis = int(np.argmax(np.abs(joint.axis)))
            self.parts[joint.name] = [self._hold(joint.child, k) for k in range(6) if k != 3 + axis]
        else:
            markers = [self._marker(body, joint.at) for body in (joint.parent, joint.child)]
            kind = (
                exu.itemInterface.ObjectJointRevolute2D
                if self.m.plane
                else exu.itemInterface.ObjectJointSpherical
            )
            self.parts[joint.name] = [self.mbs.AddObject(kind(markerNumbers=markers))]

    def run(self, until: float, steps: int) -> np.ndarray:
        """Multipliers of all constraints after every step, (steps + 1, constraints)."""
        rows = []

        def keep(mbs: Any, t: float) -> bool:
            rows.append(np.array(mbs.systemData.GetAECoordinates()))
            return True

        self.mbs.SetPreStepUserFunction(keep)
        self.solve(until, steps, tolerance=1e-12)
        keep(self.mbs, until)
        exu.SetWriteToConsole(True)
        return np.array(rows)

    def solve(self, until: float, steps: int, tolerance: float | None = None) -> None:
        """The motion by the trapezoidal rule of index 2, Newton's method as exudyn has it."""
        exu.SetWriteToConsole(False)
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = until
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        if tolerance is not None:
            settings.timeIntegration.newton.relativeTolerance = tolerance
            settings.timeIntegration.newton.absoluteTolerance = tolerance
        self.mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)

    def forces(self, multipliers: np.ndarray) -> dict[str, np.ndarray]:
        """By joint what its constraints do to the child, in their own order, and the drive."""
        places = self.mbs.systemData.GetObjectLTGAE
        parts = {**self.parts, DRIVE: [self.drive]}
        return {
            name: -np.concatenate([multipliers[..., places(n)] for n in own], axis=-1)
            for name, own in parts.items()
        }
