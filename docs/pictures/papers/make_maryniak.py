"""Pictures of Maryniak & Małecki's example: run by hand, with the extra `plot`, from anywhere.

The arm and its speed come from the example, so that the pictures show what it checks.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

import korba as kb

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
mpl.rcParams |= {"svg.hashsalt": "korba", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}


def main() -> None:
    """The figures 5, 7 and 8 of the paper."""
    example = runpy.run_path(str(ROOT / "examples/papers/maryniak_two_link.py"))
    motion = kb.programmed_motion(
        example["arm"],
        np.linspace(0, 0.8, 321),
        body="link2",
        direction=(-1, 0, 0),
        speed=example["speed"],
        q=np.radians([30, 30]),
    )
    positions(motion)
    angles(motion)
    moments(motion)


def positions(motion) -> None:
    """Fig. 5: the arm at the start, half way in time and at the end; the speed."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    for place, name in ((0, "start"), (160, "0.4 s"), (-1, "end")):
        t1, t12 = motion.q[place, 0], motion.q[place].sum()
        elbow = 1.2 * np.array([np.cos(t1), np.sin(t1)])
        end = elbow + 0.7 * np.array([np.cos(t12), np.sin(t12)])
        up, across = np.array([[0, 0], elbow, end]).T
        left.plot(-across, up, "o-", label=name)
    left.set(aspect="equal", xlabel="$-y_0$ [m]", ylabel="$x_0$ [m] (up)")
    left.legend()
    speed = -np.gradient(motion.point("link2").position[:, 0], motion.t)
    right.plot(motion.t, speed)
    right.set(xlabel="t [s]", ylabel="speed of $O_2$ [m/s]")
    written(fig, "maryniak_fig5.svg")


def angles(motion) -> None:
    """Fig. 7: angles and their rates."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8))
    for i in (0, 1):
        left.plot(motion.t, np.degrees(motion.q[:, i]), label=rf"$\theta_{i + 1}$")
        right.plot(motion.t, motion.v[:, i], label=rf"$\dot\theta_{i + 1}$")
    left.set(xlabel="t [s]", ylabel="angle [deg]")
    right.set(xlabel="t [s]", ylabel="rate [rad/s]")
    left.legend()
    right.legend()
    written(fig, "maryniak_fig7.svg")


def moments(motion) -> None:
    """Fig. 8: the driving moments."""
    fig, axes = plt.subplots(figsize=(7, 2.8))
    for i in (0, 1):
        axes.plot(motion.t, motion.all_of("tau")[:, i], label=f"$M_{i + 1}$")
    axes.set(xlabel="t [s]", ylabel="moment [N m]")
    axes.legend()
    written(fig, "maryniak_fig8.svg")


def written(fig, name: str) -> None:
    """Save without a date, so that the same picture is the same file."""
    fig.tight_layout()
    fig.savefig(HERE / name, metadata={"Date": None})


if __name__ == "__main__":
    main()
