"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

from typing import Any as _Any

from .front import shown as _shown
from .hooks import fill as _fill

__version__ = "0.1.0"

__all__, __getattr__, __dir__ = _shown(__name__, __file__)


def _sketch() -> _Any:
    from .positions.sketch import closed_sketch

    return closed_sketch


def _configurations() -> _Any:
    from .solve.configurations import configurations

    return configurations


_fill("closed sketch", _sketch)
_fill("configurations", _configurations)
