"""The verb itself: arguments by name, endings, interruption, and what a solution can do."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulated_trees import double_pendulum, pendulum, slider, wheel, with_joint

import korba as kb
from korba.simulation import stepping
from korba.simulation.right_hand_side import plant_of
from korba.simulation.schemes import scheme_of


def test_a_start_by_names_is_the_start_by_arrays():
    """Names not mentioned stay as drawn and at rest; values may carry units."""
    m = double_pendulum()
    by_name = kb.simulate(m, "500 ms", q={"B": "30 deg"}, v={"A": "10 rpm"}, times=3)
    by_array = kb.simulate(m, 0.5, q=[0, np.pi / 6], v=[np.pi / 3, 0], times=3)
    assert_allclose(by_name.q, by_array.q, atol=1e-14)
    assert_allclose(by_name["v_B"], by_array.v[:, 1], atol=1e-13)


def test_without_a_start_the_mechanism_begins_as_drawn():
    """q is the drawing position, v is zero; a quaternion is made unit at the door."""
    m = with_joint("spherical")
    found = kb.simulate(m, 0.1, times=2)
    assert_allclose(found.q[0], [1, 0, 0, 0, 0])
    assert_allclose(found.v[0], 0)
    turned = kb.simulate(m, 0.1, q=[2, 0, 0, 0, 0], times=2)
    assert_allclose(turned.q, found.q)


def test_columns_have_names():
    """Coordinates, velocities and accelerations by name; an unknown name lists the known ones."""
    found = kb.simulate(double_pendulum(), 1, q=[0.1, 0.2], times=5)
    assert found.names[:7] == ("t", "A", "B", "v_A", "v_B", "a_A", "a_B")
    assert found.names[7:] == ("kinetic", "potential", "work", "balance")
    assert_allclose(found["B"], found.q[:, 1])
    a = kb.forward_dynamics(double_pendulum(), found.q, found.v, np.zeros((5, 2)))
    assert_allclose(found["a_A"], a[:, 0], rtol=1e-12)
    assert len(found) == 5
    with pytest.raises(kb.KorbaError, match="v_B"):
        found["C"]


def test_times_may_start_late_and_be_uneven():
    """Rows are exactly the times asked for."""
    times = [0.3, 0.30001, 0.7, 1.4]
    for more in (
        {},
        {"method": kb.Method("rk4", step=0.01)},
        {"method": kb.Method("symplectic", step=0.01)},
    ):
        found = kb.simulate(pendulum(), 1.5, times=times, **more)
        assert_allclose(found.t, times, rtol=0)
        exact = kb.simulate(pendulum(), 1.5, times=times, method=kb.Method(rtol=1e-12, atol=1e-12))
        assert_allclose(found.q, exact.q, atol=1e-6)


def test_a_run_in_many_pieces_is_the_run_in_one(monkeypatch):
    """Small arrays and few steps for each call of the compiled code change nothing."""
    whole = kb.simulate(double_pendulum(), 3, q=[0.3, 0.2])
    many = kb.simulate(double_pendulum(), 3, q=[0.3, 0.2], times=300)
    for name, value in (("FIRST_TURNS", 2), ("FEWEST_TURNS", 2), ("SECONDS", 0.0)):
        monkeypatch.setattr(stepping, name, value)
    assert_allclose(kb.simulate(double_pendulum(), 3, q=[0.3, 0.2]).q, whole.q, rtol=0)
    assert_allclose(kb.simulate(double_pendulum(), 3, q=[0.3, 0.2], times=300).q, many.q, rtol=0)


@pytest.mark.parametrize("method", ["dop853", "rk4", "symplectic"])
def test_an_interrupted_run_keeps_what_it_has(method):
    """A keyboard interrupt between two calls ends the run; its rows are those of the full run."""
    reached = []

    def stop_later(t):
        reached.append(t)
        if len(reached) == 3:
            raise KeyboardInterrupt

    m, more = double_pendulum(), {"method": kb.Method(method, step=1e-4)}
    found = kb.simulate(m, 1000, q=[0.3, 0.2], progress=stop_later, **more)
    assert found.status == "interrupted"
    assert "interrupted at t = " in found.message
    assert 0 < found.t[-1] <= reached[-1] < 1000
    full = kb.simulate(m, float(found.t[-1]) + 1e-9, q=[0.3, 0.2], times=found.t, **more)
    assert_allclose(found.q[:50], full.q[:50], atol=1e-9)


def test_a_singular_motion_fails_with_what_it_has():
    """x'' = 2 x^3 from x = x' = 1 is 1/(1 - t): the run stops near t = 1, says so, and keeps it."""
    m = slider(mass=1.0)
    law = {"x": "2*x^3"}
    with pytest.raises(kb.SimulationError, match=r"stopped at t = (1|0\.99\d*) s of 2 s") as caught:
        kb.simulate(m, 2, q=[1], v=[1], tau=law)
    found = caught.value.trajectory
    assert found.status == "failed"
    assert found.t[-1] == pytest.approx(1, abs=1e-3)
    early = found.t < 0.9
    assert_allclose(found["x"][early], 1 / (1 - found.t[early]), rtol=1e-6)
    same = kb.simulate(m, 2, q=[1], v=[1], tau=law, raise_on_failure=False)
    assert same.status == "failed"


def test_accelerations_that_are_not_finite_fail_in_words():
    """sqrt of a negative coordinate has no value: every method says that it stopped, and when."""
    m = slider(kb.JointForce("f", "x", law="-10*sqrt(x)"))
    for more in (
        {},
        {"method": kb.Method("rk4", step=0.01)},
        {"method": kb.Method("symplectic", step=0.01)},
    ):
        found = kb.simulate(m, 20, q=[0.1], raise_on_failure=False, **more)
        assert found.status == "failed"
        assert "stopped at t = " in found.message
        assert np.all(np.isfinite(found.q))
    nowhere = kb.simulate(m, 1, q=[-1], raise_on_failure=False)
    assert "no longer finite" in nowhere.message
    assert len(nowhere) == 1


def test_an_implicit_step_that_is_too_long_says_so():
    """The iteration of the symplectic scheme needs steps shorter than the fastest swing."""
    stiff = slider(kb.JointForce("s", "x", stiffness=1e6))
    with pytest.raises(kb.SimulationError, match="does not converge; give a smaller step"):
        kb.simulate(stiff, 1, q=[0.1], method=kb.Method("symplectic", step=0.1))


def test_a_stiff_system_is_noted():
    """A strong damper makes stability limit the steps, and a note says so."""
    found = kb.simulate(slider(damping=1e4, mass=1.0), 2, v=[1], tau=[1.0])
    assert "stiff" in " ".join(found.notes)
    assert_allclose(found["v_x"][-1], 1e-4, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"until": -1}, "after the start"),
        ({"q": [1, 2]}, r"expected shape \(1,\)"),
        ({"q": {"B": 1}}, "there is no 'B'; there are A"),
        ({"q": [np.nan]}, "finite"),
        ({"v": {"A": "3 kg"}}, "v of 'A'"),
        ({"tau": {"A": "x+1"}}, "unknown name 'x'"),
        ({"tau": lambda t: 0}, "Python function"),
        ({"tau": {"C": 1}}, "there is no 'C'"),
        ({"times": [0, 2, 1]}, "increasing"),
        ({"times": 1}, "2 times or more"),
        ({"method": "euler"}, "dop853, rk4, symplectic"),
        ({"method": "rk4"}, "needs the length of its steps"),
        ({"method": kb.Method("symplectic", step=0.1, formulation="newton-euler")}, "Hamilton"),
        ({"method": kb.Method(formulation="magic")}, "no formulation 'magic'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    """Each error names the argument, what was found and what was expected."""
    with pytest.raises(kb.KorbaError, match=message):
        kb.simulate(pendulum(), **arguments)


def test_what_cannot_move_is_refused():
    """Mechanisms without a freedom, and methods that do not take loops or drives."""
    drive = kb.JointDrive("d", "A", "2*t")
    with pytest.raises(kb.KorbaError, match="symplectic method is for trees that move freely"):
        kb.simulate(pendulum(drives=[drive]), method=kb.Method("symplectic", step=0.01))
    fixed = kb.Mechanism("still", [kb.Body("b", 1)], [kb.Fixed("F", "ground", "b")])
    with pytest.raises(kb.StructureError, match="no freedom"):
        kb.simulate(fixed)


def test_a_named_formulation_gives_the_same_motion():
    """Composite bodies and articulated bodies move alike."""
    runs = [
        kb.simulate(double_pendulum(), 1, q=[0.1, 0.2], times=3, method=kb.Method(formulation=name))
        for name in ("composite-body", "articulated-body")
    ]
    assert_allclose(runs[0].q, runs[1].q, atol=1e-9)


def test_a_solution_reads_and_writes(tmp_path):
    """The summary, the CSV file and the data hold what the arrays hold."""
    found = kb.simulate(wheel(), 2, v=[3.0], times=5)
    assert "finished at t = 2 s" in str(found)
    assert "v_A      3 rad/s at the end" in str(found)
    found.save(tmp_path / "motion.csv", ["t", "A", "v_A"])
    table = np.genfromtxt(tmp_path / "motion.csv", delimiter=",", names=True)
    assert table.dtype.names == ("t", "A", "v_A")
    assert_allclose(table["A"], found["A"], rtol=0)
    assert found.to_dict()["last"]["A"] == pytest.approx(6)
    with pytest.raises(kb.KorbaError, match="cannot be written"):
        found.save(tmp_path / "no" / "motion.csv")


def test_a_bar_shows_how_far_it_is(capsys):
    """progress=True draws on standard error, and nothing on standard output."""
    kb.simulate(pendulum(), 500, progress=True, times=2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "simulating" in err


def test_a_run_is_prepared_once_and_forgotten_with_its_mechanism():
    """The second run of a mechanism takes what the first made; nothing of it outlives it."""
    m = pendulum()
    kb.simulate(m, 0.1)
    made = weakref.ref(scheme_of(plant_of(m)[0], "dop853"))
    kb.simulate(m, 0.2)
    assert scheme_of(plant_of(m)[0], "dop853") is made()
    del m
    gc.collect()
    assert made() is None
