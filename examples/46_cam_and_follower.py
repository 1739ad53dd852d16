"""A contact that only pushes: a follower leaves its cam, flies and lands;
then the motor stops.
"""

import numpy as np

import korba as kb

# The cam lifts by e (1 - cos A), the follower stands on it by its weight.
e, w, g = 0.04, 20.0, 9.81
m = kb.Mechanism(
    "cam and follower",
    [kb.Body("cam", 1, inertia=0.1), kb.Body("follower", 0.5, inertia=1)],
    [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("y", "ground", "follower", at=(0, 0), axis=(0, 1)),
    ],
    drives=[kb.JointDrive("motor", "A", "20 rad/s * t")],
    forces=[kb.JointForce("brake", "A", damping=0.5)],
    plane="xy",
)
cam = kb.Contact("cam", "y - 0.04 m * (1 - cos(A))")
off = kb.Event("off", "t - 0.6 s", change={"motor": "off"})
run = kb.simulate(
    m, 3.0, events=[cam, off], method=kb.Method(rtol=1e-11, atol=1e-13)
)
print(run)

# It leaves where the cam falls away faster than it can: e w^2 cos(w t) = -g.
left = run.events["cam left"].t[0]
print(
    f"it leaves at {left:.9f} s, {np.arccos(-g / (e * w**2)) / w:.9f} s in "
    "closed form"
)
assert abs(left - np.arccos(-g / (e * w**2)) / w) < 1e-10

# It never goes into the cam; without the motor the brake slows both, all
# energy accounted for.
assert np.all(run["y"] - e * (1 - np.cos(run["A"])) > -1e-9)
assert abs(run["v_A"][-1]) < 0.2
assert run.audit.energy < 1e-9
