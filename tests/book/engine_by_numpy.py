"""The main engine, its programs evaluated by NumPy, the reference target: nothing to compile."""

import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np

from korba.codegen import evaluate_program
from korba.solve.assemble import assemble
from korba.solve.motion import motion

ROOMS = ("korba.solve.", "korba.course.absolute.")


@contextmanager
def by_numpy():
    """Inside, the engine's programs are evaluated instead of compiled."""
    rooms = [
        name for name in sys.modules if name.startswith(("korba.solve.", "korba.course.absolute."))
    ]
    with ExitStack() as stack:
        for name in rooms:
            if hasattr(sys.modules[name], "compile_program"):
                stack.enter_context(patch(f"{name}.compile_program", _evaluated))
        yield


def _evaluated(program):
    return partial(evaluate_program, program)


def engine_motion(m, times):
    """`motion` of a mechanism; ask for bodies and points inside `by_numpy`."""
    with by_numpy():
        return motion(replace(m), times)


def engine_assembled(m, values):
    """`assemble` of a mechanism."""
    with by_numpy():
        return assemble(replace(m), values)


def body_states(done, name):
    """(x, y, Theta), their velocities and accelerations of a body of a planar mechanism."""
    with by_numpy():
        b = done.body(name)
    turn = np.arctan2(b.rotation[:, 1, 0], b.rotation[:, 0, 0])
    return (
        np.column_stack([b.position[:, :2], turn]),
        np.column_stack([b.velocity[:, :2], b.angular_velocity[:, 2]]),
        np.column_stack([b.acceleration[:, :2], b.angular_acceleration[:, 2]]),
    )


def link_states(found, name):
    """The same from the columns of a motion in absolute coordinates: angles are accumulated."""
    k = 3 * [body.name for body in found.mechanism.bodies].index(name)
    return tuple(each[:, k : k + 3] for each in (found.q, found.v, found.a))


def point_states(done, name, at):
    """Position, velocity and acceleration of a point of a body."""
    with by_numpy():
        p = done.point(name, at)
    return p.position, p.velocity, p.acceleration


def wrapped(angle):
    """An angle between -pi and pi."""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi
