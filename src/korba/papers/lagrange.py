"""Every quantity of the trace-form Lagrange equations at one state, by the names of the bodies.

The matrices are those of Maryniak & Malecki: T, W and the tables U stand in the frames in which the
bodies are described, which for an arm of `from_dh` are the frames of its table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..dynamics.lagrange_dh import Share, shares
from ..dynamics.theta import second_table, tables
from ..kinematics.couplings import all_coordinates
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.states import state
from ..verbs.systems import tree_system


@dataclass(frozen=True, eq=False)
class LagrangeTerms(Displayed):
    """What `lagrange_terms` found; derivatives that are not in the tables are zero."""

    velocities: tuple[str, ...]
    """Velocities of all joints, dependent ones too: the names in U, U2 and in `lead_in`."""
    T: dict[str, Array]
    """Pose of each body in the one it hangs on (3.1)."""
    W: dict[str, Array]
    """Pose of each body in the world (3.4)."""
    U: dict[tuple[str, str], Array]
    """dW/dq by (body, velocity) (3.10)."""
    U2: dict[tuple[str, str, str], Array]
    """d2W/dq dq by (body, velocity, velocity) (3.18)."""
    main: dict[str, Share]
    """What each body of the main chain adds."""
    elements: dict[str, Share]
    """What each accompanying element adds: R, R3, gamma, beta_1, beta_2, energies."""
    A_main: Array
    """A of the main chain (3.20)."""
    C_main: Array
    """C of the main chain (3.21)."""
    b_main: Array
    """b[l, j, k] with  C_main[l] = sum b[l, j, k] v_j v_k - gravity's part  (3.22)."""
    A: Array
    """A of the whole (3.68)."""
    C: Array
    """C of the whole (3.68), without damping and loads."""


@public
def lagrange_terms(m: Mechanism, q: Any, v: Any, *, gravity: Any = None) -> LagrangeTerms:
    """All terms of Lagrange's equations in trace form at one state, by name.

    >>> terms = kb.papers.lagrange_terms(arm, [0.1, 0.2, 0.3], [1, 2, 3])
    >>> terms.U["upper arm", "waist"].round(6)
    array([[-0.097843,  0.019834,  0.995004,  0.      ],
           [ 0.97517 , -0.197677,  0.099833,  0.      ],
           [ 0.      ,  0.      ,  0.      ,  0.      ],
           [ 0.      ,  0.      ,  0.      ,  0.      ]])
    """
    system = tree_system(m, gravity)
    tree = system.tree
    q, v = (state(tree, n, x, many=False) for n, x in (("q", q), ("v", v)))
    q_all = all_coordinates(tree, q)
    first = tables(tree, q_all)
    second = second_table(tree, q_all, first)
    ends = [link.X_BL.inverse().matrix().astype(float) for link in tree.links]
    W = {link.name: first.W[i].astype(float) @ ends[i] for i, link in enumerate(tree.links)}
    U: dict[tuple[str, str], Array] = {}
    U2: dict[tuple[str, str, str], Array] = {}
    for i, link in enumerate(tree.links):
        for j, U_j in first.U[i].items():
            U[link.name, tree.velocities[j]] = U_j.astype(float) @ ends[i]
        for (j, k), U_jk in second[i].items():
            one, two = tree.velocities[j], tree.velocities[k]
            U2[link.name, one, two] = U2[link.name, two, one] = U_jk.astype(float) @ ends[i]
    every = {share.body: _floats(share) for share in shares(tree, q, v, system.gravity)}
    main = {name: share for name, share in every.items() if not share.accompanying}
    return LagrangeTerms(
        tree.velocities,
        _steps(tree, W),
        W,
        U,
        U2,
        main,
        {name: share for name, share in every.items() if share.accompanying},
        _sum((s.gamma for s in main.values()), (tree.nv, tree.nv)),
        _sum((s.beta_1 + s.beta_2 for s in main.values()), (tree.nv,)),
        _sum((_spread(s) for s in main.values()), (tree.nv,) * 3),
        _sum((s.gamma for s in every.values()), (tree.nv, tree.nv)),
        _sum((s.beta_1 + s.beta_2 for s in every.values()), (tree.nv,)),
    )


def _steps(tree: Tree, W: dict[str, Array]) -> dict[str, Array]:
    """T of every body, from the W of it and of the one before."""
    found = {}
    for link in tree.links:
        before = np.eye(4) if link.parent < 0 else W[tree.links[link.parent].name]
        found[link.name] = np.linalg.solve(before, W[link.name])
    return found


def _floats(share: Share) -> Share:
    """The share with plain numbers."""
    arrays = ("P", "R", "R3", "gamma", "beta_1", "beta_2")
    changes: dict[str, Any] = {key: getattr(share, key).astype(float) for key in arrays}
    changes |= {key: float(getattr(share, key)) for key in ("kinetic", "potential")}
    return replace(share, **changes)


def _spread(share: Share) -> Array:
    """R3 in the independent velocities."""
    return np.einsum("ijk,il,jm,kn->lmn", share.R3, share.P, share.P, share.P)


def _sum(parts: Iterable[Array], shape: tuple[int, ...]) -> Array:
    return np.asarray(sum(parts, np.zeros(shape)), dtype=float)
