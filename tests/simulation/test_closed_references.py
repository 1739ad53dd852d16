"""Free motion of mechanisms with loops, against published and exact solutions."""

from __future__ import annotations

import numpy as np
import pytest
from closed_references import (
    andrews,
    bricard,
    double_four_bar,
    free_four_bar,
    reference,
    rssr,
    spatial_slider_crank,
    three_cranks,
)
from numpy.testing import assert_allclose

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-13)}


def audited(run, energy=1e-9):
    """Loops stay closed, and the energy adds up."""
    assert run.audit.residual < 1e-10
    assert run.audit.energy < energy
    return run


def test_double_four_bar_passes_its_singular_positions_on_its_branch():
    """P1, IFToMM A02: B0 at 1 to 10 s, through ten positions where the loops lose two ranks."""
    _, states, results = reference("p1_double_fourbar")
    m = double_four_bar()
    run = audited(kb.simulate(m, 10.0, v={"A0": -1.0}, times=states["t"], **TIGHT))
    at = run.point("crank0", (0, 1))
    assert_allclose(at.position[:, :2], results["B0"], rtol=0, atol=1e-8)
    assert_allclose(at.velocity[:, :2], results["B0_velocity"], rtol=0, atol=1e-7)
    rough = audited(kb.simulate(m, 10.0, v={"A0": -1.0}, times=states["t"]), 1e-6)
    assert_allclose(rough.point("crank0", (0, 1)).position[:, :2], results["B0"], rtol=0, atol=1e-4)


def test_bricard_falls_with_a_row_to_spare():
    """P2, IFToMM A04: P2 and P3 at 1 to 10 s."""
    _, states, results = reference("p2_bricard")
    run = audited(kb.simulate(bricard(), 10.0, times=states["t"], **TIGHT))
    P2, P3 = run.point("rod1", (1, -1, 0)), run.point("rod2", (1, -1, 1))
    assert_allclose(P2.position, np.array(results["P2_values"])[:, :3], rtol=0, atol=1e-6)
    assert_allclose(P3.position, np.array(results["values"])[:, :3], rtol=0, atol=1e-6)


def test_andrews_squeezer():
    """P4: seven angles at 0.03 s, and the accelerations at the start."""
    _, states, results = reference("p4_andrews")
    m = andrews()
    run = audited(kb.simulate(m, 0.03, times=states["t"], **TIGHT))
    angle = {name: run[name] - run[name][0] for name in ("O", "F", "B", "G", "A5", "H", "A7")}
    told = np.array(results["angles"]) - results["angles"][0]
    own = np.stack([angle[name] for name in ("O", "F", "B", "G", "A5", "H", "A7")], axis=-1)
    assert_allclose(own, told, rtol=0, atol=1e-6)
    assert_allclose(run.a[0][[m.velocities.index("O")]], results["initial_accelerations"][0])


def test_spatial_slider_crank():
    """P5, IFToMM: slider and crank of five seconds, the rod on a ball and a universal joint."""
    _, states, results = reference("p5_spatial_slider_crank")
    run = audited(
        kb.simulate(spatial_slider_crank(), 5.0, v={"A": 6.0}, times=states["t"], **TIGHT)
    )
    x, v, angle, _ = np.array(results["values"]).T
    assert_allclose(run["C"], x - 0.2, rtol=0, atol=1e-7)
    assert_allclose(run["v_C"], v, rtol=0, atol=1e-6)
    assert_allclose(run["A"], angle, rtol=0, atol=1e-6)


def test_three_cranks_run_freely():
    """P8: an over-constrained parallelogram through its flat positions."""
    _, states, results = reference("p8_three_cranks")
    angle, speed = np.array(results["free_motion"]["values"]).T
    m = three_cranks()
    run = audited(kb.simulate(m, 2.0, v={"A0": 12.0}, times=states["t"], **TIGHT))
    assert_allclose(run["A0"], angle - angle[0], rtol=0, atol=1e-7)
    assert_allclose(run["v_A0"], speed, rtol=0, atol=1e-6)


def test_four_bar_runs_freely():
    """P10: crank angle and speed over ten seconds."""
    _, states, results = reference("p10_fourbar_free")
    run = audited(kb.simulate(free_four_bar(), 10.0, v={"A": 10.0}, times=states["t"], **TIGHT))
    assert_allclose(run["A"], results["crank_angle"], rtol=0, atol=1e-6)
    assert_allclose(run["v_A"], results["crank_speed"], rtol=0, atol=1e-5)
    assert np.abs(run["balance"]).max() < 1e-8


@pytest.mark.parametrize("method", [TIGHT["method"], kb.Method("rk4", step=1e-4)], ids=repr)
def test_rssr_under_torque(method):
    """P11: crank, rocker and the ball at C; the rod spins as it may."""
    _, states, results = reference("p11_rssr")
    run = kb.simulate(rssr(), 3.0, v={"A": 9.0}, times=states["t"], method=method)
    audited(run, 1e-8)
    f, df, p, _, *C = np.array(results["values"]).T
    close = {"rtol": 0, "atol": 1e-7}
    assert_allclose(run["A"], f - f[0], **close)
    assert_allclose(run["D"], p - p[0], **close)
    assert_allclose(run.point("rocker", np.array(C)[:, 0]).position, np.array(C).T, **close)
    assert_allclose(run["v_A"], df, rtol=0, atol=1e-6)
