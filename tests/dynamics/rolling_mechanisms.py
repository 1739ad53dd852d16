"""Mechanisms that roll, of the reference solutions in `rolling/`: discs, carts, boards, a bicycle.

The solutions were computed apart from the library: closed forms, Newton and Euler's equations with
multipliers, Lagrange's by automatic differentiation. `description` in each file says the rest.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

HERE = Path(__file__).parent / "rolling"
UP, AHEAD = (0, 0, 1), (1, 0, 0)


def reference(name: str) -> dict[str, Any]:
    """One of the files."""
    return dict(json.loads((HERE / f"{name}.json").read_text()))


def wheel(name: str, body: str, at: Any, radius: float, **more: Any) -> kb.RollingWheel:
    """A wheel on the ground, which heads along x."""
    return kb.RollingWheel(
        name, "ground", body, at=at, axis=UP, x_axis=AHEAD, radius=radius, **more
    )


def disc(d: dict[str, Any]) -> kb.Mechanism:
    """R2: a thin disc, upright in the drawing."""
    body = kb.Body("disc", d["m"], (0, 0, d["R"]), np.diag([d["A"], d["C"], d["A"]]))
    return kb.Mechanism("disc", [body], [wheel("W", "disc", (0, 0, 0), d["R"])])


def sleigh(d: dict[str, Any]) -> kb.Mechanism:
    """R3: a body on a knife edge."""
    body = kb.Body("sleigh", d["m"], (d["a"], 0), d["I"])
    edge = kb.KnifeEdge("A", "ground", "sleigh", at=(0, 0))
    return kb.Mechanism("sleigh", [body], [edge], plane="xy", gravity=(0, 0, 0))


def cart(d: dict[str, Any], case: str) -> kb.Mechanism:
    """R4: a platform that stays level, on two wheels."""
    p, w, b = d["platform"], d["wheel"], d["wheel"]["b"]
    inertia = np.diag([w["I_vertical"], w["I_axle"], w["I_vertical"]])
    bodies = [kb.Body("platform", p["m"], (d[case]["d"], 0, w["R"]), np.eye(3) * p["I"])]
    joints: list[kb.Joint] = [kb.Planar("P", "ground", "platform", at=(0, 0, 0), axis=UP)]
    forces = []
    for side, y, rolling in (("R", -b, kb.RollingWheel), ("L", b, kb.OmniWheel)):
        bodies.append(kb.Body(side, w["m"], (0, y, w["R"]), inertia))
        joints += [
            kb.Revolute(f"axle {side}", "platform", side, at=(0, y, w["R"]), axis=(0, 1, 0)),
            rolling(f"contact {side}", "ground", side, at=(0, y, 0), radius=w["R"], axis=UP),
        ]
        law = str(d[case][f"tau_{side}"]).replace(" t)", "*t)")
        forces.append(kb.JointForce(f"motor {side}", f"axle {side}", law=_formula(law)))
    return kb.Mechanism("cart", bodies, joints, forces=forces)


def _formula(law: str) -> str:
    """`0.2 + 0.4 sin(3*t)` with its products written out."""
    return law.replace(" cos", "*cos").replace("4 sin", "4*sin").replace("2 sin", "2*sin")


def snakeboard(d: dict[str, Any]) -> kb.Mechanism:
    """R5: a board with a rotor, steered by its two wheelsets."""
    board, rotor, wheels, x = d["board"], d["rotor"], d["wheelset"], d["l"]
    bodies = [
        kb.Body("board", board["m"], (0, 0), board["I"]),
        kb.Body("rotor", rotor["m"], (0, 0), rotor["I"]),
        kb.Body("front", wheels["m"], (x, 0), wheels["I"]),
        kb.Body("rear", wheels["m"], (-x, 0), wheels["I"]),
    ]
    joints = [
        kb.Planar("B", "ground", "board", at=(0, 0)),
        kb.Revolute("psi", "board", "rotor", at=(0, 0)),
        kb.Revolute("phi", "board", "front", at=(x, 0)),
        kb.Revolute("back", "board", "rear", at=(-x, 0)),
        kb.KnifeEdge("front edge", "ground", "front", at=(x, 0)),
        kb.KnifeEdge("rear edge", "ground", "rear", at=(-x, 0)),
    ]
    steer = "0.5 rad*sin(3*t + 0.4)"
    drives = [
        kb.JointDrive("rotor turns", "psi", position="0.7 rad*sin(3*t)"),
        kb.JointDrive("front steers", "phi", position=steer),
        kb.JointDrive("rear steers", "back", position=f"-{steer}"),
    ]
    return kb.Mechanism("snakeboard", bodies, joints, drives=drives, plane="xy", gravity=(0, 0, 0))


def axle(d: dict[str, Any]) -> kb.Mechanism:
    """R6: an axle with two wheels on a slope."""
    a, w, b, g = d["axle"], d["wheel"], d["b"], d["g"]
    inertia = np.diag([w["I_across"], w["I_axle"], w["I_across"]])
    bodies = [kb.Body("axle", a["m"], (0, 0, w["R"]), np.eye(3) * a["I"])]
    joints: list[kb.Joint] = [kb.Planar("P", "ground", "axle", at=(0, 0, 0), axis=UP)]
    for side, y, rolling in (("right", -b, kb.RollingWheel), ("left", b, kb.OmniWheel)):
        bodies.append(kb.Body(side, w["m"], (0, y, w["R"]), inertia))
        joints += [
            kb.Revolute(f"pin {side}", "axle", side, at=(0, y, w["R"]), axis=(0, 1, 0)),
            rolling(f"contact {side}", "ground", side, at=(0, y, 0), radius=w["R"], axis=UP),
        ]
    down = (g * np.sin(d["slope"]), 0, -g * np.cos(d["slope"]))
    return kb.Mechanism("axle", bodies, joints, gravity=down)


def turntable(d: dict[str, Any]) -> kb.Mechanism:
    """R7: a ball on a table that turns."""
    bodies = [
        kb.Body("table", 1, (0, 0, 0), np.eye(3)),
        kb.Body("ball", d["m"], (0, 0, d["r"]), d["I"] * np.eye(3)),
    ]
    joints = [
        kb.Revolute("T", "ground", "table", at=(0, 0, 0), axis=UP),
        kb.RollingBall("B", "table", "ball", at=(0, 0, 0), axis=UP, x_axis=AHEAD, radius=d["r"]),
    ]
    turns = kb.JointDrive("turns", "T", position=f"{d['Om']} rad/s*t")
    down = (d["g"] * np.sin(d["tilt"]), 0, -d["g"] * np.cos(d["tilt"]))
    return kb.Mechanism("turntable", bodies, joints, drives=[turns], gravity=down)


def bicycle(d: dict[str, Any]) -> kb.Mechanism:
    """R1, with x ahead and z up: the benchmark's y and z are turned round."""

    def here(x: float, z: float) -> tuple[float, float, float]:
        return x, 0.0, -z

    def inertia(name: str) -> np.ndarray:
        xx, zz = d[f"I{name}xx"], d.get(f"I{name}zz", d[f"I{name}xx"])
        xz = -d.get(f"I{name}xz", 0.0)
        return np.array([[xx, 0, xz], [0, d[f"I{name}yy"], 0], [xz, 0, zz]])

    w, c, lam, back, front = d["w"], d["c"], d["lam"], (0, -d["rR"]), (d["w"], -d["rF"])
    bodies = [
        kb.Body("rear", d["mR"], here(*back), inertia("R")),
        kb.Body("frame", d["mB"], here(d["xB"], d["zB"]), inertia("B")),
        kb.Body("fork", d["mH"], here(d["xH"], d["zH"]), inertia("H")),
        kb.Body("front", d["mF"], here(*front), inertia("F")),
    ]
    joints = [
        wheel("R", "rear", (0, 0, 0), d["rR"]),
        kb.Revolute("rear axle", "rear", "frame", at=here(*back), axis=(0, -1, 0)),
        kb.Revolute(
            "steer", "frame", "fork", at=here(w + c, 0), axis=here(np.sin(lam), np.cos(lam))
        ),
        kb.Revolute("front axle", "fork", "front", at=here(*front), axis=(0, 1, 0)),
        wheel("F", "front", here(w, 0), d["rF"]),
    ]
    return kb.Mechanism("bicycle", bodies, joints)
