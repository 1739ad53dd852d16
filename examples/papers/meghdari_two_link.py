"""Two links with elastic joints: Kane's equations decoupled, stiffness 825
and 100 N m/rad.

Meghdari & Fahimi, section 7. Rotor 2 is driven from the ground through a
parallel linkage, so a massless carrier at the elbow is turned back by what
link 1 has turned.
"""

import numpy as np

import korba as kb

MASS, LENGTH, MOMENTS = 5.0, 0.5, [61.3, 12.3]  # kg, m, N m


def robot(stiffness):
    """Coordinates: rotor 1, twist 1, rotor 2, twist 2; angles of rotors
    from the horizontal.
    """
    motor = {
        "rotor": kb.Rotor(mass=MASS, inertia=0.05),
        "elastic": kb.Elastic(stiffness),
    }
    return kb.Mechanism(
        "two links",
        bodies=[
            kb.Body("link1", MASS, com=(LENGTH / 2, 0), inertia=0.1),
            kb.Body("carrier"),
            kb.Body("link2", MASS, com=(1.5 * LENGTH, 0), inertia=0.1),
        ],
        joints=[
            kb.Revolute("A", "ground", "link1", at=(0, 0), **motor),
            kb.Revolute("linkage", "link1", "carrier", at=(LENGTH, 0)),
            kb.Revolute("B", "carrier", "link2", at=(LENGTH, 0), **motor),
        ],
        couplings=[
            kb.Coupling("parallel", "linkage", "-('A.rotor' + 'A.twist')")
        ],
        plane="xy",
    )


tau = np.array([MOMENTS[0], 0, MOMENTS[1], 0])
start = kb.papers.congruency(robot(825), np.zeros(4), np.zeros(4), tau)
print("A =", start.A, "Psi =", start.Psi, "L =", start.L, sep="\n")
assert np.allclose(
    start.Psi.T @ start.A @ start.Psi, np.diag(start.L), atol=1e-14
)
assert np.allclose(
    start.a, [1226, -1247.741183272307, 246, -242.7860859510503], rtol=1e-12
)

times = np.linspace(0, 2, 801)
motions = {
    k: kb.simulate(
        robot(k),
        2,
        tau=tau,
        times=times,
        method=kb.Method(rtol=1e-11, formulation="kane-congruence"),
    )
    for k in (825, 100)
}
for k, motion in motions.items():
    print(f"k = {k}: after 2 s", np.degrees(motion.q[-1]), "deg")
assert np.allclose(
    np.degrees(motions[825].q[-1]),
    [-1.7120, -3.5071, 25.7455, -0.5782],
    atol=6e-5,
)
assert np.allclose(
    np.degrees(motions[100].q[-1]),
    [50.6896, -56.0874, 33.9406, -10.7571],
    atol=6e-5,
)
