"""All formulations, by name. A new one is its file and its place in this list."""

from __future__ import annotations

from . import (
    articulated_body,
    block_matrix,
    composite_body,
    hamilton,
    kane_congruence,
    lagrange_dh,
    newton_euler,
)
from .formulation import Formulation

MODULES = (
    newton_euler,
    composite_body,
    articulated_body,
    block_matrix,
    hamilton,
    kane_congruence,
    lagrange_dh,
)

CATALOGUE: dict[str, Formulation] = {
    module.FORMULATION.name: module.FORMULATION for module in MODULES
}
