"""Many starts at once: each run is the run from its start alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from simulated_trees import double_pendulum, pendulum, slider, with_joint

import korba as kb

METHODS = [
    {},
    {"method": kb.Method("rk4", step=2e-3)},
    {"method": kb.Method("symplectic", step=5e-3)},
]


@pytest.mark.parametrize("options", METHODS)
def test_a_run_of_many_is_the_run_alone(options):
    """Same steps, rejections and rows, whatever the neighbours do; 21 runs share 8 lanes."""
    m, rng = double_pendulum(), np.random.default_rng(0)
    q, v, times = rng.uniform(-2, 2, (3, 7, 2)), rng.normal(size=(7, 2)), [0.1, 0.5, 1.0]
    runs = kb.simulate(m, 1.0, q=q, v=v, times=times, **options)
    assert runs.q.shape == (3, 7, 3, 2)
    assert runs.shape == (3, 7)
    assert np.all(runs.status == "finished")
    for place in ((0, 0), (1, 3), (2, 6)):
        alone = kb.simulate(m, 1.0, q=q[place], v=v[place[1]], times=times, **options)
        assert_allclose(runs.q[place], alone.q, rtol=0, atol=1e-9)
        assert_allclose(runs["v_B"][place], alone["v_B"], rtol=0, atol=1e-8)
        assert_allclose(runs["a_A"][place], alone["a_A"], rtol=0, atol=1e-7)
        worst = runs.audit.energy[place]
        assert_allclose(worst, alone.audit.energy, rtol=1e-3, atol=1e-12)
        one = runs[place]
        assert one.effort.steps == alone.effort.steps == runs.effort.steps[place]
        assert one.effort.rejected == alone.effort.rejected
        assert_allclose(one.q, runs.q[place], rtol=0)


@pytest.mark.parametrize("options", METHODS)
def test_quaternions_forces_and_work_run_in_lanes(options):
    """A spherical joint with forces of its own for each run, audited by its work."""
    m = with_joint("spherical")
    tau = np.random.default_rng(1).normal(size=(5, m.nv))
    runs = kb.simulate(m, 0.5, tau=tau, times=6, **options)
    alone = kb.simulate(m, 0.5, tau=tau[3], times=6, **options)
    assert_allclose(runs.q[3], alone.q, rtol=0, atol=1e-10)
    assert_allclose(runs["work"][3], alone["work"], rtol=0, atol=1e-10)
    assert_allclose(np.linalg.norm(runs.q[..., :4], axis=-1), 1, atol=1e-12)
    assert np.all(runs.audit.energy < 1e-7)


def test_names_may_have_arrays():
    """Names with arrays are starts too; without times the start and the end come back."""
    m = double_pendulum()
    runs = kb.simulate(m, 0.4, q={"A": np.linspace(0, 1, 9), "B": "10 deg"}, v={"B": 1.0})
    assert_array_equal(runs.t, [0.0, 0.4])
    assert_allclose(runs["A"][:, 0], np.linspace(0, 1, 9))
    alone = kb.simulate(m, 0.4, q=[0.25, np.pi / 18], v=[0.0, 1.0], times=2)
    assert_allclose(runs.q[2], alone.q, rtol=0, atol=1e-10)
    assert "9 of 9 runs finished at t = 0.4 s" in str(runs)


def test_one_that_fails_leaves_the_others_alone():
    """x'' = 2 x^3 from x = x' is singular at t = 1/x: such runs stop there, with rows so far."""
    m, x = slider(mass=1.0), np.array([0.3, 2.0, 0.1, 1.0])
    options = {"q": x[:, None], "v": x[:, None] ** 2, "tau": {"x": "2*x^3"}, "times": [0.25, 1.5]}
    runs = kb.simulate(m, 1.5, raise_on_failure=False, **options)
    assert_array_equal(runs.status, ["finished", "failed", "finished", "failed"])
    assert_allclose(runs["x"][:, 0], x / (1 - 0.25 * x), rtol=1e-6)
    assert_array_equal(np.isnan(runs["x"][:, 1]), [False, True, False, True])
    assert_allclose(runs["x"][0, 1], 0.3 / (1 - 0.45), rtol=1e-6)
    assert len(runs[1]) == 1
    with pytest.raises(kb.SimulationError, match=r"2 of 4 runs failed, the first, 1, stopped at t"):
        kb.simulate(m, 1.5, **options)


def test_runs_that_are_not_finite_say_so():
    """A lane whose slope has no value ends at once, with its neighbours unharmed."""
    m = slider(kb.JointForce("f", "x", law="-10*sqrt(x)"))
    for more in METHODS:
        runs = kb.simulate(m, 0.1, q=[[1.0], [-1.0]], raise_on_failure=False, **more)
        assert_array_equal(runs.status, ["finished", "failed"])
        assert "no longer finite" in runs.message


def test_slices_threads_and_a_single_start_change_nothing(monkeypatch):
    """Few attempts a call, several threads, one run alone in the batch: the same bits."""
    from korba.simulation import stepping

    m, q = double_pendulum(), np.random.default_rng(2).uniform(-1, 1, (50, 2))
    whole = kb.simulate(m, 1.0, q=q, times=11)
    assert_array_equal(kb.simulate(m, 1.0, q=q, times=11, method=kb.Method(threads=2)).q, whole.q)
    assert_array_equal(kb.simulate(m, 1.0, q=q[4:5], times=11).q[0], whole.q[4])
    assert kb.simulate(m, 1.0, q=q[:0], times=11).q.shape == (0, 11, 2)
    for name, value in (("FIRST_TURNS", 3), ("FEWEST_TURNS", 3), ("SECONDS", 0.0)):
        monkeypatch.setattr(stepping, name, value)
    assert_array_equal(kb.simulate(m, 1.0, q=q, times=11).q, whole.q)


def test_an_interrupt_keeps_the_runs_that_are_done():
    """Runs that have ended are there, the others say that they were interrupted."""
    seen = []

    def stop_later(t):
        seen.append(t)
        if len(seen) == 3:
            raise KeyboardInterrupt

    q = np.random.default_rng(2).uniform(-1, 1, (40, 2))
    options = {"method": kb.Method("rk4", step=1e-3)}
    runs = kb.simulate(double_pendulum(), 300.0, q=q, progress=stop_later, **options)
    assert "interrupted" in runs.status
    assert 0 < seen[0] < seen[1] < seen[2] < 300
    assert np.all(np.isnan(runs.q[runs.status == "interrupted", 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": np.zeros((3, 2))}, r"q: expected shape \(\.\.\., 1\), got \(3, 2\)"),
        ({"q": np.zeros((3, 1)), "v": np.zeros((4, 1))}, "leading axes of the starts do not fit"),
        ({"q": [[0.0], [np.nan]]}, "q: expected finite numbers, got nan"),
        ({"tau": np.zeros((2, 3))}, r"tau: expected shape \(\.\.\., 1\)"),
        ({"q": {"B": np.zeros(3)}}, "q: there is no 'B'; there are A"),
        ({"q": {"A": ["x", "y"]}}, "q of 'A': expected an array of numbers"),
        (
            {"q": np.zeros((3, 1)), "method": kb.Method(threads=0)},
            "threads: expected a whole number",
        ),
    ],
)
def test_wrong_starts_are_refused(arguments, message):
    """Each error names the argument, what was found and what was expected."""
    with pytest.raises(kb.KorbaError, match=message):
        kb.simulate(pendulum(), 1.0, **arguments)


def test_columns_of_runs_have_names():
    """An unknown name lists the known ones."""
    runs = kb.simulate(pendulum(), 0.1, q=np.zeros((2, 1)))
    with pytest.raises(kb.KorbaError, match="there is no column 'C'; there are t, A, v_A, a_A"):
        runs["C"]
