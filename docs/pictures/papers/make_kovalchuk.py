"""Pictures of the walking biped of Kovalchuk, Kulakov & Semenov: run by hand, with `plot`.

The motion and its loads come from the example, so that the pictures show what it checks.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
mpl.rcParams |= {"svg.hashsalt": "korba", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
LEG = ("hip_pitch", "knee", "ankle_pitch", "ankle_roll")
COLOURS = {"left": "C0", "right": "C3"}


def main() -> None:
    """The gait, the forces and the moments over one cycle."""
    walk = runpy.run_path(str(ROOT / "examples/papers/kovalchuk_walk.py"))
    gait(walk)
    forces(walk)
    moments(walk)


def gait(walk) -> None:
    """The robot seen from the side, nine times in a cycle."""
    fig, axes = plt.subplots(figsize=(7, 3.6))
    found = walk["wrenches"]
    for k in range(0, len(walk["t"]), 30):
        trunk = walk["q"][k, :3]
        for side, colour in COLOURS.items():
            points = [trunk, *(found[f"{side}_{name}"].point[k] for name in LEG)]
            points.append(points[-1] + [0, 0, -0.06])
            x, _, z = np.transpose(points)
            axes.plot(x, z, "o-", color=colour, lw=1.2, ms=2, alpha=0.8)
    axes.plot([-0.4, 1.2], [0, 0], "k", lw=1)
    axes.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="left leg blue, right leg red")
    written(fig, "kovalchuk_gait.svg")


def forces(walk) -> None:
    """Vertical forces that the ground gives the feet, and in ankles, knees and hips."""
    fig, (top, bottom) = plt.subplots(2, 1, figsize=(7, 4.6), sharex=True)
    t, found = walk["t"], walk["wrenches"]
    for side, colour in COLOURS.items():
        top.plot(t, walk["contact"][f"{side}_foot"][:, 5], color=colour, label=f"{side} foot")
    for name, style in (("hip_pitch", "-"), ("knee", "--"), ("ankle_roll", ":")):
        bottom.plot(t, -found[f"left_{name}"].force[:, 2], style, color="C0", label=f"left {name}")
    top.set(ylabel="from the ground [N]")
    bottom.set(xlabel="t [s]", ylabel="child on parent, up [N]")
    top.legend()
    bottom.legend()
    written(fig, "kovalchuk_forces.svg")


def moments(walk) -> None:
    """The whole moment vector in the left knee and hip, in world axes."""
    fig, axes = plt.subplots(2, 1, figsize=(7, 4.6), sharex=True)
    for axis, joint in zip(axes, ("left_hip_pitch", "left_knee"), strict=True):
        for i, name in enumerate("xyz"):
            axis.plot(walk["t"], walk["wrenches"][joint].moment[:, i], label=f"about {name}")
        axis.set(ylabel=f"{joint} [N m]")
        axis.legend()
    axes[1].set(xlabel="t [s]")
    written(fig, "kovalchuk_moments.svg")


def written(fig, name: str) -> None:
    """Save without a date, so that the same picture is the same file."""
    fig.tight_layout()
    fig.savefig(HERE / name, metadata={"Date": None})


if __name__ == "__main__":
    main()
