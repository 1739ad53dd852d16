"""A robot as its URDF file says it looks: a shaded picture, and a motion
to turn by WebGL.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

arm = kb.read_urdf(Path(__file__).parent / "robots" / "desk_arm.urdf")
# hand.obj stands beside the file
assert not any("meshes" in note for note in arm.notes)

ways = {
    "turn": "1.2*sin(t)",
    "lift": "0.5 + 0.3*sin(2*t)",
    "elbow": "1.2 - 0.4*cos(t)",
    "wrist": "t",
}
drives = [
    kb.JointDrive(f"drive {name}", name, position=way)
    for name, way in ways.items()
]
motion = kb.motion(
    replace(arm, drives=drives), np.linspace(0.0, 2 * np.pi, 121)
)

# write it to a file, or look at it in a notebook
picture = motion.draw(20, theme="dark")
page = kb.animate(motion, paths=["hand"])  # Path("arm.html").write_text(page)
print(
    f"picture: {len(picture) / 1000:.0f} kB, page: {len(page) / 1000:.0f} kB"
)
assert len(page) < 500_000

# The page shows what kb.motion says. The wrist, by hand, with the arm in its
# plane:
t = motion.t[20]
lift, elbow = 0.5 + 0.3 * np.sin(2 * t), 1.2 - 0.4 * np.cos(t)
reach = 0.3 * np.sin(lift) + 0.25 * np.sin(lift + elbow)
height = 0.25 + 0.3 * np.cos(lift) + 0.25 * np.cos(lift + elbow)
turn = 1.2 * np.sin(t)
by_hand = [reach * np.cos(turn), reach * np.sin(turn), height]
assert np.abs(motion.point("hand").position[20] - by_hand).max() < 1e-12
print(f"wrist at t = {t:.3f} s: {np.round(by_hand, 4)} m")
