"""Run every benchmark of this folder in one go and print its table."""

from __future__ import annotations

import platform
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import closed_dynamics
import closed_motion
import closed_peers
import derivatives
import designs
import engine_costs
import equations
import forces
import generated_code
import lanes
import live_pages
import long_chains
import many_loops
import path_generation
import simulation
import structure_chain
import tree_dynamics


def cpu() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or "unknown processor"
    lines = info.read_text().splitlines()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")


def main() -> None:
    packages = ", ".join(f"{name} {version(name)}" for name in ("korba", "numpy", "scipy"))
    print(f"{cpu()}; Python {platform.python_version()}; {packages}\n")
    print(structure_chain.table())
    print(f"\n{simulation.table()}")
    print(f"\n{lanes.table()}")
    print(f"\n{long_chains.table()}")
    print(f"\n{closed_motion.table()}")
    print(f"\n{closed_dynamics.table()}")
    print(f"\n{many_loops.table()}")
    print(f"\n{closed_peers.table()}")
    print(f"\n{designs.table()}")
    print(f"\n{path_generation.table()}")
    print(f"\n{forces.table()}")
    print(f"\n{equations.table()}\n")
    generated_code.main()
    print(f"\n{live_pages.table()}")
    if find_spec("pinocchio") is None:
        print("\n(dynamics beside Pinocchio needs the extra `bench`: pip install 'korba[bench]')")
    else:
        print(f"\nPinocchio {version('pin')}, llvmlite {version('llvmlite')}\n")
        print(tree_dynamics.table())
        print(f"\n{engine_costs.table()}")
        print(f"\n{derivatives.table()}")


if __name__ == "__main__":
    main()
