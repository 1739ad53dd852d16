"""All formulations and all ways to forces, by name. A new one is its file and its line here."""

from __future__ import annotations

from importlib import import_module

from .force_method import ForceMethod
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
FORCE_MODULES = (
    "kinetostatics",
    "multiplier_forces",
    "group_forces",
    "virtual_work",
    "lever",
)

_EVERY: list[Formulation] = [import_module(f".{name}", __package__).FORMULATION for name in MODULES]
CATALOGUE = {formulation.name: formulation for formulation in _EVERY}

_WAYS: list[ForceMethod] = [import_module(f".{name}", __package__).METHOD for name in FORCE_MODULES]
FORCE_METHODS = {method.name: method for method in _WAYS}
JOINT_FORCES = {method.name: method.joints for method in _WAYS if method.joints is not None}
"""Those that give the forces in all joints."""
