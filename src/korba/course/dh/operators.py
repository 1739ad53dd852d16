"""The product of Denavit-Hartenberg matrices round a loop, and its derivatives by the operators Q.

    dA_i/dq_i = A_i Q_i                                                                   (3.112)

with one constant Q for all R pairs and one for all T pairs, so that a derivative of the product is
the product with Q put in. Near closure it differs from the unit matrix by a small displacement, and
the six entries 12, 13, 14, 23, 24, 34 above the diagonal say everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ...errors import StructureError
from ...spatial.rotation import Array
from .position import DHLink

UPPER = ([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3])

Q_R = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
"""(3.109)."""
Q_T = np.array([[0.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
"""(3.111)."""


def loop_product(links: Sequence[DHLink], q: Any) -> Array:
    """H, the product round the loop: the unit matrix when it is closed (2.163)."""
    if not links or len(links) != len(q):
        raise StructureError(f"q: expected {len(links)} values, one for each row, got {len(q)}")
    return product_with(links, q, ())


def product_with(links: Sequence[DHLink], q: Any, places: Sequence[int]) -> Array:
    """The product with Q_i after every A_i in `places`: B_i for one, D_i^(j) for two."""
    factors = []
    for i, (link, value) in enumerate(zip(links, q, strict=True)):
        Q = Q_R if link.pair == "R" else Q_T
        factors += [link.matrix(value), *[Q] * list(places).count(i)]
    return reduce(np.matmul, factors)


def loop_length(links: Sequence[DHLink]) -> float:
    """A typical length of the loop: the largest of its sizes, or 1 where all axes meet."""
    sizes = [abs(float(size)) for link in links for size in (link.a, link.d)]
    return max(sizes, default=0.0) or 1.0


def upper(links: Sequence[DHLink], A: Array) -> Array:
    """The six entries above the diagonal, lengths in the loop's typical length."""
    scale = loop_length(links)
    return A[UPPER] / np.array([1.0, 1.0, scale, 1.0, scale, scale])


def loop_columns(links: Sequence[DHLink], q: Any) -> Array:
    """Entries of B_1 ... B_k beside each other, shape (6, k)."""
    columns = [upper(links, product_with(links, q, (i,))) for i in range(len(links))]
    return np.stack(columns, axis=1)
