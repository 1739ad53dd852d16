"""Case P9: the engine of P6 reduced to its crank, its irregularity and its flywheel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference_mechanisms import engine, reference, rssr

import korba as kb


def test_p9_reduced_inertia_and_torque():
    """J_r, its slope, the torque of gas and weights, and the drive's at constant speed."""
    data, states, results = reference("p9_engine_reduction")
    w, x = data["mean_speed"], np.deg2rad(states["crank_angle_deg"])
    model = kb.reduce(engine(), "A")(x, w)
    drive = 0.5 * w**2 * model.slope - model.force
    columns = np.array([model.inertia, model.slope, model.force, drive]).T
    expected = np.array(results["values"])
    assert_allclose(
        columns / np.abs(expected).max(0), expected / np.abs(expected).max(0), atol=1e-9
    )


def test_p9_steady_turn_and_flywheel():
    """Exact with variable inertia, and the book's value, each with its angles."""
    data, _, results = reference("p9_engine_reduction")
    exact, book = results["exact"], results["book"]
    asked = {"speed": data["mean_speed"], "flywheel": data["J0"]}
    f = kb.flywheel(engine(), "A", data["required_delta"], **asked)
    c = f.before
    assert -c.balancing == pytest.approx(results["mean_M_r"], rel=1e-9)
    assert c.mean_inertia - data["J0"] == pytest.approx(results["mean_J_r"], rel=1e-9)
    found = c.irregularity
    assert found.delta == pytest.approx(exact["delta"], rel=1e-9)
    assert (found.fastest, found.slowest) == pytest.approx(
        (exact["w_max"], exact["w_min"]), rel=1e-9
    )
    degrees = np.rad2deg([found.at_fastest, found.at_slowest])
    assert_allclose(degrees, [exact["angle_w_max_deg"], exact["angle_w_min_deg"]], atol=1e-6)
    assert c.speed(0.0) == pytest.approx(exact["speed_at_angle_0"], rel=1e-9)
    assert f.inertia == pytest.approx(exact["flywheel_added_for_0_02"], rel=1e-6)
    assert c.surplus.work == pytest.approx(book["dL"], rel=1e-9)
    degrees = np.rad2deg([c.surplus.at_most, c.surplus.at_least])
    assert_allclose(degrees, [book["angle_W_max_deg"], book["angle_W_min_deg"]], atol=1e-6)
    assert c.book.delta == pytest.approx(book["delta"], rel=1e-9)
    assert f.book == pytest.approx(book["J_KZ_added_for_0_02"], rel=1e-6)


def test_p11_run_of_a_spatial_four_bar():
    """A crank in space under torque and weights; the rod between its balls keeps no spin."""
    _, states, results = reference("p11_rssr")
    run = kb.run_up(rssr(), "A", states["t"][:5], speed=results["values"][0][1])
    expected = np.array(results["values"])[:5]
    assert_allclose(run["A"] + expected[0, 0], expected[:, 0], rtol=0, atol=1e-7)
    assert_allclose(run["v_A"], expected[:, 1], rtol=0, atol=1e-7)
    assert_allclose(run["D"] + expected[0, 2], expected[:, 2], rtol=0, atol=1e-7)
    assert_allclose(run["v_D"], expected[:, 3], rtol=0, atol=1e-7)
