"""Quaternions of any length, singular mass matrices, heavy loads: right, or refused in words."""

import pickle
from functools import partial

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

VERBS = (kb.pose, kb.jacobian, kb.inverse_dynamics, kb.forward_dynamics, kb.mass_matrix, kb.energy)


def floating(rng):
    """A free body with an arm on a ball."""
    bodies = [kb.Body(name, rng.uniform(1, 2), rng.normal(size=3), (2, 2, 3)) for name in "ab"]
    joints = [kb.Free("F", "ground", "a"), kb.Spherical("S", "a", "b", at=rng.normal(size=3))]
    return kb.Mechanism("floating", bodies, joints)


@pytest.mark.parametrize("seed", seeds())
def test_a_quaternion_turns_the_same_whatever_its_length(seed):
    """Every verb gives the same answer for q and for longer or shorter quaternions of q."""
    rng = np.random.default_rng(seed)
    m, lengths = floating(rng), rng.uniform(0.1, 10, 2)
    q, v, a = rng.normal(size=m.nq), rng.normal(size=m.nv), rng.normal(size=m.nv)
    q[3:7], q[7:] = q[3:7] / np.linalg.norm(q[3:7]), q[7:] / np.linalg.norm(q[7:])
    other = np.concatenate([q[:3], lengths[0] * q[3:7], lengths[1] * q[7:]])
    for verb in VERBS:
        arrays = [{"v": v, "a": a, "tau": a}[name] for name in verb.inputs[1:]]
        words = {"body": "b"} if "body" in verb.words else {}
        one, two = (np.asarray(verb(m, x, *arrays, **words)) for x in (q, other))
        assert_allclose(two, one, rtol=0, atol=1e-12 * np.abs(one).max())
        with pytest.raises(kb.KorbaError, match="quaternion of length 0"):
            verb(m, np.concatenate([q[:7], np.zeros(4)]), *arrays, **words)


def wrist(rng):
    """Three hinges that meet in a point, the first two of them without mass."""
    bodies = [kb.Body("a"), kb.Body("b"), kb.Body("hand", 1.0, (0, 0, 0.1), rng.uniform(1, 1.5, 3))]
    axes = [
        ("A", "ground", "a", (0, 0, 1)),
        ("B", "a", "b", (0, 1, 0)),
        ("C", "b", "hand", (0, 0, 1)),
    ]
    joints = [kb.Revolute(*ends, at=(0, 0, 0), axis=axis) for *ends, axis in axes]
    return kb.Mechanism("wrist", bodies, joints)


@pytest.mark.parametrize("seed", seeds())
def test_no_accelerations_at_a_singular_mass_matrix(seed):
    """Forward dynamics gives what inverse dynamics takes back, or refuses and names the joints."""
    rng = np.random.default_rng(seed)
    m, tau = wrist(rng), rng.normal(size=3)
    for bend in (0.0, 1e-9, 1e-8):
        with pytest.raises(kb.StructureError, match="singular at the coordinates: A, C move"):
            kb.forward_dynamics(m, [0.3, bend, 0.4], np.zeros(3), tau)
    for bend in (1e-4, 1e-2, 1.0):
        q = [0.3, bend, 0.4]
        a = kb.forward_dynamics(m, q, np.zeros(3), tau)
        back = kb.inverse_dynamics(m, q, np.zeros(3), a)
        condition = np.linalg.cond(kb.mass_matrix(m, q))
        assert_allclose(back, tau, rtol=0, atol=1e-14 * condition * np.abs(tau).max())


@pytest.mark.parametrize("load", [1.0, 1e6, 1e12])
def test_a_heavy_load_does_not_make_links_nothing(load):
    """An arm with a freedom to spare is determined by its own masses, whatever it carries."""
    bodies = [kb.Body(f"b{i}", 1.0, (i + 0.5, 0), 0.1) for i in range(3)]
    bodies[2] = kb.Body("b2", load, (3, 0))
    ends = [("ground", "b0"), ("b0", "b1"), ("b1", "b2")]
    joints = [kb.Revolute(f"j{i}", *pair, at=(i, 0)) for i, pair in enumerate(ends)]
    m = kb.Mechanism("arm", bodies, joints, plane="xy")
    assert np.all(np.isfinite(kb.forward_dynamics(m, [0.1, 0.2, 0.3], np.zeros(3), np.ones(3))))


def test_the_tolerance_of_a_crosscheck_follows_the_condition():
    """Accelerations may differ by as much as solving with the mass matrix loses."""
    m = wrist(np.random.default_rng(0))
    answer = kb.crosscheck(m, states=4)
    assert answer.agree
    stiff = kb.results.CrossCheck("m", 1, 1, 1e-10, 7e4, answer.checks, {})
    assert stiff.allowed("forward_dynamics") >= 2.6e-10
    assert stiff.allowed("inverse_dynamics") == 1e-10


@pytest.mark.parametrize("seed", seeds())
def test_what_is_not_finite_is_refused_by_the_name_of_an_input(seed):
    """Finite states give finite answers, or an error that names the largest number given."""
    rng = np.random.default_rng(seed)
    m, huge = floating(rng), 10.0 ** rng.uniform(160, 300)
    q, slow = rng.normal(size=m.nq), rng.normal(size=m.nv)
    fast, place = slow.copy(), rng.integers(m.nv)
    fast[place] = huge
    for verb in (kb.inverse_dynamics, kb.bias_forces, kb.energy, kb.momentum):
        more = [slow] * (len(verb.inputs) - 2)
        compiled = kb.compile(verb, m)
        for v in (fast, fast.tolist(), np.array([slow, fast])):
            bare = compiled(q, v, *more, check_finite=False)
            finite = all(np.all(np.isfinite(x)) for x in bare)
            again = pickle.loads(pickle.dumps(compiled))  # noqa: S301
            for ask in (partial(verb, m), compiled, again):
                if finite:
                    assert all(map(np.array_equal, ask(q, v, *more), bare))
                else:
                    with pytest.raises(kb.KorbaError) as error:
                        ask(q, v, *more)
                    assert f"v[{place}] = {huge:g}" in str(error.value)
