"""Maryniak & Małecki: an anti-aircraft gun, from their introduction.

Turret, cradle, barrel and shell are the main chain, rotors of both gears
accompany it. A constant force drives the shell, the barrel recoils against a
brake, the turret turns. The paper has no numbers for it; these are ours.
"""

import numpy as np

import korba as kb

TURN, ELEVATION, TRAVEL = 0.8, np.radians(50), 2.2  # rad/s, rad, m
POWDER, HEIGHT = 180e3, 0.05  # N; m, of the bore above the trunnion

gears = [
    kb.Rotor(ratio=ratio, mass=6, inertia=(0.02, 0.02, 0.03))
    for ratio in (120, 80)
]
gun = kb.Mechanism(
    "gun",
    [
        kb.Body("turret", 900, (0.1, 0, -0.4), (300, 300, 350)),
        kb.Body("cradle", 250, (0.3, 0, 0), (8, 60, 60)),
        kb.Body("barrel", 180, (0.9, 0, HEIGHT), (1, 70, 70)),
        kb.Body("shell", 0.55, (0.2, 0, HEIGHT), (1e-4, 5e-4, 5e-4)),
    ],
    [
        kb.Revolute("traverse", "ground", "turret", at=(0, 0, 0),
                    axis=(0, 0, 1), rotor=gears[0]),
        kb.Revolute("elevate", "turret", "cradle", at=(0, 0, 0),
                    axis=(0, -1, 0), rotor=gears[1]),
        kb.Prismatic("recoil", "cradle", "barrel", at=(0, 0, HEIGHT),
                     axis=(-1, 0, 0), damping=3e3),
        kb.Prismatic("travel", "barrel", "shell", at=(0, 0, HEIGHT),
                     axis=(1, 0, 0)),
    ],
    drives=[
        kb.JointDrive("turn", "traverse", f"{TURN} rad/s*t"),
        kb.JointDrive("hold", "elevate", f"{ELEVATION} rad"),
    ],
    forces=[
        kb.JointForce("powder", "travel", law=POWDER),
        kb.JointForce("brake", "recoil", stiffness=40e3),
    ],
)  # fmt: skip

muzzle = kb.Event("muzzle", f"travel - {TRAVEL} m", terminal=True)
start = {"q": {"elevate": ELEVATION}, "v": {"traverse": TURN}}
shot = kb.simulate(
    gun, 0.1, **start, events=[muzzle], method=kb.Method(rtol=1e-11)
)
needed = kb.driving_forces(gun, shot)

# d'Alembert by hand, in the upright plane that turns with the turret:
# mass, place along the bore, its rates, height above the trunnion
x, v, a = shot.q[:, 2:].T, shot.v[:, 2:].T, shot.a[:, 2:].T
c, s = np.cos(ELEVATION), np.sin(ELEVATION)
parts = [
    (250, 0.3, 0, 0, 0),
    (180, 0.9 - x[0], -v[0], -a[0], HEIGHT),
    (0.55, 0.2 + x[1] - x[0], v[1] - v[0], a[1] - a[0], HEIGHT),
]
lift, turning = 0.0, 0.0
for m, place, speed, rate, up in parts:
    out, high = place * c - up * s, place * s + up * c
    radial, rising = rate * c - TURN**2 * out, rate * s + 9.81
    lift = lift + m * (out * rising - high * radial)
    turning = turning + 2 * m * out * speed * c * TURN  # w dI/dt
for Ix, Iz in ((8, 60), (1, 70), (1e-4, 5e-4)):  # long bodies rise
    lift = lift + TURN**2 * (Iz - Ix) * s * c

speed = shot.events[0].v
print(f"muzzle: {speed[3]:.2f} m/s in the barrel, recoil {x[0, -1]:.4f} m")
print("the drives, N m:", needed["hold"][-1], needed["turn"][-1])
reduced = 0.55 * 180 / 180.55  # mass of shell and barrel
assert np.isclose(speed[3], np.sqrt(2 * POWDER * TRAVEL / reduced), rtol=1e-3)
assert shot.audit.energy < 1e-9
assert np.allclose(needed["hold"], lift, rtol=1e-8)
assert np.allclose(needed["turn"], turning, rtol=1e-8, atol=1e-6)

# what the rotors add to A, in the paper's terms
free = kb.Mechanism("gun", gun.bodies, gun.joints)
terms = kb.papers.lagrange_terms(free, shot.q[-1], shot.v[-1])
added = {n: terms.elements[n].gamma[0, 0] for n in terms.elements}
assert np.isclose(max(added.values()), 120**2 * 0.03, rtol=1e-3)
