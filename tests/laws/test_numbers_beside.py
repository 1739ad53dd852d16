"""Verbs whose numbers stand beside shared code, against code with the numbers folded in.

Mechanisms of one kind are asked one after the other, so that later ones run code that was compiled
for the first, with a table of their own.
"""

import numpy as np
import pytest
from crank_rockers import crank_rocker
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import compile_program
from korba.codegen.targets.llvm import machine

T = np.linspace(0.0, 0.3, 5)
VERBS = ["reactions", "driving_forces", "inverse_dynamics", "forward_dynamics", "mass_matrix"]


def answers(f, given):
    """Of a batch, and of its states one by one."""
    many, single = f(*given), [f(*(x[k] for x in given)) for k in range(len(T))]
    parts = many if isinstance(many, tuple) else (many,)
    alone = [x if isinstance(x, tuple) else (x,) for x in single]
    return [*parts, *(np.array([x[i] for x in alone]) for i in range(len(parts)))]


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_beside_the_code_change_nothing(kind, name):
    """A batch and single states, before and after the numbers of batches are folded in."""
    verb = getattr(kb, name)
    for seed in range(3):
        m = loaded(kind, seed)
        moved = kb.motion(m, T)
        own = {"q": moved.q, "v": moved.v, "a": moved.a, "tau": 0 * moved.v, "t": T[:, None]}
        shared, alone = verb.compiled(m), compile_program(verb.program(m))
        given = [own[x] for x, _ in shared.signature.inputs]
        wanted = answers(alone, given)
        for found in (answers(shared, given), answers(shared.folded(), given)):
            for x, y in zip(found, wanted, strict=True):
                assert_allclose(x, y, rtol=0, atol=1e-9 * max(1.0, np.abs(y).max(initial=0.0)))


@pytest.mark.parametrize("name", VERBS)
def test_four_bars_share_the_code_of_verbs(name, monkeypatch, tmp_path):
    """Of twelve four-bars of random bars few are compiled: equations are written in few ways."""
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path))
    made, compiled, verb = [], machine._compiled, getattr(kb, name)
    monkeypatch.setattr(machine, "_compiled", lambda *x: made.append(x[0]) or compiled(*x))
    monkeypatch.setattr(machine, "_unchanged", lambda *_: True)
    tables = set()
    for seed in range(12):
        f = verb.compiled(crank_rocker(seed))
        tables.add(f.signature.numbers)
        f(*(np.zeros((2, size)) + 0.1 for _, size in f.signature.inputs), check_finite=False)
    assert len(tables) == 12
    assert len(made) <= 6
