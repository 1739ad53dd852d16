"""The mechanisms of the reference files of Meghdari & Fahimi: robots with elastic joints."""

from __future__ import annotations

import numpy as np

import korba as kb
from korba.spatial.pose import rotation, translation
from korba.spatial.rotation import rotation_x, rotation_z


def planar_chain(model, damping=0.0):
    """Links end to end; rotor i turns by an absolute angle, its drive acts from the ground.

    A massless carrier at the end of each link is turned back by what the link has turned, as a
    parallel linkage does: the next joint stands on it, so that its rotor angle is absolute.
    """
    bodies, joints, couplings, x, parent = [], [], [], 0.0, "ground"
    for i in range(model["n"]):
        if i:
            parent = f"carrier{i + 1}"
            bodies.append(kb.Body(parent))
            joints.append(kb.Revolute(f"linkage{i + 1}", f"link{i}", parent, at=(x, 0)))
            law = f"-('A{i}.rotor' + 'A{i}.twist')"
            couplings.append(kb.Coupling(f"parallel{i + 1}", f"linkage{i + 1}", law))
        link = f"link{i + 1}"
        bodies.append(
            kb.Body(link, model["m_link"][i], (x + model["lc"][i], 0), model["I_link"][i])
        )
        joints.append(
            kb.Revolute(
                f"A{i + 1}",
                parent,
                link,
                at=(x, 0),
                rotor=kb.Rotor(mass=model["m_rotor"][i], inertia=model["I_rotor"][i]),
                elastic=kb.Elastic(model["k"][i], damping),
            )
        )
        x += model["l"][i]
    return kb.Mechanism("elastic chain", bodies, joints, couplings, plane="xy")


def two_link(p):
    """The robot of the paper's section 7, from its parameters."""
    twice = {key: [p[name]] * 2 for key, name in PARAMETERS.items()}
    return planar_chain({"n": 2, "lc": [p["l"] / 2] * 2, **twice})


PARAMETERS = {
    "m_rotor": "m1",
    "I_rotor": "I1",
    "m_link": "m2",
    "I_link": "I2",
    "l": "l",
    "k": "k",
}


def spatial_arm(model):
    """Rotor i turns on link i - 1; spring between rotor i and link i; rotors out of balance."""
    bodies, joints, forces, parent = [], [], [], "ground"
    for i, link in enumerate(model["links"], start=1):
        rotor = link["rotor"]
        bodies.append(kb.Body(f"rotor{i}", rotor["m"], rotor["c"], rotor["I"]))
        bodies.append(kb.Body(f"link{i}", link["m"], link["c"], link["I"]))
        down = translation(z=-rotor["s"])
        turn = rotation(rotation_z(np.radians(link["theta0_deg"])))
        step = translation(x=link["a"], z=link["s0"]) @ rotation(
            rotation_x(np.radians(link["alpha_deg"]))
        )
        joints += [
            kb.Revolute(
                f"r{i}",
                parent,
                f"rotor{i}",
                on_parent=kb.Frame(),
                on_child=kb.Frame.of_pose(down),
            ),
            kb.Revolute(
                f"s{i}",
                f"rotor{i}",
                f"link{i}",
                on_parent=kb.Frame.of_pose(down @ turn),
                on_child=kb.Frame.of_pose(step.inverse()),
            ),
        ]
        forces.append(kb.JointForce(f"spring{i}", f"s{i}", stiffness=link["k"]))
        parent = f"link{i}"
    return kb.Mechanism("elastic arm", bodies, joints, (), forces, gravity=model["g"])


def drives(moments):
    """The moments on the rotors, none on the twists."""
    return np.array([x for M in moments for x in (M, 0.0)])
