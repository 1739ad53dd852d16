"""Methods as a course teaches them, under their names: they agree with each other.

Gronowicz (2003), Podstawy analizy układów kinematycznych, chapters 1 to 4: pairs, knots, loops and
placements, construction and modification, vector loop, complex numbers, Freudenstein's equation,
Newton-Raphson, ordered matrices, absolute coordinates, Denavit-Hartenberg chains and loops, statics
of groups.
"""

from ..front import shown as _shown

__all__, __getattr__, __dir__ = _shown(__name__, __file__)
