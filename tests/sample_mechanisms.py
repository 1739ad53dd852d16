"""Mechanisms that several files of tests ask about, each described once.

What two files build alike has one program on disk. A mechanism that only one file needs stands
there, and ready ones by their lengths are in `kb.linkages`.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

import korba as kb

PLACES = ((0, 0), (0.2, 0.9), (1.6, 1.2), (2.0, 0))
"""Pins A, B, C and D of a four-bar that leans to the right."""


def four_bar(places=PLACES, body=None, **more):
    """Crank, coupler and rocker by their four pins, drawn where these are given.

    `body` has what all bodies have alike.
    """
    names = ("crank", "coupler", "rocker")
    ends = zip("ABCD", pairwise(("ground", *names, "ground")), places, strict=True)
    joints = [kb.Revolute(name, *pair, at=tuple(at)) for name, pair, at in ends]
    bodies = [kb.Body(name, **(body or {})) for name in names]
    return kb.Mechanism("four-bar", bodies, joints, plane="xy", **more)


def free_four_bar():
    """A loop that moves freely under its weight."""
    return replace(kb.linkages.four_bar(1, 3, 2.5, 3.2), drives=())


def turning_four_bar():
    """A turn of a crank-rocker in 61 positions."""
    return kb.motion(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), np.linspace(0.0, 1.0, 61))


def pendulum(**joint):
    """A rod on the pin A."""
    body = kb.Body("a", mass=1.0, com=(0.5, 0), inertia=0.1)
    joint = kb.Revolute("A", "ground", "a", at=(0, 0), **joint)
    return kb.Mechanism("pendulum", [body], [joint], plane="xy")


def two_links(mass=(2.0, 1.5), **more):
    """The planar arm of Example 4.9 with the spec's own numbers; the second angle is relative."""
    bodies = [
        kb.Body("1", mass[0], com=(0.25, 0), inertia=0.02 * bool(mass[0])),
        kb.Body("2", mass[1], com=(0.7, 0), inertia=0.015 * bool(mass[1])),
    ]
    joints = [
        kb.Revolute("A", "ground", "1", at=(0, 0)),
        kb.Revolute("B", "1", "2", at=(0.5, 0)),
    ]
    return kb.Mechanism("two links", bodies, joints, plane="xy", **more)
