# The public names of kb.linkages and where they live. Adding one is a line here.
from .cams import cam
from .four_links import (
    five_bar,
    four_bar,
    oldham,
    pantograph,
    quick_return,
    slider_crank,
    toggle,
)
from .gears import differential, planetary
from .many_alike import engine, scissor
from .parallel import delta, stewart, three_rrr
from .robots import robot_arm
from .six_bars import jansen, klann, peaucellier, stephenson, watt
from .spatial import bennett, cardan, rssr

__all__ = [
    "bennett",
    "cam",
    "cardan",
    "delta",
    "differential",
    "engine",
    "five_bar",
    "four_bar",
    "jansen",
    "klann",
    "oldham",
    "pantograph",
    "peaucellier",
    "planetary",
    "quick_return",
    "robot_arm",
    "rssr",
    "scissor",
    "slider_crank",
    "stephenson",
    "stewart",
    "three_rrr",
    "toggle",
    "watt",
]
