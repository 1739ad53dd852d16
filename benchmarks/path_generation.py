"""Four-bars whose coupler point goes through points: published problems, beside pylinkage.

The problems are those of Cabrera, Simon & Prado (2002) and an ellipse of Acharyya & Mandal (2009);
errors are sums of squares of distances. pylinkage's own optimisers get the problem of five points,
with a function that builds the linkage and steps it, its documented way. Processor time, one core.
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import korba as kb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "design"))
from path_generators import (
    FIVE,
    bounds,
    eighteen_points,
    five_points,
    path_generator,
    six_points,
)

ELLIPSE = [
    (20, 10), (17.66, 15.142), (11.736, 17.878), (5, 16.928), (0.60307, 12.736),
    (0.60307, 7.2638), (5, 3.0718), (11.736, 2.1215), (17.66, 4.8577),
]  # fmt: skip
WIDE = ("rx", "ry", "x0", "y0")


def ellipse(m: kb.Mechanism):
    """Nine points around an ellipse, without timing."""
    return kb.path_goal(m, "coupler.P", ELLIPSE), bounds(5, 80, WIDE, "th")


def ellipse_in_time(m: kb.Mechanism):
    """The same with timing: 40 deg of the crank from point to point, from any angle on."""
    times = np.radians(40 * np.arange(9))
    return kb.path_goal(m, "coupler.P", ELLIPSE, times), bounds(5, 80, WIDE, "th", "phase")


PROBLEMS = {
    "six points on a line, without timing": six_points,
    "five points, with timing": five_points,
    "eighteen points, with timing": eighteen_points,
    "ellipse of nine points, with timing": ellipse_in_time,
    "ellipse of nine points, without timing": ellipse,
}


def ours(problem) -> tuple[float, int, float]:
    """The better of both assembly modes: its error, designs moved and seconds of both."""
    begun, runs = time.process_time(), []
    for mode in ("left", "right"):
        m = path_generator(mode)
        runs.append(kb.optimise(m, *problem(m)))
    taken = time.process_time() - begun
    return min(run.value for run in runs), sum(run.evaluations for run in runs), taken


def error_by_steps(_, sizes, __) -> float:
    """The error of five points: a linkage of these sizes, stepped by 15 deg."""
    import pylinkage as pl

    r1, r2, r3, r4, rx, ry = sizes
    error_by_steps.count += 1
    A, D, step = pl.Ground(0, 0), pl.Ground(r1, 0), np.radians(15)
    crank = pl.Crank(A, r2, angular_velocity=step, initial_angle=step)
    joint = pl.RRRDyad(crank, D, r3, r4)
    tip = pl.FixedDyad(crank, joint, float(np.hypot(rx, ry)), float(np.arctan2(ry, rx)))
    try:
        places = list(pl.Linkage([A, D, crank, joint, tip]).step(5))
    except (pl.UnbuildableError, ValueError):
        return 1e6
    P = np.array([[np.nan if x is None else x for x in each[-1]] for each in places])
    error = float(np.sum((P - np.array(FIVE)) ** 2))
    return error if np.isfinite(error) else 1e6


def theirs() -> dict[str, tuple[float, int, float]]:
    """pylinkage's optimisers on five points: error, designs stepped, seconds."""
    from pylinkage import optimization

    box = bounds(0.01, 50, ("rx", "ry"))
    ends = tuple(zip(*box.values(), strict=True))
    common = {"bounds": ends, "order_relation": min, "verbose": False}
    ways = {
        "particle_swarm_optimization": {"n_particles": 100, "iterations": 150, "dimensions": 6},
        "differential_evolution_optimization": {"maxiter": 150, "popsize": 15, "seed": 0},
    }
    done = {}
    for name, options in ways.items():
        error_by_steps.count, begun = 0, time.process_time()
        np.random.seed(0)
        found = getattr(optimization, name)(error_by_steps, any_linkage(), **common, **options)
        taken = time.process_time() - begun
        done[name] = float(np.min(found.scores["score"])), error_by_steps.count, taken
    return done


def any_linkage():
    """Something with six lengths for the optimisers to count; the function above builds its own."""
    import pylinkage as pl

    A, D = pl.Ground(0, 0), pl.Ground(3, 0)
    crank = pl.Crank(A, 1.0)
    joint = pl.RRRDyad(crank, D, 3.0, 3.0)
    tip, other = pl.FixedDyad(crank, joint, 1.0, 0.5), pl.Crank(D, 1.0)
    return pl.Linkage([A, D, crank, joint, tip, other])


def table() -> str:
    lines = [
        "## Path generation: the error that is left, designs tried, s of processor time",
        "",
        "| problem | by | error | designs | s |",
        "|---|---|---|---|---|",
    ]
    for name, problem in PROBLEMS.items():
        error, designs, seconds = ours(problem)
        lines.append(f"| {name} | `kb.optimise` | {error:.3g} | {designs:,} | {seconds:.1f} |")
    if find_spec("pylinkage"):
        for name, (error, designs, seconds) in theirs().items():
            cells = f"{error:.3g} | {designs:,} | {seconds:.1f}"
            lines.append(f"| five points, with timing | pylinkage `{name}` | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if find_spec("pylinkage"):
        print(f"pylinkage {version('pylinkage')}\n")
    print(table())
