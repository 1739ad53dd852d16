"""Ready mechanisms by their lengths: `kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")`.

Each has named parameters, so that `kb.redimension`, sweeps and sizes as inputs work on it; bodies
with named points, joined at these; uniform rods of `density` (mass per length), and a drive on its
input. `korba new` writes any of them as a file.
"""

from ..front import shown as _shown

__all__, __getattr__, __dir__ = _shown(__name__, __file__)
