"""Random states of a tree: near the drawing, within the limits of the joints, quaternions unit."""

from __future__ import annotations

import numpy as np

from ..kinematics.tree import Tree
from ..model.joint import Joint
from ..spatial.rotation import Array


def random_states(tree: Tree, count: int, seed: int = 0) -> dict[str, Array]:
    """`q`, `v` and `a` of the independent coordinates, shape (count, nq) and (count, nv)."""
    rng = np.random.default_rng(seed)
    parts = [_coordinates(joint, count, rng) for joint in tree.m.joints]
    q_all = np.concatenate(parts, axis=1) if parts else np.zeros((count, 0))
    v, a = rng.normal(size=(2, count, tree.nv))
    return {"q": np.ascontiguousarray(q_all[:, list(tree.free_q)]), "v": v, "a": a}


def _coordinates(joint: Joint, count: int, rng: np.random.Generator) -> Array:
    """Drawn coordinates moved by about a third, between the limits where there are any."""
    drawn = np.asarray(joint.drawn_coordinates, dtype=float)
    q = drawn + 0.35 * rng.normal(size=(count, joint.nq))
    if joint.nq > joint.nv:
        q[:, -4:] /= np.linalg.norm(q[:, -4:], axis=1, keepdims=True)
        return q
    lower = -np.inf if joint.lower is None else np.array(joint.lower)
    upper = np.inf if joint.upper is None else np.array(joint.upper)
    return np.clip(q, lower, upper)
