"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

from .front import shown as _shown

__all__, __getattr__, __dir__ = _shown(__name__, __file__)
