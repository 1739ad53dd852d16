"""Pictures of Dunskaya & Pyatnitsky's chain: run by hand, with the extra `plot`, from anywhere."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

import korba as kb

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "benchmarks"))
from semi_canonical import chain  # noqa: E402

mpl.rcParams |= {"svg.hashsalt": "korba", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}


def main() -> None:
    """The falling chain, its energies and the iterations of the two solvers."""
    falling()
    iterations()


def falling() -> None:
    """A chain of 20 links released from the horizontal: places every 0.1 s, and energies."""
    n = 20
    motion = kb.papers.semi_canonical(
        chain(n, 0.0, True),
        0.8,
        step=5e-4,
        q=np.full(n, np.pi / 2),
        v=np.zeros(n),
        solver=kb.papers.VelocitySolver(tolerance=1e-11),
    )
    fig, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2))
    for place in range(0, len(motion.t), 200):
        down = np.concatenate([[0], np.cumsum(np.cos(motion.q[place]))]) / n
        aside = np.concatenate([[0], np.cumsum(np.sin(motion.q[place]))]) / n
        left.plot(aside, -down, ".-", ms=2, lw=0.8)
        left.annotate(f"{motion.t[place]:.1f} s", (aside[-1], -down[-1]), fontsize=7)
    left.set(aspect="equal", xlabel="y [m]", ylabel="-x [m]", xlim=(-1.1, 1.25), ylim=(-1.1, 0.15))
    for values, name in (
        (motion["kinetic"], "T"),
        (motion["potential"], r"$\Pi$"),
        (motion["hamiltonian"], "H"),
    ):
        right.plot(motion.t[::10], values[::10], label=name)
    right.set(xlabel="t [s]", ylabel="energy [J]")
    right.legend()
    written(fig, "dunskaya_motion.svg")


def iterations() -> None:
    """Mean iterations a step against the number of links, without and with drive inertia."""
    links = (2, 3, 5, 8, 12, 20, 32)
    fig, axes = plt.subplots(figsize=(5, 3.2))
    for drive, line, what in ((0.0, "-", "bare"), (0.02, "--", "0.02 kg m² a link")):
        for solver, mark in (("conjugate", "o"), ("minimal-residual", "s")):
            means = [mean_iterations(n, drive, solver) for n in links]
            axes.loglog(links, means, line + mark, ms=4, label=f"{solver}, {what}")
    axes.loglog(links, [(6 * n + 1) / 16 for n in links], ":k", label="(6n + 1)/16")
    axes.set(xlabel="links n", ylabel="iterations a step")
    axes.set_xticks(links, links)
    axes.minorticks_off()
    axes.legend(fontsize=7)
    written(fig, "dunskaya_iterations.svg")


def mean_iterations(n: int, drive: float, solver: str) -> float:
    """Over 100 steps of scheme (3.1) from rest, step 1 ms, tolerance 1e-4."""
    motion = kb.papers.semi_canonical(
        chain(n, drive, True),
        0.1,
        step=1e-3,
        q=np.full(n, 1.0),
        v=np.zeros(n),
        scheme="euler",
        solver=kb.papers.VelocitySolver(solver, tolerance=1e-4, limit=10**6),
    )
    return float(motion.effort.iterations.mean())


def written(fig, name: str) -> None:
    """Save without a date, so that the same picture is the same file."""
    fig.tight_layout()
    fig.savefig(HERE / name, metadata={"Date": None})


if __name__ == "__main__":
    main()
