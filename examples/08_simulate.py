"""A pendulum and a double pendulum in motion: period, energy, long runs,
named arrays.

The equations are compiled together with the integrator; a run of 10 s takes
about a millisecond.
"""

import numpy as np
from scipy.special import ellipk

import korba as kb

rods = [
    kb.Body("upper", mass="1 kg", com=("500 mm", 0), inertia=1 / 12),
    kb.Body("lower", mass="1 kg", com=("1500 mm", 0), inertia=1 / 12),
]
shoulder = kb.Revolute("A", "ground", "upper", at=(0, 0))
elbow = kb.Revolute("B", "upper", "lower", at=("1 m", 0))

# One rod: the period of large swings is an elliptic integral. Angle 0 is the
# drawing, along x.
single = kb.Mechanism("pendulum", rods[:1], [shoulder], plane="xy")
period = (
    4
    * np.sqrt((1 / 3) / (9.81 * 0.5))
    * ellipk(np.sin(np.radians(60) / 2) ** 2)
)
swing = kb.simulate(
    single,
    period,
    q={"A": "-30 deg"},
    method=kb.Method(rtol=1e-11, atol=1e-12),
)
print(swing)
assert abs(swing["A"][-1] - np.radians(-30)) < 1e-9

# Two rods: times asked for, names, energy.
double = kb.Mechanism("double pendulum", rods, [shoulder, elbow], plane="xy")
motion = kb.simulate(double, until=10, q={"B": "10 deg"}, times=1001)
print(motion["v_B"].max(), motion["kinetic"].max(), motion.effort.steps)
assert motion.status == "finished"
assert motion.audit.energy < 1e-7  # energy less work, relative

# With a motor, a damper and a force that depends on time and state, work
# balances energy.
motor = kb.Motor(
    "drive",
    "A",
    "12*sin(2*t)",
    torque_constant=0.4,
    resistance=1,
    inductance="20 mH",
)
driven = kb.Mechanism(
    "driven", rods, [shoulder, elbow], forces=[motor], plane="xy"
)
found = kb.simulate(
    driven, until=5, tau={"B": "-0.5*v_B + cos(t)*A"}, times=501
)
print(found["i_drive"][-1], found["work"][-1])
assert found.audit.energy < 1e-7

# A long run: the symplectic scheme keeps the energy, whatever the number of
# swings.
long = kb.simulate(
    single,
    until=5000,
    q={"A": 0.5},
    method=kb.Method("symplectic", step=0.05),
    times=501,
)
early = kb.simulate(
    single, until=50, q={"A": 0.5}, method=kb.Method("symplectic", step=0.05)
)
assert long.audit.energy < 1.2 * early.audit.energy
