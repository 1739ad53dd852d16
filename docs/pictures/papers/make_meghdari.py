"""Pictures of the two-link robot of Meghdari & Fahimi: run by hand, with the extra `plot`.

The motions come from the example, so that the pictures show what it checks.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
mpl.rcParams |= {"svg.hashsalt": "korba", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
NAMES = ("$q_1$ rotor 1", "$q_2$ twist 1", "$q_3$ rotor 2", "$q_4$ twist 2")


def main() -> None:
    """The coordinates for each stiffness, and the links for both."""
    motions = runpy.run_path(str(ROOT / "examples/papers/meghdari_two_link.py"))["motions"]
    for k, motion in motions.items():
        coordinates(k, motion)
    links(motions)


def coordinates(k: int, motion) -> None:
    """The four coordinates against time."""
    fig, axes = plt.subplots(2, 2, figsize=(7, 4.4), sharex=True)
    for i, (axis, name) in enumerate(zip(axes.flat, NAMES, strict=True)):
        axis.plot(motion.t, np.degrees(motion.q[:, i]), lw=0.9)
        axis.set(ylabel=f"{name} [deg]", xlabel="t [s]" if i > 1 else None)
    fig.suptitle(f"k = {k} N m/rad")
    written(fig, f"meghdari_k{k}.svg")


def links(motions) -> None:
    """Angles of the two links, rotor and twist together."""
    fig, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True)
    for i, axis in enumerate(axes):
        for k, motion in motions.items():
            angle = motion.q[:, 2 * i] + motion.q[:, 2 * i + 1]
            axis.plot(motion.t, np.degrees(angle), lw=0.9, label=f"k = {k}")
        axis.set(xlabel="t [s]", title=f"link {i + 1}")
        axis.legend()
    axes[0].set(ylabel="angle from the horizontal [deg]")
    written(fig, "meghdari_links.svg")


def written(fig, name: str) -> None:
    """Save without a date, so that the same picture is the same file."""
    fig.tight_layout()
    fig.savefig(HERE / name, metadata={"Date": None})


if __name__ == "__main__":
    main()
