"""Controllers and sensors: closed forms, the same laws written out, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import korba as kb

TIGHT = {"method": kb.Method("dop853", rtol=1e-11, atol=1e-12)}
J = 0.1 + 1.0 * 0.5**2


def arm(*forces, **more):
    """A rod on a pin; J is its moment of inertia about the pin."""
    rod = kb.Body("rod", 1.0, (0.5, 0), 0.1, points={"tip": (1, 0)})
    pin = kb.Revolute("A", "ground", "rod", at=(0, 0))
    more = {"gravity": (0, 0, 0)} | more
    return kb.Mechanism("arm", [rod], [pin], plane="xy", forces=forces, **more)


def turned_by(*controllers):
    """The rod, turned by the last of some controllers."""
    return arm(*controllers, kb.JointForce("torque", "A", law=controllers[-1].name))


def linear(A, b, x, t):
    """x(t) of x' = A x + b."""
    rest = np.linalg.solve(A, -np.asarray(b, dtype=float))
    return np.array([rest + expm(np.array(A) * each) @ (x - rest) for each in t])


def test_a_controller_with_a_state_is_the_linear_system():
    """J A'' = 4 (1 - A) - 1.5 A' + 2 I,  I' = 1 - A, from I = 0.1."""
    control = kb.Controller(
        "c", "4*(1 - A) - 1.5*v_A + 2*I", states={"I": "1 - A"}, starts={"I": 0.1}
    )
    found = kb.simulate(turned_by(control), 5, times=11, **TIGHT)
    A = [[0, 1, 0], [-4 / J, -1.5 / J, 2 / J], [-1, 0, 0]]
    expected = linear(A, [0, 4 / J, 1], [0, 0, 0.1], found.t)
    assert_allclose(found.q[:, 0], expected[:, 0], atol=1e-9)
    assert_allclose(found["I_c"], expected[:, 2], atol=1e-9)


def test_pid_with_a_filter_is_the_linear_system():
    """e = r - A, I' = e, F' = (e - F) / T, J A'' = p e + i I + d (e - F) / T."""
    p, i, d, T, r = 20.0, 10.0, 3.0, 0.02, 0.7
    m = turned_by(kb.PID("c", "A", r, p=p, i=i, d=d, filter="20 ms"))
    found = kb.simulate(m, 2, times=11, **TIGHT)
    stiff = p + d / T
    A = [
        [0, 1, 0, 0],
        [-stiff / J, 0, i / J, -d / T / J],
        [-1, 0, 0, 0],
        [-1 / T, 0, 0, -1 / T],
    ]
    expected = linear(A, [0, stiff * r / J, r, r / T], np.zeros(4), found.t)
    assert_allclose(found.q[:, 0], expected[:, 0], atol=1e-8)
    assert_allclose(found["I_c"], expected[:, 2], atol=1e-8)
    assert_allclose(found["F_c"], expected[:, 3], atol=1e-8)


def test_the_derivative_without_filter_is_that_of_the_reference():
    """J A'' = p (r - A) + d (r' - A') follows r exactly from r(0), r'(0) where r'' = 0."""
    found = kb.simulate(turned_by(kb.PID("c", "A", "2*t", p=5, d=1)), 2, v=[2.0], times=5)
    assert_allclose(found.q[:, 0], 2 * found.t, atol=1e-9)


@pytest.mark.parametrize("tracking", [None, 0.2])
def test_at_a_limit_the_integral_is_led_back(tracking):
    """Against the same equations by SciPy; and it swings beyond its aim less than without."""
    p, i, high = 20.0, 15.0, 0.5
    time = tracking or p / i
    more = {} if tracking is None else {"tracking": tracking}
    m = turned_by(kb.PID("c", "A", 1.0, p=p, i=i, d=2.0, low=-high, high=high, **more))
    found = kb.simulate(m, 4, times=9, **TIGHT)

    def rates(_, x):
        e = 1.0 - x[0]
        wanted = p * e + i * x[2] - 2.0 * x[1]
        u = np.clip(wanted, -high, high)
        return [x[1], u / J, e + (u - wanted) / (i * time)]

    alone = solve_ivp(rates, (0, 4), np.zeros(3), "DOP853", found.t, rtol=1e-10, atol=1e-12)
    assert_allclose(found.q[:, 0], alone.y[0], atol=1e-6)
    assert_allclose(found["I_c"], alone.y[2], atol=1e-6)


def test_a_sensor_tells_place_distance_and_their_rates():
    """The height of the tip is sin A, its distance from a point follows from the cosine law."""
    high = kb.Sensor("height", "rod.tip", along=(0, 2))
    far = kb.Sensor("far", "rod.tip", from_at=(0, 3))
    laws = [kb.Controller(f"c{k}", law) for k, law in enumerate(["height", "v_height", "v_far"])]
    m = arm(high, far, *laws, kb.JointForce("torque", "A", law="c0 + 10*c1 + 100*c2 + 1000*far"))
    A, rate = 0.4, 1.3
    length = np.sqrt(10 - 6 * np.sin(A))
    expected = np.sin(A) + 10 * np.cos(A) * rate - 300 * np.cos(A) * rate / length + 1000 * length
    assert_allclose(kb.forward_dynamics(m, [A], [rate], [0.0])[0] * J, expected, rtol=1e-13)


def test_a_motor_is_steered_by_a_controller():
    """J A'' = k i,  L i' = c - k A' - R i,  c = 3 (2 - A') + 4 x,  x' = 2 - A'."""
    k, R, L = 0.5, 2.0, 0.1
    speed = kb.Controller("c", "3*(2 - v_A) + 4*x", states={"x": "2 - v_A"})
    motor = kb.Motor("m", "A", "c", torque_constant=k, resistance=R, inductance=L)
    found = kb.simulate(arm(speed, motor), 3, times=7, **TIGHT)
    A = [[0, k / J, 0], [(-3 - k) / L, -R / L, 4 / L], [-1, 0, 0]]
    expected = linear(A, [0, 6 / L, 2], np.zeros(3), found.t)
    assert_allclose(found.v[:, 0], expected[:, 0], atol=1e-9)
    assert_allclose(found["i_m"], expected[:, 1], atol=1e-9)
    assert_allclose(found["x_c"], expected[:, 2], atol=1e-9)


def test_in_loops_and_batches_it_is_the_law_written_out():
    """A four-bar whose crank is turned by a controller, or by the same formula in a load."""
    plain = replace(kb.linkages.four_bar(0.1, 0.3, 0.25, 0.35), drives=())
    law = "0.5*(6 - v_A) + 0.1*sin(t)"
    control = [kb.Controller("steer", law), kb.JointForce("f", "A", law="steer")]
    one = replace(plain, forces=control)
    other = replace(plain, forces=[kb.JointForce("f", "A", law=law)])
    q, v = (
        np.array([getattr(kb.motion(kb.linkages.four_bar(0.1, 0.3, 0.25, 0.35), [0, 0.1]), x)])
        for x in "qv"
    )
    runs = [kb.simulate(m, 0.5, q=q[0], v=v[0], times=5) for m in (one, other)]
    assert_allclose(runs[0].q, runs[1].q, atol=1e-11)
    for name in ("forward_dynamics", "energy"):
        verb = getattr(kb, name)
        tau = [np.zeros_like(v[0])] if name == "forward_dynamics" else []
        assert_allclose(verb(one, q[0], v[0], *tau), verb(other, q[0], v[0], *tau), atol=1e-11)


def test_a_file_has_it_as_it_was():
    """Written as TOML and read again it is the same; sizes may stand in formulas."""
    m = kb.Mechanism(
        "arm",
        [kb.Body("rod", 1.0, (0.5, 0), 0.1, points={"tip": (1, 0)})],
        [kb.Revolute("A", "ground", "rod", at=(0, 0))],
        plane="xy",
        parameters={"gain": 4.0, "most": "2 N*m"},
        forces=[
            kb.Sensor("height", "rod.tip", along=(0, 1)),
            kb.PID("turn", "A", "30 deg*sin(t)", p="gain", i=2, filter="10 ms", high="most"),
            kb.Controller("c", "gain*(1 - height) + turn + I", states={"I": "1 - A"}, low=-5),
            kb.JointForce("torque", "A", law="c"),
        ],
    )
    again = kb.loads(kb.dumps(m))
    assert again.forces == m.forces
    assert again.parameters == m.parameters
    assert again.forces[1].p == 4.0
    assert 'states = { I = "1 - A" }' in kb.dumps(m)


@pytest.mark.parametrize(
    ("forces", "said"),
    [
        ([kb.Controller("pi", "A")], "'pi' means something else in expressions"),
        ([kb.Controller("A", "1")], "'A' is a coordinate or size in laws"),
        ([kb.Controller("c", "A", states={"v_A": "1"})], "'v_A' is a coordinate or size"),
        ([kb.Controller("c", "A", low=1, high=1)], "must be more than low"),
        ([kb.Controller("c", "A", starts={"x": 1})], "'x' is no state of it"),
        ([kb.Controller("c", "A", states={"x": "y"})], "there is no name 'y'"),
        ([kb.Controller("c", "A", states="x")], "formulas by names"),
        ([kb.Sensor("s", "rod", (1, 0), along=(0, 0))], "must have a length"),
        ([kb.PID("c", "B", 1.0, p=1)], "'B'"),
        (
            [kb.JointForce("f", "A", law="c"), kb.Controller("c", "1")],
            "'c' is told by 'c', which stands after it",
        ),
    ],
)
def test_what_means_nothing_is_refused(forces, said):
    """Each with the element and the way out."""
    with pytest.raises(kb.ModelError, match=said):
        arm(*forces)


def test_forces_at_a_state_do_not_know_its_states():
    """The sentence names the controller, its states, and what knows them."""
    m = turned_by(kb.Controller("c", "x", states={"x": "1"}))
    said = pytest.raises(kb.StructureError, match=r"force 'c': a controller with x as a state")
    with said:
        kb.forward_dynamics(m, [0.0], [0.0], [0.0])
    with said:
        kb.linearise(m, [0.0])
    with said:
        kb.equilibrium(m)
