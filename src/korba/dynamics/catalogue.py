"""All formulations, by name. A new one is its file and its line in this list."""

from __future__ import annotations

from importlib import import_module

from .formulation import Formulation

MODULES = (
    "newton_euler",
    "composite_body",
    "articulated_body",
    "block_matrix",
    "hamilton",
    "kane_congruence",
    "lagrange_dh",
    "multipliers",
    "absolute",
    "minimal",
)

_EVERY: list[Formulation] = [import_module(f".{name}", __package__).FORMULATION for name in MODULES]
CATALOGUE = {formulation.name: formulation for formulation in _EVERY}
