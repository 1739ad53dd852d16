"""What is kept of a mechanism: made once, forgotten with it, never seen in the mechanism itself."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.testing import assert_allclose
from sample_mechanisms import two_links

import korba as kb
from korba.codegen import Compiled
from korba.system.store import compiled, kept, program_key, store_of

Q, V, A = np.array([0.4, -0.9]), np.array([1.5, -0.7]), np.array([0.3, 2.0])


class Value:
    """Something that may hold its mechanism."""

    def __init__(self, m):
        self.m = m


def test_a_value_is_made_once():
    """The second question gets the value of the first, other keys get others."""
    m = two_links()
    one = kept(m, "one", lambda: Value(m))
    assert kept(m, "one", lambda: Value(m)) is one
    assert kept(m, "two", lambda: Value(m)) is not one


def test_values_are_forgotten_with_their_mechanism():
    """Nothing is kept of a mechanism that is gone, even where its values hold it."""
    m = two_links()
    kb.mass_matrix(m, Q)
    gone = [weakref.ref(m), weakref.ref(kept(m, "it", partial(Value, m)))]
    gone += [weakref.ref(x) for x in store_of(m).values() if isinstance(x, Compiled)]
    assert len(gone) > 2
    del m
    gc.collect()
    assert [each() for each in gone] == [None] * len(gone)


def test_a_mechanism_does_not_show_what_is_kept():
    """Equality, hash, repr, copies and pickles are those of the mechanism alone."""
    m, other = two_links(), two_links()
    kb.inverse_dynamics(m, Q, V, A)
    assert m == other
    assert hash(m) == hash(other)
    assert repr(m) == repr(other)
    assert not store_of(replace(m))
    for same in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)), copy.copy(m)):  # noqa: S301
        assert same == m
        assert_allclose(kb.inverse_dynamics(same, Q, V, A), kb.inverse_dynamics(m, Q, V, A))
    assert not store_of(copy.deepcopy(m))


def test_threads_that_come_together_get_one_value():
    """Of values made at the same time one is kept, and all threads have that one."""
    m = two_links()
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: kept(m, "it", lambda: Value(m)), range(64)))
    assert len(set(map(id, values))) == 1


def test_the_key_on_disk_is_the_content():
    """Equal mechanisms have one key, others and other options have others; functions have none."""
    keys = [
        program_key(two_links(), "verb", None),
        program_key(two_links(), "verb", "kane"),
        program_key(two_links(gravity=(0, -1.6, 0)), "verb", None),
    ]
    assert len(set(keys)) == 3
    assert program_key(two_links(), "verb", None) == keys[0]
    assert program_key(two_links(), len) is None


def test_programs_are_kept_once():
    """A compiled program is the same object at the second question."""
    m = two_links()

    def make():
        return kb.derivative(kb.energy, m, "q")

    assert compiled(m, "it", make) is compiled(m, "it", make)
