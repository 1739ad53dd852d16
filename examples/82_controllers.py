"""A cart that balances a rod: a sensor, two controllers and a motor."""

import numpy as np

import korba as kb

m = kb.Mechanism(
    "balance",
    [
        kb.Body("cart", "2 kg", (0, 0), 0.01),
        kb.Body("rod", "0.5 kg", (0, 0.4), 0.03, points={"tip": (0, 0.8)}),
    ],
    [
        kb.Prismatic("x", "ground", "cart", at=(0, 0), axis=(1, 0)),
        kb.Revolute("A", "cart", "rod", at=(0, 0)),
    ],
    plane="xy",
    forces=[
        kb.Sensor("tip", "rod.tip", along=(1, 0)),
        # where the cart should be is asked slowly, through a state
        kb.Controller("aim", "r", states={"r": "2*(0.5 - r)"}),
        kb.Controller(
            "u",
            "-120*A - 25*v_A + 12*(x - aim) + 16*v_x",
            low="-40",
            high="40",
        ),
        kb.JointForce("push", "x", law="u"),
    ],
)
motion = kb.simulate(m, 12, q={"A": "8 deg"}, times=241)
print(motion)
print(f"cart at {motion['x'][-1]:.4f} m, rod leans {motion['A'][-1]:.1e} rad")

assert abs(motion["x"][-1] - 0.5) < 1e-3
assert abs(motion["A"][-1]) < 1e-3
assert abs(motion["r_aim"][-1] - 0.5 * (1 - np.exp(-24))) < 1e-6
