"""The four papers' equations under their own names: every quantity at one state, and motions.

Maryniak & Malecki: `lagrange_terms`; Dunskaya & Pyatnitsky: `semi_canonical`,
`semi_canonical_state`; Kovalchuk, Kulakov & Semenov: `block_terms`; Meghdari & Fahimi:
`congruency`,
and `kane_system` for systems by their own J, Omega and T.
"""

from .block_matrix import block_terms
from .canonical_motion import semi_canonical
from .canonical_state import SemiCanonicalState, VelocitySolver, semi_canonical_state
from .kane import congruency
from .lagrange import lagrange_terms
from .own_kane import KaneBody, KaneSystem, kane_system

__all__ = [
    "KaneBody",
    "KaneSystem",
    "SemiCanonicalState",
    "VelocitySolver",
    "block_terms",
    "congruency",
    "kane_system",
    "lagrange_terms",
    "semi_canonical",
    "semi_canonical_state",
]
