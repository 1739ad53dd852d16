"""Random mechanisms with friction in all joints; every kind that rubs is in one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from loaded_linkages import heavy

import korba as kb

DISC = "0.02*cos({0}) + sqrt(0.05^2 - 0.02^2*sin({0})^2)"
ELLIPSE = "0.12/(1 + 0.5*cos({0}))"


def near(rng, *p):
    """A place near another."""
    return np.array(p) + rng.uniform(-0.05, 0.05, len(p))


def four_bar(rng, plane="xy"):
    """Four pins; in space all axes are parallel, so that three constraints are passive."""
    B, C = near(rng, 0.25, 0.25), near(rng, 1.0, 0.9)
    more = {} if plane else {"axis": (0, 0, 1), "guide_length": 0.1}
    at = [(0, 0, 0), (*B, 0), (*C, 0), (1.0, 0, 0)]
    ends = [("ground", "one"), ("one", "two"), ("two", "three"), ("ground", "three")]
    joints = [kb.Revolute(n, *e, at=p, **more) for n, e, p in zip("ABCD", ends, at, strict=True)]
    return joints, plane


def slider_crank(rng):
    """A crank, a rod, and a slide on a slanted line."""
    joints, plane = four_bar(rng)
    way = {"axis": (np.cos(0.3), np.sin(0.3), 0), "guide_length": 0.2, "damping": 2.0}
    return [*joints[:3], kb.Prismatic("D", "ground", "three", at=joints[2].at, **way)], plane


def yoke(rng):
    """A pin of a crank in the slot of a rocker."""
    B = near(rng, 0.3, 0.2)
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.PinInSlot("B", "two", "one", at=B, axis=B - (-0.4, -0.1)),
        kb.Revolute("C", "ground", "two", at=(-0.4, -0.1)),
    ], "xy"


def curved_yoke(rng):
    """A pin of a crank in a bent slot of a slide."""
    B = near(rng, 0.3, 0.2)
    ends = {"lower": (-1, -7), "upper": (1, 7)}
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.CurvedSlot("B", "two", "one", at=B, x="0.3*s^2", y="s", **ends),
        kb.Prismatic("C", "ground", "two", at=(0.6, 0), axis=(1, 0.1), guide_length=0.2),
    ], "xy"


def rssr(rng, ball=True):
    """Two balls, the rod of which spins, or a universal joint in place of one."""
    far = tuple(near(rng, 1.0, 0.9, 0.4))
    cross = {"axis": (0, 0, 1), "x_axis": (1, 0, 0), "guide_length": 0.05}
    cross = kb.Universal("C", "two", "three", at=far, **cross)
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0, 0), axis=(0.1, 0, 1)),
        kb.Spherical("B", "one", "two", at=tuple(near(rng, 0.3, 0.0, 0.0))),
        kb.Spherical("C", "two", "three", at=far) if ball else cross,
        kb.Revolute("D", "ground", "three", at=tuple(near(rng, 1, 0, 0)), axis=(0.2, 1, 0.1)),
    ], None


def ball_on_a_line(rng):
    """A crank's ball in a cylinder of a body that slides and turns on another."""
    B = near(rng, 0.3, 0.1, 0.0)
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0, 0), axis=(0.1, 0, 1)),
        kb.PointOnLine("B", "two", "one", at=tuple(B), axis=tuple(near(rng, 0, 1, 0.3))),
        kb.Cylindrical("C", "ground", "two", at=(0.3, 0.4, 0), axis=(1, 0.2, 0), guide_length=0.3),
    ], None


def ball_on_a_plane(rng):
    """A crank's ball on the face of a slide."""
    B = near(rng, 0.3, 0.1, 0.0)
    slide = {"at": (0.4, 0, 0), "axis": (1, 0.1, 0.2), "guide_length": 0.2}
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0, 0), axis=(0.1, 0, 1)),
        kb.PointOnPlane("B", "two", "one", at=tuple(B), axis=tuple(near(rng, 1, 0.1, 0.2))),
        kb.Prismatic("C", "ground", "two", **slide),
    ], None


def screw_and_plate(rng):
    """A nut on a screw, and a plate on a face of the nut, moved by drives."""
    top = tuple(near(rng, 0.1, 0.0, 0.2))
    return [
        kb.Screw("A", "ground", "one", at=(0, 0, 0), axis=(0.1, 0, 1), lead=0.02, guide_length=0.1),
        kb.Planar("B", "one", "two", at=top, axis=tuple(near(rng, 0.1, 0.2, 1)), x_axis=(1, 0, 0)),
    ], None


def cam(rng, flat=False):
    """A disc about a point beside its middle and a follower on the y axis."""
    y = 0.05 if flat else np.sqrt(0.06**2 - 0.02**2)
    touch = np.array([0.02, 0.0]) + 0.05 / 0.06 * np.array([-0.02, y])
    own = {"at": (0, 0), "profile": DISC.format("beta")}
    beta = np.arctan2(*touch[::-1])
    roller = kb.CamRoller("C", "one", "two", radius=0.01, drawn=(beta, 0), **own)
    face = kb.CamFlat("C", "one", "two", drawn=(np.arctan2(0.05, 0.02), -0.02), **own)
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Prismatic("B", "ground", "two", at=(0, y), axis=(0, 1), guide_length=0.1),
        face if flat else roller,
    ], "xy"


def curves(rng, roll=False):
    """Two discs or ellipses on shafts."""
    form = ELLIPSE if roll else DISC
    both = {"profile": form.format("beta"), "child_profile": form.format("gamma"), "at": (0, 0)}
    pair = kb.CurveContact("K", "one", "two", drawn=(0.3, 2.5), **both)
    if roll:
        pair = kb.CurveRolling("K", "one", "two", phase="180 deg", drawn=(0.4,), **both)
    shaft = pair.pose(pair.drawn).p
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        pair,
        kb.Revolute("D", "ground", "two", at=tuple(shaft)),
    ], "xy"


def wheels(rng):
    """A wheel, a wheel on it and a rack."""
    a, b = rng.uniform(0.1, 0.3, 2)
    sizes = {"parent_radius": a, "child_radius": b, "pressure_angle": "20 deg"}
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("B", "ground", "two", at=(a + b, 0)),
        kb.GearMesh("C", "one", "two", at=(a, 0), x_axis=(1, 0), **sizes),
        kb.Prismatic("D", "ground", "three", at=(a + b, -b), axis=(1, 0), guide_length=0.2),
        kb.GearRack("E", "three", "two", at=(a + b, -b), x_axis=(0, 1), radius=b),
    ], "xy"


def wheels_in_space(rng, crowned=True):
    """Two wheels with crowned or straight teeth."""
    a, b = rng.uniform(0.1, 0.3, 2)
    teeth = kb.GearPointContact if crowned else kb.GearLineContact
    sizes = {"parent_radius": a, "child_radius": b, "pressure_angle": "20 deg"}
    place = {"at": (a, 0, 0), "x_axis": (1, 0, 0), "axis": (0, 0, 1)}
    shaft = {"axis": (0, 0, 1), "guide_length": 0.1}
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0, 0), **shaft),
        kb.Revolute("B", "ground", "two", at=(a + b, 0, 0), **shaft),
        teeth("C", "one", "two", **place, **sizes),
    ], None


def bevels(rng):
    """Two cones that roll on each other."""
    a, b = rng.uniform(0.1, 0.3, 2)
    place = {"at": (0, 0, 0), "axis": (0, 0, 1), "x_axis": (1, 0, 0)}
    return [
        kb.Revolute("A", "ground", "one", at=(0, 0, 1), axis=(0, 0, 1), guide_length=0.1),
        kb.Revolute("B", "ground", "two", at=(1, 0, 0), axis=(1, 0, 0), guide_length=0.1),
        kb.GearBevel("C", "one", "two", parent_radius=a, child_radius=b, **place),
    ], None


KINDS = {
    "four-bar": four_bar,
    "four-bar in space": lambda rng: four_bar(rng, None),
    "slider-crank": slider_crank,
    "yoke": yoke,
    "bent yoke": curved_yoke,
    "rssr": rssr,
    "rsur": lambda rng: rssr(rng, ball=False),
    "ball on a line": ball_on_a_line,
    "ball on a plane": ball_on_a_plane,
    "screw and plate": screw_and_plate,
    "cam and roller": cam,
    "cam and face": lambda rng: cam(rng, flat=True),
    "cam on cam": curves,
    "ellipses": lambda rng: curves(rng, roll=True),
    "wheels and rack": wheels,
    "crowned teeth": wheels_in_space,
    "straight teeth": lambda rng: wheels_in_space(rng, crowned=False),
    "bevels": bevels,
}


def rough(joint, mu, radius):
    """A joint with data of friction that its law reads."""
    own = {
        "coefficient": mu,
        "radius": radius,
        "half_height": radius,
        "static": 1.3 * mu,
        "stribeck_velocity": 0.1,
        "rolling": mu * radius,
        "efficiency": 1.0 / (1.0 + mu),
    }
    reads = joint.rubs.reads
    own = {key: value for key, value in own.items() if key in reads}
    return replace(joint, friction=kb.Friction(**own))


def mechanism(kind, seed, mu=0.0):
    """A random mechanism under force and weight, one body driven, or every freedom of a tree."""
    rng = np.random.default_rng([seed, len(kind)])
    joints, plane = KINDS[kind](rng)
    ends = {body for joint in joints for body in (joint.parent, joint.child)}
    names = sorted(ends - {"ground"})
    if mu:
        joints = [rough(joint, mu, 0.01) for joint in joints]
    push = ("3 + 2*sin(5*t)", -4, 0 if plane else 2)
    drives = [kb.JointDrive("drive", "A", "0.4*t + 0.6*t^2")]
    if kind == "screw and plate":
        rest = {"B.x": "0.1*t^2 + 0.2*t", "B.y": "0.3*t", "B.angle": "t^2 + 2*t"}
        drives += [kb.JointDrive(name, name, law) for name, law in rest.items()]
    return kb.Mechanism(
        kind,
        [heavy(name, rng, plane) for name in names],
        joints,
        drives=drives,
        forces=[kb.PointForce("push", names[-1], push, (0.1, 0.3, 0))],
        plane=plane,
    )
