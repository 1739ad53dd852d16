"""Draws the pictures of docs/pictures.md."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

HERE = Path(__file__).parent


def pictures():
    """Names and pictures."""
    leg = kb.motion(kb.linkages.jansen(), np.linspace(0.0, 1.0, 61))
    yield "jansen", kb.draw(leg, 0, ghosts=7, paths=["foot.F"])
    yield "quick_return", kb.draw(kb.linkages.quick_return(0.1, 0.25, 0.5, 0.2))
    yield "planetary", kb.draw(kb.linkages.planetary(0.05, 0.03))
    four_bar = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    yield "sizes", kb.draw(four_bar, {"A": "60 deg"}, dimensions=True, names="all")
    motion = kb.motion(four_bar, np.linspace(0.0, 1.0, 25))
    yield "velocities", kb.draw(motion, 1, velocities=True, angular_velocities=True)
    yield "centres", kb.draw(motion, 1, centres=True, names="numbers", theme="dark")
    engine = kb.linkages.slider_crank("40 mm", "120 mm")
    engine = replace(engine, forces=(kb.PointForce("gas", "slider", (-300, 0)),))
    motion = kb.motion(engine, np.linspace(0.0, 1.0, 25))
    yield "forces", kb.draw(motion, 3, reactions=True, loads=True, driving=True)
    yield "rssr", kb.draw(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35))
    yield "stewart", kb.draw(kb.linkages.stewart("1 m", "0.5 m", "1 m"))
    arm = kb.read_urdf(HERE.parents[2] / "examples" / "robots" / "desk_arm.urdf")
    bent = [0.6, 0.5, 1.2, 0.4]
    yield "desk_arm", kb.draw(arm, bent)
    yield "desk_arm_bare", kb.draw(arm, bent, meshes=False, theme="dark")


if __name__ == "__main__":
    for name, picture in pictures():
        (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")
