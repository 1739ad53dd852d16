"""Sizes as inputs, on random trees: the answer for a design is that of its mechanism."""

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from random_trees import CASES, SPATIAL, random_state, random_tree

import korba as kb
from korba.files.lines import Lines
from korba.files.reading import mechanism_of
from korba.files.writing import document_of

SIZES = ("first", "second", "third")


def with_sizes(m, rng):
    """The mechanism with formulas of three parameters in the places of many of its numbers.

    A tensor of inertia grows as a whole, and a matrix of a rotation stays.
    """

    def changed(raw, key, size=None):
        if isinstance(raw, dict):
            return {k: changed(x, k) for k, x in raw.items()}
        if isinstance(raw, list) and key != "rotation":
            size = rng.choice(SIZES) if key == "inertia" and size is None else size
            return [changed(x, key, size) for x in raw]
        if isinstance(raw, float) and (size or rng.random() < 0.4):
            return f"{raw!r}*{size or rng.choice(SIZES)}"
        return raw

    document = document_of(m)
    for section in {"body", "joint", "coupling"} & document.keys():
        document[section] = [changed(table, "") for table in document[section]]
    document["parameters"] = dict.fromkeys(SIZES, 1.0)
    return mechanism_of(document, {}, Lines(), kb.ModelError)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_a_design_answers_as_its_mechanism(case, seed):
    """verb(m, ..., parameters=design) is verb(redimension(m, **design), ...), for any field."""
    rng = np.random.default_rng(seed)
    many = [kind for kind in SPATIAL if len(kb.JOINT_TYPES[kind].velocity_names) > 1]
    kinds = [*rng.choice(many, 2, replace=False), "revolute", "prismatic", "screw"]
    tree = random_tree(seed, **case, kinds=kinds)
    m = with_sizes(tree.m, rng)
    design = dict(zip(SIZES, rng.uniform(0.6, 1.6, 3).tolist(), strict=True))
    other = kb.redimension(m, **design)
    q, v, a = random_state(tree, seed)
    M = kb.mass_matrix(other, q)
    scale = np.linalg.cond(M) * 1e-14
    for verb, inputs in (
        (kb.mass_matrix, (q,)),
        (kb.inverse_dynamics, (q, v, a)),
        (kb.forward_dynamics, (q, v, a)),
    ):
        expected = verb(other, *inputs)
        found = verb(m, *inputs, parameters=design)
        atol = max(scale if verb is kb.forward_dynamics else 0.0, 1e-12)
        assert_allclose(found, expected, rtol=0, atol=atol * max(1.0, np.abs(expected).max()))
    slope = kb.compile(kb.derivative(kb.inverse_dynamics, m, "second"))(q, v, a)
    f = kb.compile(kb.inverse_dynamics, m, parameters=("second",))
    h = 1e-2
    D = [(f(q, v, a, [1 + d]) - f(q, v, a, [1 - d])) / (2 * d) for d in (h, h / 2, h / 4)]
    D = [(4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3]
    expected = (16 * D[1] - D[0]) / 15
    assert_allclose(slope, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))
