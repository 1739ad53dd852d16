"""Forces laid over a picture: reactions, drives' efforts, loads, weights, friction circles.

A reaction is what the parent does to the child, at the joint; of a chosen body all that its joints
do to it. With friction the force through a pin is a line that touches its friction circle, of
radius h; without friction it goes through the middle, dashed. That of a guide is on the rim of a
cone, at the angle of friction phi to the normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...display import tidy
from ...forces.loads import actions_by_name
from ...kinematics.couplings import all_motion
from ...model.force import Push
from ...model.joint import Joint
from ...model.rubbing import pin_lever
from ...spatial.rotation import Array, cross
from ...trajectory.columns import units_of
from ...verbs.forces.reactions import reactions as reactions_of
from ...verbs.forces.results import Reactions
from ...wording import given, named
from ..schemes.scene import Attached, Mark, Note, attached
from .overlay import Part, Parts, Vector, View, arc, names_of, turning, world

CIRCLE = 0.024
"""Radius of the largest friction circle, in sizes of the picture, below which all are enlarged."""
SMALL = 1e-6
"""Beside the largest force times the picture's size: a moment that is not drawn."""


def reactions(view: View, chosen: Any) -> Parts:
    """Forces of the parents on the children in all joints, in chosen joints, or on a body."""
    forces, k = _reactions(view, chosen), 0
    if isinstance(chosen, Reactions):
        k, chosen = view.k, True
    bodies = [body.name for body in view.m.bodies]
    if isinstance(chosen, str) and chosen in bodies and chosen not in forces.joints:
        wrenches = forces.on(chosen)
    else:
        joints = [j for j in view.joints("reactions", chosen) if j in forces.joints]
        wrenches = {joint: forces[joint] for joint in joints}
    sizes = [float(np.abs(wrench.force[k]).max()) for wrench in wrenches.values()]
    small = SMALL * view.size * max(sizes, default=0.0)
    for name, wrench in wrenches.items():
        force, moment, place = wrench.force[k], wrench.moment[k], wrench.point[k]
        if view.scene.plane and not view.m.joint(name).lower_pair:
            place, moment = place + _to_its_line(force, moment), np.zeros(3)
        yield Vector("reaction", place, force, "N", f"F_{name}")
        own = view.scene.plane and view.m.joint(name).turns_only  # what drives it, no reaction
        if np.linalg.norm(moment) > max(small, 1e-12) and not own:
            yield from _moment(view, "reaction", place, moment, name)


def _to_its_line(force: Array, moment: Array) -> Array:
    """From a point to the line of a force that has this moment about it:  F x M / F^2."""
    return np.asarray(cross(force, moment) / max(float(force @ force), 1e-300))


def _moment(view: View, kind: str, place: Array, moment: Array, name: str) -> Parts:
    """A moment: an arc in the plane with its value, an arrow with two heads in space."""
    if view.scene.plane:
        yield turning(view, kind, place, moment[2], view.shown.told(moment[2], "N m", 3))
    else:
        yield Vector(f"{kind} moment", place, moment, "N m", f"M_{name}")


def driving(view: View, chosen: Any) -> Parts:
    """Efforts of the drives, with their values; those without a place in the picture in words."""
    forces, k = _reactions(view, chosen), view.k if isinstance(chosen, Reactions) else 0
    by_name = {drive.name: drive for drive in view.m.drives}
    for name, efforts in forces.driving.items():
        effort = float(tidy(efforts[k], forces.force[k].max() * view.size))
        drive = by_name.get(name)
        if effort and drive and drive.ends:
            a, b = (view.scene.place(Attached(body, attached(at))) for body, at in drive.ends)
            along = effort * (b - a) / np.linalg.norm(b - a)
            yield Vector("driving", b, along, "N", view.shown.told(effort, "N", 3))
        elif effort:
            yield _effort(view, "driving", name, drive.coordinate if drive else None, effort)


def _effort(view: View, kind: str, name: str, coordinate: str | None, value: float) -> Part:
    """A moment or force in a joint along its axis; in words where it has no one axis."""
    units = dict(zip(view.m.velocities, units_of(view.tree, "tau"), strict=True))
    told = view.shown.told(value, units.get(coordinate or "", "N or N m"), 3)
    joint = next((j for j in view.m.joints if j.name == coordinate), None)
    place = dict(view.scene.labels).get(coordinate or "")
    if joint is None or place is None:
        return Note(f"{name} {told}")
    text = told if kind == "driving" else f"{name} {told}"
    if joint.turns and view.scene.plane:
        return turning(view, kind, view.scene.place(place), value, text)
    vector = value * view.axis(joint)
    if joint.turns:
        return Vector(f"{kind} moment", view.scene.place(place), vector, "N m", text)
    return Vector(kind, view.scene.place(place), vector, "N", text)


def loads(view: View, chosen: Any) -> Parts:
    """Forces and moments of the mechanism's loads at this position, by their names."""
    motion = view.moving("loads")
    tree, t = view.tree, float(motion.t[view.k])
    x = all_motion(tree, motion.q[view.k], motion.v[view.k], motion.a[view.k])
    acting = actions_by_name(tree, x.q, x.v, t)
    for name in names_of("loads", chosen, acting):
        for action in acting[name]:
            if isinstance(action, Push):
                yield from _push(view, name, action)
            elif action.tau:
                yield _effort(view, "load", name, action.coordinate, float(action.tau))


def _push(view: View, name: str, push: Push) -> Parts:
    """A force at its point, and a moment on its body."""
    point = Attached(push.body, attached(push.at))
    X = view.scene.poses[0, view.scene.bodies.index(push.body)]
    R = X[:3, :3] if push.axes == "body" else np.eye(3)
    force, moment = (R @ np.asarray(f, dtype=float) for f in (push.force, push.moment))
    yield Vector("load", view.scene.place(point), force, "N", name)
    if moment.any():
        yield from _moment(view, "load", view.middle(push.body), moment, name)


def gravity(view: View, chosen: Any) -> Parts:
    """Weights of all bodies that have a mass, or of chosen ones, at their mass centres."""
    g = np.asarray(view.m.gravity, dtype=float)
    heavy = [b for b in view.m.bodies if b.mass and b.name in view.bodies("gravity", chosen)]
    for body in heavy if g.any() else ():
        place = view.scene.place(Attached(body.name, attached(body.com)))
        yield Mark("mass centre", (world(place),))
        yield Vector("weight", place, float(body.mass) * g, "N", f"G_{body.name}")


def friction(view: View, chosen: Any) -> Parts:
    """Friction circles, and the lines of the joints' forces with and without friction."""
    way = f"{named('reactions')} takes {given('reactions', friction=True)} and gives its moments"
    view.in_plane("friction circles", way)
    names = view.joints("friction", chosen)
    circles = {j.name: h for j in view.m.joints if j.name in names and (h := _lever(j))}
    guides = [j for j in view.m.joints if j.name in names and j.shifts_only and j.friction]
    if not circles and not guides:
        return
    forces = _reactions(view, True, friction=True)
    for guide in guides:
        yield from _cone(view, forces, guide)
    if guides:
        yield Note("friction cone of a guide: it slides where its force is on the rim", "cone")
    largest = max(circles.values(), default=1.0)
    times = max(1.0, float(np.ceil(CIRCLE * view.size / largest)))
    for name, h in circles.items():
        yield from _lines(view, forces, name, times)
        yield Mark("friction circle", arc(forces[name].point[0], times * h, 0.0, 2 * np.pi))
    if circles:
        more = f", {times:.0f} times as large" * (times > 1)
        yield Note(f"friction circle{more}", "friction circle")
    yield Note("force with friction", "action")
    yield Note("without friction", "smooth action")


def _cone(view: View, forces: Reactions, guide: Joint) -> Parts:
    """The cone of a guide's friction on the side of its force, and the line of this force."""
    data = guide.friction
    phi = float(np.arctan(data.coefficient)) if data is not None else 0.0
    u, place = view.axis(guide)[:2], forces[guide.name].point[0, :2]
    smooth = forces.frictionless
    pressed = (forces if smooth is None else smooth)[guide.name].force[0, :2]
    n = np.array([-u[1], u[0]])
    n = n if not float(pressed @ n) < 0 else -n
    reach = 0.16 * view.size
    for side in (-1.0, 1.0):
        ray = reach * (np.cos(phi) * n + side * np.sin(phi) * u)
        text = f"φ = {view.shown.told(phi, 'rad', 3)}" if side > 0 else ""
        yield Mark("cone", (world(place), world(place + ray)), text=text)
    for each, kind in ((smooth, "smooth action"), (forces, "action")):
        force = np.zeros(2) if each is None else each[guide.name].force[0, :2]
        size = float(np.hypot(*force))
        if 0 < size < np.inf:
            yield Mark(kind, (world(place), world(place + 1.2 * reach * force / size)))


def _lever(joint: Joint) -> float:
    """Radius of a pin's friction circle; of other joints 0."""
    data = joint.friction
    return pin_lever(data, data.coefficient) if joint.turns_only and data is not None else 0.0


def _lines(view: View, forces: Reactions, name: str, times: float) -> Iterator[Mark]:
    """The lines of a pin's force: dashed without friction, and with it beside the middle."""
    moment = float(forces.friction[name][0, 0])
    for each, kind in ((forces.frictionless, "smooth action"), (forces, "action")):
        if each is None:
            continue
        force, p = each[name].force[0, :2], each[name].point[0, :2]
        size = float(np.hypot(*force))
        if not 0 < size < np.inf:
            continue
        u = force / size
        arm = times * moment / size if each is forces else 0.0
        middle = p + arm * np.array([u[1], -u[0]])
        reach = 0.2 * view.size * u
        yield Mark(kind, (world(middle - reach), world(middle + reach)))


def _reactions(view: View, chosen: Any, *, friction: bool = False) -> Reactions:
    """Those that were given, or those of the position shown."""
    if isinstance(chosen, Reactions):
        return chosen.in_world()
    motion, k = view.moving("friction" if friction else "reactions"), view.k
    q, v, a = (x[k][None] for x in (motion.q, motion.v, motion.a))
    return reactions_of(view.m, q, v, a, t=motion.t[k], friction=friction)
