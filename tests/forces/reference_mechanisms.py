"""Mechanisms with published forces, from the data of their reference files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import korba as kb

FILES = Path(__file__).parent / "reference"


def reference(name):
    """Data, states and results of a reference file."""
    file = json.loads((FILES / f"{name}.json").read_text(encoding="utf-8"))
    return file["data"], file["states"], file["results"]


def turned(origin, angle):
    """A frame in the plane."""
    return kb.Frame((*origin, 0), float(angle))


def link(name, data, origin, angle):
    """A body with mass in a frame of its own."""
    frame = turned(origin, angle)
    return kb.Body(name, data["m"], (*data["com"], 0), data["I"], frame=frame)


def pins(*rows):
    """Revolute joints from rows of name, parent, child and place."""
    return [kb.Revolute(name, parent, child, at=(*p, 0)) for name, parent, child, p in rows]


def angle(u):
    """Direction of a vector."""
    return np.arctan2(u[1], u[0])


def left(P, p, Q, q):
    """The point at distances p and q from P and Q, to the left of the way from P to Q."""
    along = (Q - P) / np.hypot(*(Q - P))
    x = (np.hypot(*(Q - P)) + (p * p - q * q) / np.hypot(*(Q - P))) / 2
    return P + x * along + np.sqrt(p * p - x * x) * np.array([-along[1], along[0]])


def driven(start, speed, acceleration=0.0):
    """The law of a drive that has the given state at t = 0."""
    return f"{start!r} + {speed!r}*t + {acceleration / 2!r}*t^2"


def engine(friction=False):
    """The engine of case P6; its crank coordinate is the crank angle."""
    data, _, _ = reference("p6_engine_kinetostatics")
    r, rod, y = data["crank_radius"], data["rod_length"], data["cylinder_axis_y"]
    A, B = np.zeros(2), np.array([r, 0.0])
    C = np.array([r + np.sqrt(rod**2 - y**2), y])
    rough = {name: {} for name in ("A", "B", "C", "guide")}
    if friction:
        for name, (radius, mu) in data["friction"]["pins"].items():
            rough[name] = {"friction": kb.Friction(coefficient=mu, radius=radius)}
        guide = data["friction"]["guide"]
        own = kb.Friction(coefficient=guide["mu"], half_height=guide["b"])
        rough["guide"] = {"friction": own, "guide_length": guide["l_o"]}
    places = {"A": ("ground", "crank", A), "B": ("crank", "rod", B), "C": ("rod", "piston", C)}
    joints = [
        kb.Revolute(name, parent, child, at=(*p, 0), **rough[name])
        for name, (parent, child, p) in places.items()
    ]
    joints.append(
        kb.Prismatic("guide", "ground", "piston", at=(*C, 0), axis=(1, 0, 0), **rough["guide"])
    )
    bodies = [
        link("crank", data["crank"], A, 0.0),
        link("rod", data["rod"], B, angle(C - B)),
        link("piston", data["piston"], C, 0.0),
    ]
    gas = "-(500 N + 6000 N*exp(4*(cos(A - 0.35) - 1)))"
    push = kb.PointForce("gas", "piston", (gas, 0, 0))
    return kb.Mechanism(
        "engine",
        bodies,
        joints,
        drives=[kb.JointDrive("drive", "A", driven(0.0, data["speed"]))],
        forces=[push],
        plane="xy",
    )


def six_bar(crank, speed, acceleration):
    """The six-bar of case P7 with its crank at an angle."""
    data, _, _ = reference("p7_sixbar_inverse")
    A, D, G = (np.array(data[name]) for name in "ADG")
    B = A + data["AB"] * np.array([np.cos(crank), np.sin(crank)])
    C = left(B, data["BC"], D, data["DC"])
    E = turned(B, angle(C - B)).pose().point(np.array([*data["E_in_coupler"], 0]))[:2]
    F = left(E, data["EF"], G, data["GF"])
    ends = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C), "link4": (E, F), "link5": (G, F)}
    bodies = [link(name, data[name], p, angle(q - p)) for name, (p, q) in ends.items()]
    spring, force = data["spring"], data["force"]
    loads = [
        kb.Spring(
            "spring",
            "ground",
            (*spring["base_point"], 0),
            "link5",
            (*spring["link_point"], 0),
            stiffness=spring["k"],
            free_length=spring["l0"],
            damping=spring["c"],
        ),
        kb.PointForce("push", "link4", (*force["F"], 0), (*force["point"], 0)),
        kb.Moment("moment", "rocker", (0, 0, data["moment"]["M"])),
    ]
    joints = pins(
        ("A", "ground", "crank", A),
        ("B", "crank", "coupler", B),
        ("C", "coupler", "rocker", C),
        ("D", "ground", "rocker", D),
        ("E", "coupler", "link4", E),
        ("F", "link4", "link5", F),
        ("G", "ground", "link5", G),
    )
    drive = kb.JointDrive("drive", "A", driven(0.0, speed, acceleration))
    return kb.Mechanism("six-bar", bodies, joints, drives=[drive], forces=loads, plane="xy")


def three_cranks(crank, speed, acceleration):
    """The over-constrained parallelogram of case P8 with its cranks at an angle."""
    data, _, _ = reference("p8_three_cranks")
    arm = data["crank_length"] * np.array([np.cos(crank), np.sin(crank)])
    places = {str(i): np.array(p) for i, p in enumerate(data["A"], start=1)}
    bodies = [link(f"crank{i}", data["crank"], p, crank) for i, p in places.items()]
    bodies.append(link("coupler", data["coupler"], arm, 0.0))
    joints = pins(*((f"A{i}", "ground", f"crank{i}", p) for i, p in places.items()))
    joints += pins(*((f"B{i}", f"crank{i}", "coupler", p + arm) for i, p in places.items()))
    force = data["force"]
    push = kb.PointForce("push", "coupler", (*force["F"], 0), (*force["point"], 0))
    drive = kb.JointDrive("drive", "A1", driven(0.0, speed, acceleration))
    return kb.Mechanism("three cranks", bodies, joints, drives=[drive], forces=[push], plane="xy")


def rssr():
    """The RSSR of case P11 at its start, without a drive; the coordinates are 0 there."""
    data, _, results = reference("p11_rssr")
    crank, rocker = results["values"][0][0], results["values"][0][2]
    D = np.array(data["rocker"]["D"])
    B = data["crank"]["length"] * np.array([np.cos(crank), np.sin(crank), 0])
    C = D + data["rocker"]["length"] * np.array([np.sin(rocker), 0, np.cos(rocker)])
    x = (C - B) / data["coupler"]["length"]
    rod = data["coupler"]
    inertia = rod["I_across"] * np.eye(3) + (rod["I_along"] - rod["I_across"]) * np.outer(x, x)
    arms = {"crank": (np.zeros(3), B, (0, 0, 1)), "rocker": (D, C, (0, 1, 0))}
    bodies = [kb.Body("coupler", rod["m"], tuple((B + C) / 2), inertia.tolist())]
    for name, (p, tip, axis) in arms.items():
        own = data[name]
        u = (tip - p) / np.linalg.norm(tip - p)
        R = np.array([u, np.cross(axis, u), axis]).T
        com = tuple(p + own["com"] * u)
        bodies.append(kb.Body(name, own["m"], com, (R * own["I"] @ R.T).tolist()))
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Spherical("B", "crank", "coupler", at=tuple(B)),
        kb.Spherical("C", "coupler", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D), axis=(0, 1, 0)),
    ]
    torque = kb.JointForce("torque", "A", law=str(data["torque"]))
    return kb.Mechanism("RSSR", bodies, joints, forces=[torque])
