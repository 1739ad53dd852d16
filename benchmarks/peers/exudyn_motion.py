"""Mechanisms in exudyn, for their motion under forces.

Every body has a node of its own at its centre of mass; joints, springs and moments are exudyn's.
All begin in the state from which Korba's run begins.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

import korba as kb

sys.exudynFast = True  # type: ignore[attr-defined]  # its fast module, which checks no ranges
import exudyn as exu  # noqa: E402
import exudyn.itemInterface  # noqa: E402
from exudyn.rigidBodyUtilities import RigidBodyInertia  # noqa: E402


class Free:
    """A mechanism in exudyn that moves freely from velocities by name.

    `spare` names a joint of which one row is left out, where loops have one to spare: exudyn
    solves regular systems only.
    """

    def __init__(self, m: kb.Mechanism, v: dict[str, float], spare: str = "") -> None:
        self.m, self.spare = m, spare
        self.start = kb.simulate(m, 1e-6, v=v, times=2)
        exu.SetWriteToConsole(False)
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.numbers: dict[str, Any] = {"ground": self.mbs.CreateGround()}
        self.origins: dict[str, Any] = {"ground": np.zeros(3)}
        for body in m.bodies:
            self._add_body(body)
        for joint in m.joints:
            self._add_joint(joint)
        for force in m.forces:
            self._add_force(force)
        self.mbs.Assemble()

    def _add_body(self, body: kb.Body) -> None:
        place, motion = self._world(body.name, body.com), self.start.body(body.name)
        inertia = np.array(body.inertia)
        if body.frame is not None and not self.m.plane:
            R = np.array(body.frame.rotation)
            inertia = R @ inertia @ R.T
        planar = {"create2D": True} if self.m.plane else {}
        self.origins[body.name] = place
        self.numbers[body.name] = self.mbs.CreateRigidBody(
            referencePosition=list(place),
            initialVelocity=list(self.start.point(body.name, body.com).velocity[0]),
            initialAngularVelocity=list(motion.angular_velocity[0]),
            inertia=RigidBodyInertia(mass=body.mass, inertiaTensor=inertia),
            gravity=list(self.m.gravity),
            **planar,
        )

    def _world(self, body: str, p: Any) -> np.ndarray:
        """A point of a body in the drawing."""
        p = np.array([*p, 0.0][:3], dtype=float)
        if body == "ground" or (frame := self.m.body(body).frame) is None:
            return p
        return np.array(frame.rotation) @ p + np.array(frame.origin)

    def _local(self, body: str, p: Any) -> list[float]:
        return list(self._world(body, p) - self.origins[body])

    def _add_joint(self, joint: kb.Joint) -> None:
        at = [*joint.at, 0.0][:3]
        pair = [self.numbers[joint.parent], self.numbers[joint.child]]
        if self.m.plane:
            ends = [
                self.mbs.AddMarker(
                    exu.itemInterface.MarkerBodyPosition(
                        bodyNumber=self.numbers[body], localPosition=np.subtract(at, origin)
                    )
                )
                for body in (joint.parent, joint.child)
                for origin in [self.origins[body]]
            ]
            self.mbs.AddObject(exu.itemInterface.ObjectJointRevolute2D(markerNumbers=ends))
            return
        common: dict[str, Any] = {"bodyNumbers": pair, "position": at, "show": False}
        if joint.name == self.spare:
            rows = [1, 1, 1, 1, 0, 0]
            self.mbs.CreateGenericJoint(
                rotationMatrixAxes=_axes(joint.axis), constrainedAxes=rows, **common
            )
        elif isinstance(joint, kb.Revolute):
            self.mbs.CreateRevoluteJoint(axis=list(joint.axis), **common)
        elif isinstance(joint, kb.Prismatic):
            self.mbs.CreatePrismaticJoint(axis=list(joint.axis), **common)
        elif isinstance(joint, kb.Spherical):
            self.mbs.CreateSphericalJoint(**common)
        else:  # a cross: the first pin on the parent stays perpendicular to the second
            x, y = np.array(joint.axis), np.array(joint.x_axis)
            R = np.array([x, y, np.cross(x, y)]).T
            self.mbs.CreateGenericJoint(
                rotationMatrixAxes=R, constrainedAxes=[1, 1, 1, 0, 0, 1], **common
            )

    def _add_force(self, force: Any) -> None:
        if isinstance(force, kb.Spring):
            self.mbs.CreateSpringDamper(
                bodyNumbers=[self.numbers[force.body_a], self.numbers[force.body_b]],
                localPosition0=self._local(force.body_a, force.at_a),
                localPosition1=self._local(force.body_b, force.at_b),
                referenceLength=force.free_length,
                stiffness=force.stiffness,
                damping=force.damping,
            )
        else:
            moment = [float(x.value) for x in force.moment]
            self.mbs.CreateTorque(bodyNumber=self.numbers[force.body], loadVector=moment)

    def run(self, until: float, step: float, method: str, tolerance: float | None) -> None:
        """The motion by a method of exudyn, the rest, or all but Newton's tolerance, its own."""
        settings = exu.SimulationSettings()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # names that all versions know
            settings.solutionSettings.writeSolutionToFile = False
        settings.timeIntegration.numberOfSteps = round(until / step)
        settings.timeIntegration.endTime = until
        settings.timeIntegration.verboseMode = 0
        if tolerance is not None:
            settings.timeIntegration.newton.relativeTolerance = tolerance
            settings.timeIntegration.newton.absoluteTolerance = tolerance
        self.mbs.SolveDynamic(
            settings,
            solverType=getattr(exu.DynamicSolverType, method),
            updateInitialValues=False,
        )

    def angle(self, body: str) -> float:
        """How far a body in the plane has turned."""
        kind = exu.OutputVariableType.Rotation
        return float(np.ravel(self.mbs.GetObjectOutputBody(self.numbers[body], kind))[-1])

    def point(self, body: str, p: Any) -> np.ndarray:
        """Where a point of a body is."""
        kind = exu.OutputVariableType.Position
        local = self._local(body, p)
        return np.array(self.mbs.GetObjectOutputBody(self.numbers[body], kind, local))


def _axes(x: Any) -> np.ndarray:
    """Axes of which the last is given."""
    z = np.array(x, dtype=float)
    side = np.roll(np.abs(z), 1)
    return np.array([side, np.cross(z, side), z]).T
