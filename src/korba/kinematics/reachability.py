"""Which link hangs on which: the reachability matrix D of a tree, and products with it.

    D_ij = 1  if link i is link j or hangs on it, however far,  else 0

With F_i,f(i) = 1 for the father f(i) of link i,  D = (E - F)^-1 = E + F + F F + ...: row i is the
row of the father and a one on the diagonal. In formulas D stands next to stacks of N vectors, and
these products need no matrix: D x is one sweep from the root to the leaves, D' x one sweep back.
Source: Kovalchuk, Kulakov & Semenov, (2) and the section before it.
"""

from __future__ import annotations

import numpy as np

from ..spatial.rotation import Array
from ..system.tree import Tree


def reachability(tree: Tree) -> Array:
    """D, as whole numbers, shape (N, N): lower triangular with ones on the diagonal."""
    D = np.eye(len(tree.links), dtype=int)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            D[i] += D[link.parent]
    return D


def outward(tree: Tree, x: Array) -> Array:
    """D x of a stack over the links, shape (N, ...): what a link has is its own and its father's.

    y_i = x_i + y_f(i)
    """
    y = np.array(x)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            y[i] = y[i] + y[link.parent]
    return y


def inward(tree: Tree, x: Array) -> Array:
    """D' x of a stack over the links, shape (N, ...): each link collects all that hangs on it.

    y_i = x_i + sum over the sons k of  y_k
    """
    y = np.array(x)
    for i in reversed(range(len(tree.links))):
        parent = tree.links[i].parent
        if parent >= 0:
            y[parent] = y[parent] + y[i]
    return y


def of_fathers(tree: Tree, y: Array) -> Array:
    """(D - E) x from y = D x: for each link what its father has, nothing for sons of the base."""
    found = np.array(y)
    for i, link in enumerate(tree.links):
        found[i] = y[link.parent] if link.parent >= 0 else 0.0 * y[i]
    return found


def of_sons(tree: Tree, y: Array) -> Array:
    """(D' - E) x from y = D' x: for each link the sum of what its sons have."""
    found = 0.0 * np.array(y)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            found[link.parent] = found[link.parent] + y[i]
    return found
