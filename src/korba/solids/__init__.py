"""Solids to make bodies of: `kb.solids.Bar((0, 0), ("80 mm", 0), "20 mm", "5 mm", density=7850)`.

Each has sizes of its own, a `density`, and where it sits (`at`, `rotation`); `+` joins them and `-`
cuts them out. `.mass`, `.com` and `.inertia` tell what they weigh, `.body("crank")` makes a body.
"""

from ..front import shown as _shown

__all__, __getattr__, __dir__ = _shown(__name__, __file__)
