"""A one-way clutch makes steps of a to and fro: a wheel that rubs on its
shaft is pushed ahead by its driver and never pulled back.
"""

import numpy as np

import korba as kb

A, w, J, rubs = 0.5, 8.0, 0.04, 0.3
m = kb.Mechanism(
    "one-way clutch",
    [kb.Body("driver", 1, inertia=0.1), kb.Body("wheel", 1, inertia=J)],
    [
        kb.Revolute("driver", "ground", "driver", at=(0, 0)),
        kb.Revolute(
            "wheel", "ground", "wheel", at=(0, 0),
            friction=kb.Friction(effort=rubs),
        ),
    ],
    drives=[kb.JointDrive("motor", "driver", f"{A}*sin({w}*t)")],
    plane="xy",
)  # fmt: skip

period = 2 * np.pi / w
run = kb.simulate(
    m,
    3 * period,
    v={"wheel": A * w},
    times=np.linspace(0, 3 * period, 301),
    events=[kb.Ratchet("clutch", "wheel - driver"), "friction"],
    method=kb.Method(rtol=1e-10, atol=1e-12),
)
print(run.events)

# It lets go where the driver slows down faster than friction does:
# J A w^2 sin(w t) = rubs.
left = run.events["clutch left"].t
assert (
    np.abs(left * w % (2 * np.pi) - np.arcsin(rubs / J / A / w**2)).max()
    < 1e-8
)

step = run["wheel"][200] - run["wheel"][100]
print(f"it goes on by {step:.6f} rad in a period")
assert abs(step - 1.625260417) < 1e-8
assert (run["v_wheel"] - run["v_driver"]).min() > -1e-8
