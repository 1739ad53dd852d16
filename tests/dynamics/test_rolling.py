"""Pairs that roll or cut, held against reference solutions computed apart from the library."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rolling_mechanisms import (
    axle,
    bicycle,
    cart,
    disc,
    reference,
    sleigh,
    snakeboard,
    turntable,
)

import korba as kb

EXACT = kb.Method("dop853", rtol=1e-12, atol=1e-13)


def run(m, known, q, v):
    """The motion at the times of a reference."""
    t = np.array(known["states"]["t"])
    return kb.simulate(m, float(t[-1]), q=q, v=v, times=t, method=EXACT)


def column(known, *names, table="values"):
    """Columns of a table of a reference."""
    places = [known["results"]["columns"].index(name) for name in names]
    return np.array(known["results"][table])[:, places]


def coordinates(m, found, *names):
    """Coordinates of a run by name."""
    return found.q[:, [m.coordinates.index(name) for name in names]]


def test_a_disc_rolls_as_lagrange_has_it():
    """R2: centre, lean and heading to 1e-7, the plane's force to 1e-6; energy stays."""
    known = reference("r2_rolling_disc")
    d, start = known["data"], known["initial"]
    m, lean = disc(d), start["th"] - np.pi / 2
    q = np.array([0, d["R"] * np.sin(lean), 0, lean, 0])
    found = run(m, known, q, [start["ps_rate"], start["th_rate"], -start["ph_rate"]])
    centre = found.point("disc", (0, 0, d["R"])).position
    assert_allclose(centre, column(known, "x", "y", "z"), atol=1e-7)
    assert_allclose(found.q[:, 3] + np.pi / 2, column(known, "th")[:, 0], atol=1e-7)
    assert_allclose(found.q[:, 2], column(known, "ps")[:, 0], atol=1e-7)
    force = kb.reactions(m, found).in_world()["W"].force
    assert_allclose(force, column(known, "force_x", "force_y", "force_z"), atol=1e-6)
    energy = np.sum(kb.energy(m, found), axis=0)
    assert_allclose(energy, energy[0], rtol=1e-9)


def test_a_disc_stays_upright_from_its_critical_spin():
    """Straight rolling is stable where |w| exceeds sqrt(A m g R / (C (C + m R^2))) (R2)."""
    known = reference("r2_rolling_disc")
    d, critical = known["data"], known["results"]["stability"]["w_n_critical"]
    grows = []
    for part in (0.99, 1.01):
        small = kb.linearise(disc(d), v={"W.spin": part * critical})
        grows.append(float(small.eigenvalues.real.max()))
    assert grows[0] > 0.1
    assert grows[1] < 1e-6


def test_a_sleigh_follows_its_closed_form():
    """R3: Chaplygin's sleigh to 1e-8, and the side force of the edge."""
    known = reference("r3_chaplygin_sleigh")
    m, start = sleigh(known["data"]), known["initial"]
    found = run(m, known, None, {"A.along": start["v"], "A.turn": start["w"]})
    assert_allclose(found.q, column(known, "x", "y", "th"), atol=1e-8)
    assert_allclose(found.v, column(known, "v", "w"), atol=1e-8)
    side = kb.reactions(m, found).in_joint()["A"].force[:, 1]
    assert_allclose(side, column(known, "edge_force_lateral")[:, 0], atol=1e-8)


@pytest.mark.parametrize("case", ["a", "b"])
def test_a_cart_follows_its_motors(case):
    """R4: two wheels with torques; where it goes, how its wheels turn, to 1e-8."""
    known = reference("r4_differential_drive")
    m, start = cart(known["data"], case), known["initial"][case]
    found = run(m, known, None, {"P.vx": start["v"], "P.vy": 0, "P.rate": start["w"]})
    own = coordinates(m, found, "P.x", "P.y", "P.angle", "axle R", "axle L")
    names = ("x", "y", "heading", "wheel_R_angle", "wheel_L_angle")
    assert_allclose(own, column(known, *names, table=case), atol=1e-8)


def test_a_snakeboard_goes_ahead_by_its_rotor():
    """R5: two knife edges close loops, steered in time; drives and side forces to 1e-6."""
    known = reference("r5_snakeboard")
    m, start = snakeboard(known["data"]), known["initial"]
    found = run(m, known, None, {"B.vx": start["v_x"], "B.vy": start["v_y"]})
    assert_allclose(
        coordinates(m, found, "B.x", "B.y", "B.angle"), column(known, "x", "y", "th"), atol=1e-7
    )
    forces = kb.reactions(m, found)
    for name, side in (("front edge", "side_force_front"), ("rear edge", "side_force_rear")):
        assert_allclose(forces.in_joint()[name].force[:, 1], column(known, side)[:, 0], atol=1e-6)
    drives = kb.driving_forces(m, found)
    assert_allclose(drives["rotor turns"], column(known, "torque_rotor")[:, 0], atol=1e-6)
    assert_allclose(drives["front steers"], column(known, "torque_front")[:, 0], atol=1e-6)


def test_an_axle_rolls_down_a_slope_on_its_cycloid():
    """R6: it keeps its turning rate and drifts across the slope; to 1e-9."""
    known = reference("r6_wheel_pair_incline")
    m, start = axle(known["data"]), known["initial"]
    th, v = start["th"], start["v"]
    q = kb.assemble(m, {"P.x": 0, "P.y": 0, "P.angle": th}).q
    rates = {"P.vx": v * np.cos(th), "P.vy": v * np.sin(th), "P.rate": start["w"]}
    found = run(m, known, q, rates)
    assert_allclose(
        coordinates(m, found, "P.x", "P.y", "P.angle"), column(known, "x", "y", "th"), atol=1e-9
    )


@pytest.mark.parametrize("name", ["r7a_ball_turntable", "r7b_ball_incline_turntable_hollow"])
def test_a_ball_circles_on_a_table_that_turns(name):
    """R7: 2/7 of the table's rate, and a drift across the slope where it is tilted; to 1e-9."""
    known = reference(name)
    d, start = known["data"], known["initial"]
    m = turntable(d)
    w = np.array(start["w"]) - [0, 0, d["Om"]]  # of the ball against the table
    found = run(m, known, [0, *start["x"], 1, 0, 0, 0], [d["Om"], *w])
    place = found.point("ball", (0, 0, d["r"]))
    assert_allclose(place.position[:, :2], column(known, "x", "y"), atol=1e-9)
    assert_allclose(place.velocity[:, :2], column(known, "v_x", "v_y"), atol=1e-9)
    force = kb.reactions(m, found).in_world()["B"].force
    assert_allclose(force, column(known, "force_x", "force_y", "force_z"), atol=1e-8)


def test_the_bicycle_rides_as_published():
    """R1: from straight ahead with a lean rate, 5 s at 4.6 m/s, all of it to 1e-7."""
    known = reference("r1_whipple")
    d, start = known["data"], known["initial"]
    m = bicycle(d)
    rates = {"R.spin": start["speed"] / d["rR"], "R.lean": start["lean_rate"], "R.yaw": 0}
    found = run(m, known, None, rates)
    own = coordinates(m, found, "R.x", "R.y", "R.yaw", "R.lean", "steer")
    names = ("rear_contact_x", "rear_contact_y", "yaw", "lean", "steer")
    flip = [1, -1, -1, 1, 1]  # the benchmark's z points down
    assert_allclose(own * flip, column(known, *names), atol=1e-7)
    assert found.audit.residual < 1e-10


@pytest.mark.parametrize("speed", range(11))
def test_the_bicycle_swings_as_published(speed):
    """R1: the four modes of lean and steer at 0 to 10 m/s to 1e-10, among those that stand still.

    Where a mode nearly stands still itself, at 6 m/s, the others disturb it more.
    """
    known = reference("r1_whipple")
    d = known["data"]
    v = {"R.spin": speed / d["rR"], "R.lean": 0, "steer": 0} if speed else None
    small = kb.linearise(bicycle(d), v=v)
    assert small.A.shape == (10, 10)
    left = list(small.eigenvalues)
    for real, imaginary in known["results"]["eigenvalues_re_im"][speed]:
        wanted = complex(real, imaginary)
        nearest = min(left, key=lambda s: abs(s - wanted))
        assert abs(nearest - wanted) < (3e-9 if speed == 6 else 1e-10)
        left.remove(nearest)
    assert max(map(abs, left)) < 1e-5
    assert bool(small.stable) == (speed in (5, 6))


def test_mobility_tells_places_from_velocities():
    """A disc has five freedoms of place and three of velocity, the bicycle seven and three."""
    counts = {}
    for name, make in (("r1_whipple", bicycle), ("r2_rolling_disc", disc)):
        found = kb.mobility(make(reference(name)["data"]))
        counts[found.mechanism] = (found.actual, found.velocities, found.local)
        assert "freedoms of velocity, as pairs roll" in str(found)
    assert counts == {"bicycle": (7, 3, 0), "disc": (5, 3, 0)}
    four_bar = kb.mobility(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
    assert four_bar.velocities == four_bar.actual == 1


def test_what_rolls_is_refused_where_its_way_matters():
    """Questions of places alone, and Hamilton's equations, say what to ask instead."""
    m = sleigh(reference("r3_chaplygin_sleigh")["data"])
    for ask in (lambda: kb.motion(m, [0, 1]), lambda: kb.reduce(m, "A.angle"), lambda: kb.live(m)):
        with pytest.raises(kb.StructureError, match=r"'A' rolls, so that .*kb\.simulate"):
            ask()
    with pytest.raises(
        kb.KorbaError, match="what rolls, or hangs on a rod in space, has none here; take 'dop853'"
    ):
        kb.simulate(m, 1.0, method=kb.Method("symplectic", step=0.01))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "make"), [("r2_rolling_disc", disc), ("r3_chaplygin_sleigh", sleigh)]
)
def test_it_is_linear_about_any_state_as_differences_say(name, make, seed):
    """A of x = (dq, dv) is the slope of (q', v') at random states, places in all coordinates."""
    m = make(reference(name)["data"])
    (joint,), rng = m.joints, np.random.default_rng(seed)
    q, v = rng.uniform(-0.7, 0.7, m.nq), rng.uniform(-3, 3, m.nv)

    def rate(z):
        a = kb.forward_dynamics(m, z[: m.nq], z[m.nq :], np.zeros(m.nv))
        return np.concatenate([joint.qdot(z[: m.nq], z[m.nq :]), a])

    z, h = np.concatenate([q, v]), 1e-6
    steps = h * np.eye(len(z))
    slopes = np.array([(rate(z + e) - rate(z - e)) / (2 * h) for e in steps]).T
    slips = joint.slipping.velocities()
    small = kb.linearise(m, q, v, coordinates=slips)
    assert (small.coordinates, small.rates) == (slips, m.velocities)
    assert_allclose(small.A, slopes, atol=1e-7)
    swing = small.swing(0)
    assert swing.q.shape[1:] == (m.nq,)
    assert swing.v.shape[1:] == (m.nv,)
