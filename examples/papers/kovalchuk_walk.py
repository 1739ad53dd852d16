"""A walking biped: ground forces and the reactions in its joints over one
cycle of gait.

The trunk moves on and sways, feet stand or swing, angles follow by geometry.
What the motion asks of the fictitious chain is what the ground gives: it goes
to the standing foot, or to both.
"""

from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline

import korba as kb

biped = kb.load(Path(__file__).with_name("kovalchuk_biped.toml"))
CYCLE, SWING, SPEED, HEIGHT = 1.2, 0.5, 0.5, 1.08  # s, s, m/s, m of the trunk
THIGH, SHANK, ANKLE, SOLE = 0.41, 0.39, 0.045, 0.06  # m
t = np.linspace(-0.1, 1.3, 561)


def foot(t):
    """Place of a foot along the way and its height: it stands, then swings
    one stride on.
    """
    s = np.clip((t % CYCLE - (CYCLE - SWING)) / SWING, 0, 1)
    stride = (
        SPEED
        * CYCLE
        * (np.floor(t / CYCLE) + 10 * s**3 - 15 * s**4 + 6 * s**5)
    )
    return stride + 0.5 * SPEED * (CYCLE - SWING), 0.05 * 64 * s**3 * (
        1 - s
    ) ** 3


def leg(ahead, aside, down):
    """Hip roll and pitch, knee, ankle pitch and roll that put a level sole
    there from the hip.
    """
    roll = np.arctan2(aside, down)
    down = np.hypot(aside, down) - ANKLE
    knee = np.arccos(
        (ahead**2 + down**2 - THIGH**2 - SHANK**2) / (2 * THIGH * SHANK)
    )
    lean = np.arctan2(SHANK * np.sin(knee), THIGH + SHANK * np.cos(knee))
    pitch = np.arctan2(-ahead, down) - lean
    return [0 * roll, roll, pitch, knee, -pitch - knee, -roll]


x, sway = SPEED * t, 0.05 * np.sin(2 * np.pi * t / CYCLE)
feet = {"left": (foot(t), 0.11), "right": (foot(t - CYCLE / 2), -0.115)}
feet["right"][0][0][:] += SPEED * CYCLE / 2
angles = [0 * t + value for value in (x, sway, HEIGHT, 0, 0, 0)]
for (ahead, up), side in feet.values():
    angles += leg(
        ahead - x - 0.035, side - (side + sway), HEIGHT - 0.25 - SOLE - up
    )
curve = make_interp_spline(t, np.transpose(angles), k=5)
t = np.linspace(0, CYCLE, 241)
q, v, a = (curve.derivative(k)(t) for k in range(3))

lonely = kb.reactions(biped, q, v, a)["base_x"]
ground = np.hstack(
    [lonely.moment + np.cross(lonely.point, lonely.force), lonely.force]
)
lift = np.minimum(t % CYCLE, CYCLE - SWING - t % CYCLE) / (CYCLE / 2 - SWING)
share = np.clip(lift, 0, 1)[:, None]
contact = {"left_foot": share * ground, "right_foot": (1 - share) * ground}
wrenches = kb.reactions(biped, q, v, a, external=contact)
print(
    "knee of the standing leg carries up to",
    abs(wrenches["left_knee"].force[:, 2]).max(),
    "N",
)
# the left foot stands
assert abs(kb.jacobian(biped, q[60], "left_foot") @ v[60]).max() < 1e-6
# nothing is left for the fictitious chain
assert abs(wrenches["base_x"].force).max() < 1e-9
# on average the ground bears it
assert np.isclose(ground[:, 5].mean(), 55.732 * 9.81, rtol=1e-3)
