"""Draws the plots of docs/pictures.md."""

from pathlib import Path

import numpy as np

import korba as kb

HERE = Path(__file__).parent


def pictures():
    """Names and pictures."""
    m = kb.linkages.slider_crank(crank=0.05, rod=0.2)
    motion = kb.motion(m, np.linspace(0.0, 1.0, 61))
    yield "slider_crank", motion.plot(over="A", degrees=True).svg()
    leg = kb.motion(kb.linkages.jansen(), np.linspace(0.0, 1.0, 61))
    yield "foot", leg.plot(paths=["foot.F"], hodographs=["foot.F"], theme="dark").svg()


if __name__ == "__main__":
    for name, picture in pictures():
        (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")
