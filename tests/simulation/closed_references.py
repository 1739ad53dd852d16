"""Mechanisms with loops whose motion is published, from the data of their reference files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import korba as kb

FILES = Path(__file__).parent / "reference"
FORCES = Path(__file__).parents[1] / "forces" / "reference"


def reference(name):
    """Data, states and results of a reference file."""
    folder = FILES if (FILES / f"{name}.json").exists() else FORCES
    file = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return file["data"], file["states"], file["results"]


def rod(name, P, Q, mass=1.0):
    """A uniform thin rod in the plane from P to Q."""
    P, Q = np.array(P, dtype=float), np.array(Q, dtype=float)
    return kb.Body(name, mass, tuple((P + Q) / 2), mass * np.sum((Q - P) ** 2) / 12)


def pins(*rows):
    """Revolute joints from rows of name, parent, child and place."""
    return [kb.Revolute(name, parent, child, at=tuple(p)) for name, parent, child, p in rows]


def double_four_bar():
    """Case P1: three cranks and two couplers of 1 m, drawn upright."""
    feet, tips = [(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 1), (2, 1)]
    bodies = [rod(f"crank{i}", feet[i], tips[i]) for i in range(3)]
    bodies += [rod(f"coupler{i}", tips[i], tips[i + 1]) for i in range(2)]
    joints = pins(
        *((f"A{i}", "ground", f"crank{i}", feet[i]) for i in range(3)),
        ("B0", "crank0", "coupler0", tips[0]),
        ("B1", "crank1", "coupler0", tips[1]),
        ("B1b", "crank1", "coupler1", tips[1]),
        ("B2", "crank2", "coupler1", tips[2]),
    )
    return kb.Mechanism("double four-bar", bodies, joints, plane="xy")


def bricard():
    """Case P2: five rods on the edges of a cube."""
    data, _, _ = reference("p2_bricard")
    points, own = np.array(data["points"]), data["rod"]
    bodies = []
    for k in range(5):
        along = np.abs(points[k + 1] - points[k])
        moments = np.where(along > 0, own["I"][0], own["I"][1])
        bodies.append(
            kb.Body(f"rod{k}", own["m"], tuple(points[k : k + 2].mean(0)), np.diag(moments))
        )
    ends = ["ground", *(body.name for body in bodies), "ground"]
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    joints = [
        kb.Revolute(f"P{i}", ends[i], ends[i + 1], at=tuple(points[i]), axis=axes[axis])
        for i, axis in enumerate(data["axes"])
    ]
    return kb.Mechanism("Bricard", bodies, joints, gravity=(0, -data["g"], 0))


def governor():
    """Case P3: shaft, slider, two rods with balls hinged on the shaft, stiff spring-dampers."""
    rod, ball, across = 0.3, 5.0, 0.0250025
    mass = rod + ball
    com = (0.5 * rod + ball) / mass
    inertia = across + rod * (com - 0.5) ** 2 + ball * (1 - com) ** 2
    bodies = [
        kb.Body("shaft", 0.3, com=(0, 0, 0.5), inertia=(across, across, 5e-6)),
        kb.Body("slider", 3.0, com=(0, 0, 0.5), inertia=(0.005,) * 3),
    ]
    joints = [
        kb.Revolute("shaft", "ground", "shaft", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Prismatic("s", "shaft", "slider", at=(0, 0, 0.5), axis=(0, 0, 1)),
    ]
    forces = []
    for name, side in (("right", 1.0), ("left", -1.0)):
        along = np.array([side * np.cos(np.pi / 6), 0, -0.5])
        hinge = np.array([side * 0.05, 0, 1.0])
        own = inertia * np.eye(3) + (5e-6 - inertia) * np.outer(along, along)
        bodies.append(kb.Body(name, mass, com=tuple(hinge + com * along), inertia=own.tolist()))
        joints.append(kb.Revolute(name, "shaft", name, at=tuple(hinge), axis=(0, 1, 0)))
        ends = ("slider", (side * 0.05, 0, 0.5), name, tuple(hinge + 0.5 * along))
        forces.append(
            kb.Spring(f"{name} spring", *ends, stiffness=8e5, damping=4e4, free_length=0.5)
        )
    return kb.Mechanism("governor", bodies, joints, forces=forces)


def andrews():
    """Case P4: the squeezing mechanism, as it starts."""
    d, _, results = reference("p4_andrews")
    beta, theta, gamma, phi, delta, omega, epsilon = results["angles"][0]
    angles = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    centre, A, B = np.zeros(2), np.array(d["A"]), np.array(d["B"])
    F = turned(beta, (d["rr"], 0))
    E = F + turned(beta + theta, (-d["d"], 0))
    G = A + turned(delta, (d["zt"], 0))
    H = A + turned(epsilon, (0, -d["u"]))
    origins = [centre, F, B, G, A, H, A]
    com = [d["centres_of_mass"][f"K{i}"] for i in range(1, 8)]
    bodies = [
        kb.Body(f"K{i + 1}", d["m"][i], com[i], d["I"][i], frame=kb.Frame((*p, 0), float(angle)))
        for i, (p, angle) in enumerate(zip(origins, angles, strict=True))
    ]
    joints = pins(
        ("O", "ground", "K1", centre),
        ("F", "K1", "K2", F),
        ("B", "ground", "K3", B),
        ("A5", "ground", "K5", A),
        ("A7", "ground", "K7", A),
        ("G", "K5", "K4", G),
        ("H", "K7", "K6", H),
        ("E3", "K2", "K3", E),
        ("E4", "K2", "K4", E),
        ("E6", "K2", "K6", E),
    )
    spring = kb.Spring(
        *("spring", "ground", (*d["C"], 0), "K3", (d["sd"], -d["sc"], 0)),
        stiffness=d["spring"]["c0"],
        free_length=d["spring"]["l0"],
    )
    loads = [spring, kb.Moment("torque", "K1", (0, 0, d["torque"]))]
    return kb.Mechanism("Andrews", bodies, joints, forces=loads, plane="xy", gravity=(0, 0, 0))


def turned(angle, p):
    """A vector turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])


def spatial_slider_crank():
    """Case P5: crank angle A, slider C."""
    d, _, _ = reference("p5_spatial_slider_crank")
    A = np.array(d["A"])
    B, C = A + np.array([0, 0, d["AB"]]), np.array([0.2, 0, 0])
    x = (C - B) / np.linalg.norm(C - B)
    y = np.cross((1, 0, 0), x)
    y = y / np.linalg.norm(y)
    across = d["rod"]["I"][1]
    moments = across * np.eye(3) + (d["rod"]["I"][0] - across) * np.outer(x, x)
    bodies = [
        kb.Body("crank", d["crank"]["m"], tuple(A), np.diag(d["crank"]["I"])),
        kb.Body("rod", d["rod"]["m"], tuple((B + C) / 2), moments),
        kb.Body("slider", d["slider"]["m"], tuple(C)),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(A), axis=(1, 0, 0)),
        kb.Spherical("B", "crank", "rod", at=tuple(B)),
        kb.Universal("U", "slider", "rod", at=tuple(C), axis=(1, 0, 0), x_axis=tuple(y)),
        kb.Prismatic("C", "ground", "slider", at=tuple(C), axis=(1, 0, 0)),
    ]
    return kb.Mechanism("spatial slider-crank", bodies, joints, gravity=(0, 0, -d["g"]))


def three_cranks():
    """Case P8 without force and drive, at the angle where its free motion starts."""
    d, _, results = reference("p8_three_cranks")
    start = results["free_motion"]["values"][0][0]
    arm = turned(start, (d["crank_length"], 0))
    crank, coupler = d["crank"], d["coupler"]
    feet = np.array(d["A"])
    bodies = [
        kb.Body(f"c{i}", crank["m"], crank["com"], crank["I"], frame=kb.Frame((*p, 0), start))
        for i, p in enumerate(feet)
    ]
    frame = kb.Frame((*arm, 0))
    bodies.append(kb.Body("coupler", coupler["m"], coupler["com"], coupler["I"], frame=frame))
    joints = pins(*((f"A{i}", "ground", f"c{i}", p) for i, p in enumerate(feet)))
    joints += pins(*((f"B{i}", f"c{i}", "coupler", p + arm) for i, p in enumerate(feet)))
    return kb.Mechanism("three cranks", bodies, joints, plane="xy")


def free_four_bar():
    """Case P10 at its start."""
    d, _, results = reference("p10_fourbar_free")
    lengths = d["lengths"]
    A, B, C, D = (0, 0), (lengths["crank"], 0), results["C"][0], (lengths["base"], 0)
    rho = d["mass_per_length"]
    ends = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    bodies = [rod(name, *pair, rho * lengths[name]) for name, pair in ends.items()]
    joints = pins(
        ("A", "ground", "crank", A),
        ("B", "crank", "coupler", B),
        ("C", "coupler", "rocker", C),
        ("D", "ground", "rocker", D),
    )
    return kb.Mechanism("free four-bar", bodies, joints, plane="xy")


def rssr():
    """Case P11 at its start; the torque is that of the file."""
    d, _, results = reference("p11_rssr")
    f, _, p, *_ = results["values"][0]
    crank, rocker = d["crank"], d["rocker"]
    u = np.array([np.cos(f), np.sin(f), 0])
    w = np.array([np.sin(p), 0, np.cos(p)])
    D = np.array(rocker["D"])
    B, C = crank["length"] * u, D + rocker["length"] * w
    n = (C - B) / np.linalg.norm(C - B)
    across, along = d["coupler"]["I_across"], d["coupler"]["I_along"]
    bodies = [
        kb.Body("crank", crank["m"], tuple(crank["com"] * u), moments(crank["I"], u, (0, 0, 1))),
        kb.Body(
            *("rod", d["coupler"]["m"], tuple((B + C) / 2)),
            across * np.eye(3) + (along - across) * np.outer(n, n),
        ),
        kb.Body(
            *("rocker", rocker["m"], tuple(D + rocker["com"] * w)),
            moments(rocker["I"], w, rocker["axis"]),
        ),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Spherical("B", "crank", "rod", at=tuple(B)),
        kb.Spherical("C", "rod", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D), axis=tuple(rocker["axis"])),
    ]
    torque = kb.Moment("torque", "crank", (0, 0, d["torque"]))
    return kb.Mechanism("rssr", bodies, joints, forces=[torque], gravity=(0, 0, -d["g"]))


def moments(own, x, z):
    """Moments of inertia about x, y, z of a link, in the world's axes."""
    R = np.array([x, np.cross(z, x), z]).T
    return R @ np.diag(own) @ R.T
