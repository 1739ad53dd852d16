"""The centre of mass of a whole tree.

    m c = sum over the links of  m p + R h,      m c' = linear momentum

with the mass m and the first moment h of each link in its own frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.rotation import Array
from ..system.tree import Tree
from .couplings import all_coordinates
from .forward import world_poses


def total_mass(tree: Tree) -> float:
    """Mass of all links."""
    return float(sum(link.mass for link in tree.links))


def centre_of_mass(tree: Tree, q: Any) -> Array:
    """c in the world, of a tree with mass."""
    moment = np.zeros(3)
    for link, X in zip(tree.links, world_poses(tree, all_coordinates(tree, q)), strict=True):
        moment = moment + link.mass * X.p + X.R @ link.h
    return moment * (1.0 / total_mass(tree))
