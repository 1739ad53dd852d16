"""A Geneva drive: index and dwell exactly, the force of the pin, and the
locked wheel.
"""

import numpy as np

import korba as kb

slots, a, w = 4, 0.05, 6.0
d = a / np.sin(np.pi / slots)  # so that the pin enters along the slot
m = kb.Mechanism(
    "Geneva drive",
    [kb.Body("crank"), kb.Body("wheel", 1, com=(d, 0), inertia=0.02)],
    [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("D", "ground", "wheel", at=(d, 0)),
        kb.Geneva("Z", "crank", "wheel", at=(0, 0), slots=slots, radius=a),
    ],
    drives=[kb.JointDrive("motor", "A", "6 rad/s * t")],
    plane="xy",
    gravity=(0, 0, 0),
)

turn = kb.motion(m, np.linspace(0, 2 * np.pi / w, 721))
rests = np.abs(turn["v_D"]) < 1e-12
print(f"the wheel turns by {np.degrees(turn['D'][-1]):.6f} deg in a turn")
print(f"and rests for {np.mean(rests[:-1]) * 360:.0f} deg of it")
print(f"its largest speed is {np.abs(turn['v_D']).max() / w:.6f} times")

force = kb.reactions(m, turn).in_world()["Z"].force
torque = kb.driving_forces(m, turn)["motor"]
print(f"the pin pushes with {np.linalg.norm(force, axis=1).max():.2f} N,")
print(f"the motor with {np.abs(torque).max():.3f} N m")

ratio = np.sin(np.pi / slots)
assert abs(turn["D"][-1] + 2 * np.pi / slots) < 1e-12
assert abs(np.abs(turn["v_D"]).max() / w - ratio / (1 - ratio)) < 1e-12
assert np.abs(turn["a_D"][rests]).max() < 1.01 * w**2  # as the pin enters
