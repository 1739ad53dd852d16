"""Paper 001, capabilities C08-C11: semi-canonical form, against answers computed in 80 digits."""

from __future__ import annotations

import numpy as np
import pytest
from dunskaya_models import CASES, case, chain, error, forces
from numpy.testing import assert_allclose

import korba as kb
from korba.dynamics.quadratic_program import MINIMAL_RESIDUAL, SOLVERS, Stop
from korba.papers.canonical_state import Solution, solved

STATES = [(name, k) for name in CASES for k in range(len(case(name)["states"]))]
MODELS = {name: chain(case(name)["model"]) for name in CASES}
each_state = pytest.mark.parametrize(("name", "k"), STATES)
each_case = pytest.mark.parametrize("name", CASES)


def within(tolerance, name="conjugate", **more):
    """A solver that ends at a tolerance."""
    return kb.papers.VelocitySolver(name, tolerance, **more)


each_solver = pytest.mark.parametrize("solver", list(SOLVERS))


def state_of(name, k):
    state = case(name)["states"][k]
    return MODELS[name], state, state["expected"]


@each_state
def test_c08_momenta_slopes_and_energies(name, k):
    """p, dL/dq, pdot, T, V and H at a state are those of the reference."""
    m, state, expected = state_of(name, k)
    found = kb.papers.semi_canonical_state(m, state["q"], v=state["qd"], tau=forces(state["M"]))
    assert error(found.p, expected["p"]) < 1e-11
    assert error(found.slope, expected["dL_dq"]) < 1e-11
    assert error(found.p_rate, expected["pdot_for_M"]) < 1e-11
    assert error(found.kinetic, expected["T"]) < 1e-11
    assert error(found.potential, expected["Pi"]) < 1e-11
    assert error(found.hamiltonian, expected["H"]) < 1e-11
    assert_allclose(found.q_rate, state["qd"])
    assert found.iterations == 0


@each_state
def test_c08_both_problems_and_the_matrix(name, k):
    """By the formulation's name the verbs give A, the moments for qdd and qdd for the moments."""
    m, state, expected = state_of(name, k)
    q, v, a, way = state["q"], state["qd"], state["qdd"], {"formulation": "hamilton"}
    Q = forces(state["M"])
    assert error(kb.mass_matrix(m, q, **way), expected["A"]) < 1e-11
    inverse = kb.inverse_dynamics(m, q, v, a, **way)
    assert error(inverse, forces(expected["M_for_qdd"])) < 1e-11
    assert error(kb.forward_dynamics(m, q, v, Q, **way), expected["qdd_for_M"]) < 1e-11
    assert error(kb.bias_forces(m, q, v, **way), kb.bias_forces(m, q, v)) < 1e-11
    assert error(kb.energy(m, q, v, **way), (expected["T"], expected["Pi"])) < 1e-11


@each_case
def test_c08_drives_between_the_links_act_as_the_paper_says(name):
    """Moments in the joints make Q_i = M_i - M_(i+1) through the couplings."""
    state = case(name)["states"][0]
    m = chain(case(name)["model"], drives=state["M"])
    found = kb.papers.semi_canonical_state(m, state["q"], v=state["qd"])
    assert error(found.p_rate, state["expected"]["pdot_for_M"]) < 1e-11


@pytest.mark.parametrize("k", range(3))
def test_c08_absolute_and_relative_angles_agree(k):
    """The chain of the cross case has the same energies, A and moments in both coordinates."""
    data = case("cross_planar3")
    state, expected = data["states"][k], data["states"][k]["expected"]
    views = (
        (True, [state[f"{x}_absolute"] for x in ("q", "qd", "qdd")], "absolute", "Q_absolute"),
        (
            False,
            [expected[f"{x}_relative"] for x in ("theta", "thetad", "thetadd")],
            "relative",
            "joint_torques",
        ),
    )
    for absolute, (q, v, a), kind, moments in views:
        m = chain(data["chain"], absolute=absolute)
        found = kb.papers.semi_canonical_state(m, q, v=v)
        assert error((found.kinetic, found.potential), (expected["T"], expected["V"])) < 1e-11
        torques = kb.inverse_dynamics(m, q, v, a, formulation="hamilton")
        assert error(torques, expected[moments]) < 1e-11
        A = kb.mass_matrix(m, q, formulation="hamilton")
        assert error(A, expected[f"A_{kind}"]) < 1e-11
        assert error(found.p, A @ v) < 1e-11


@each_state
def test_c09_conjugate_directions_find_the_velocities(name, k):
    """The maximiser of p'z - L(q, z) is the velocity, and the greatest value is H = T + V."""
    m, state, expected = state_of(name, k)
    q, p, v = state["q"], np.array(expected["p"]), np.array(state["qd"])
    found = kb.papers.semi_canonical_state(m, q, p=p, solver=within(1e-13))
    assert error(found.v, v) < 1e-11
    assert error(found.hamiltonian, expected["H"]) < 1e-11

    def value(z):
        T, V = kb.energy(m, q, z)
        return p @ z - T + V

    assert error(value(found.v), expected["H"]) < 1e-11
    for direction in np.random.default_rng(0).normal(size=(20, len(v))):
        assert value(found.v + 1e-2 * direction) < value(found.v)


def test_c09_conjugate_directions_end_in_n_steps():
    """For three links three steps do, from any start; none is made from the solution itself."""
    for k, state in enumerate(case("dp96_chain3")["states"]):
        m, v = MODELS["dp96_chain3"], np.array(state["qd"])
        p = kb.mass_matrix(m, state["q"]) @ v
        for start in (None, v + 1.0, [5.0, -3.0, k]):
            found = kb.papers.semi_canonical_state(
                m, state["q"], p=p, start=start, solver=within(1e-10)
            )
            assert found.iterations <= 3
            assert_allclose(found.v, v, atol=1e-11)
        assert kb.papers.semi_canonical_state(m, state["q"], p=0 * v).iterations == 0


@each_solver
def test_c09_a_near_start_saves_iterations(solver):
    """From velocities near the solution fewer steps are taken than from rest."""
    m, state, expected = state_of("dp96_chain20", 0)
    near = np.array(state["qd"]) + 1e-6
    counts = [
        kb.papers.semi_canonical_state(
            m, state["q"], p=expected["p"], start=start, solver=within(1e-5, solver)
        ).iterations
        for start in (None, near)
    ]
    assert counts[1] < counts[0]


@each_state
def test_c10_minimal_residuals_find_the_velocities(name, k):
    """Iterated to the end, (3.3) gives the same velocities."""
    m, state, expected = state_of(name, k)
    found = kb.papers.semi_canonical_state(
        m, state["q"], p=expected["p"], solver=within(1e-15, "minimal-residual", limit=10**6)
    )
    assert error(found.v, state["qd"]) < 1e-11


@each_state
@each_solver
def test_c10_iterations_are_those_of_the_formulas(name, k, solver):
    """With A z by recursion or with the matrix itself: as many iterations, but for rounding."""
    m, state, expected = state_of(name, k)
    A, p, n = np.array(expected["A"]), np.array(expected["p"]), len(expected["p"])
    iteration, product = SOLVERS[solver], lambda z: np.array(expected["A"]) @ z
    x = iteration.start(product, np.zeros(n), p)
    after = n if solver == "conjugate" else 10**6
    programs = {
        "once": lambda q: q,
        "start": lambda _, z, p: iteration.start(product, z, p),
        "step": lambda _, x: iteration.step(product, x),
    }
    begun, y = Solution(np.zeros(n), 0.0, 0.0, 0.0, 0.0), np.array([*state["q"], *p])
    plain = solved(programs, Stop(1e-4, 10**5, after), y, 0.0, begun)
    found = kb.papers.semi_canonical_state(m, state["q"], p=p, solver=within(1e-4, solver))
    assert abs(found.iterations - plain.count) <= (3 if solver == "conjugate" else 1)
    assert_allclose(found.v, plain.z, atol=1e-3)
    gamma = iteration.step(product, x)[-1]
    first = (p @ A @ p) / (p @ A @ A @ p) if solver == "minimal-residual" else (p @ p) / (p @ A @ p)
    assert_allclose(gamma, first, rtol=1e-12)


def test_c10_every_step_makes_the_residual_least_along_its_line():
    """gamma of (3.3) minimises |A (z - gamma y) - b|; it never exceeds 1 / least eigenvalue."""
    A = np.array(case("dp96_chain20")["states"][0]["expected"]["A"])
    rng, product = np.random.default_rng(1), lambda z: A @ z
    x = MINIMAL_RESIDUAL.start(product, rng.normal(size=20), rng.normal(size=20))
    for _ in range(30):
        y, before = x[20:40], x[-3]
        x = MINIMAL_RESIDUAL.step(product, x)
        lengths = [np.sum((y - g * (A @ y)) ** 2) for g in x[-1] * np.array([0.99, 1.01])]
        assert x[-3] < min(lengths)
        assert x[-3] < before
        assert x[-1] <= 1 / np.linalg.eigvalsh(A)[0] * (1 + 1e-12)


@each_case
def test_c10_iteration_counts_of_the_reference(name):
    """Along a motion from rest both solvers take as many iterations as the reference says."""
    data = case(name)["iteration_counts"]
    for row in data["rows"]:
        for solver, key in (("conjugate", "conj_dir"), ("minimal-residual", "min_residual")):
            motion = kb.papers.semi_canonical(
                MODELS[name],
                data["steps"] * row["h"],
                step=row["h"],
                q=data["q0"],
                v=data["qd0"],
                scheme="euler",
                solver=within(row["eps"], solver),
            )
            fine = 0.02 if solver == "conjugate" else 5e-3  # three digits are given
            assert_allclose(motion.effort.iterations.mean(), row[key]["mean"], rtol=fine)
            assert_allclose(motion.effort.iterations.max(), row[key]["max"], rtol=0.1)


@each_case
def test_c11_difference_scheme_of_the_paper(name):
    """Scheme (3.1) with the inner problem solved gives the Euler table."""
    data = case(name)["trajectory"]
    h, table = data["euler_h"], data["euler"]
    motion = kb.papers.semi_canonical(
        MODELS[name],
        table[-1]["step"] * h,
        step=h,
        q=data["q0"],
        v=data["qd0"],
        tau=forces(data["M"]),
        scheme="euler",
        solver=within(1e-13),
    )
    for row in table:
        assert error(motion.q[row["step"]], row["q"]) < 1e-11
        assert error(motion.all_of("p")[row["step"]], row["p"]) < 1e-11


def flow(name, step, **options):
    data = case(name)["trajectory"]
    start = {"q": data["q0"], "v": data["qd0"], "tau": forces(data["M"])}
    until = data["flow"][-1]["t"]
    return data["flow"], kb.papers.semi_canonical(
        MODELS[name], until, step=step, **(start | options)
    )


@pytest.mark.parametrize(("name", "step"), [("dp96_chain3", 1 / 400), ("dp96_chain20", 1 / 2000)])
def test_c11_order_eight_follows_the_flow(name, step):
    """Coordinates, momenta, velocities and energies stay on the exact solution."""
    rows, motion = flow(name, step, scheme="dop853", solver=within(1e-13))
    for row in rows:
        k = round(row["t"] / step)
        assert abs(motion.t[k] - row["t"]) < 1e-12
        for found, key in ((motion.q, "q"), (motion.all_of("p"), "p"), (motion.v, "qd")):
            assert error(found[k], row[key]) < 1e-9
        energies = motion["kinetic"][k], motion["potential"][k]
        assert error(energies, (row["T"], row["Pi"])) < 1e-9
        assert_allclose(motion["hamiltonian"][k], row["T"] + row["Pi"], rtol=1e-9)


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("rk4", 4)])
def test_c11_schemes_have_their_order(scheme, order):
    """Half the step makes the error 2^order times smaller."""
    errors = []
    for step in (1 / 4000, 1 / 8000):
        rows, motion = flow("dp96_chain3", step, scheme=scheme, solver=within(1e-13))
        errors.append(error(motion.all_of("p")[round(0.25 / step)], rows[2]["p"]))
    assert 0.75 < np.log2(errors[0] / errors[1]) / order < 1.25


def test_c11_work_of_the_drives_is_the_change_of_energy():
    """T + V grows by the integral of the drives' power."""
    _, motion = flow("dp96_chain3", 1 / 400, scheme="dop853", solver=within(1e-13))
    power = motion.v @ forces(case("dp96_chain3")["trajectory"]["M"])
    work = (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1]) / 1200
    assert_allclose(motion["hamiltonian"][-1] - motion["hamiltonian"][0], work, atol=1e-6)


def test_c11_minimal_residuals_move_the_chain_alike():
    """The solver does not change the motion, whichever way it stops."""
    rows, _ = flow("dp96_chain3", 1 / 100, scheme="euler")
    for stop in ("step", "residual"):
        _, motion = flow(
            "dp96_chain3",
            1 / 1000,
            solver=within(1e-13, "minimal-residual", stop=stop),
        )
        assert error(motion.q[500], rows[3]["q"]) < 1e-7


def test_c11_momenta_and_a_function_of_time_may_be_given():
    """From (q, p), with tau(t, q, v), the motion is the same as from (q, v) with numbers."""
    data = case("dp96_chain3")["trajectory"]
    tau = forces(data["M"])
    seen = []

    def given(t, q, v):
        seen.append((t, q, v))
        return tau

    rows, one = flow("dp96_chain3", 1 / 100)
    _, two = flow("dp96_chain3", 1 / 100, v=None, p=rows[0]["p"], tau=given)
    assert_allclose(two.q, one.q, atol=1e-8)
    assert_allclose(seen[0][1], data["q0"])
    assert_allclose([t for t, _, _ in seen[:5]], [0, 0.005, 0.005, 0.01, 0.01])


def test_c11_operations_are_counted():
    """Work a step = that of its stages + that of its iterations, for both solvers."""
    for solver in SOLVERS:
        _, motion = flow("dp96_chain3", 1 / 100, scheme="euler", solver=within(1e-6, solver))
        assert motion.effort.iterations.shape == (100,)
        assert np.ptp(motion.effort.iterations) > 0
        for work in (motion.effort.multiplications, motion.effort.additions):
            slope, stage = np.polyfit(motion.effort.iterations, work, 1)
            assert_allclose(stage + slope * motion.effort.iterations, work, rtol=1e-12)
            assert stage > 0


@pytest.mark.parametrize(
    ("solver", "multiplications", "additions"),
    [("minimal-residual", (18, -17), (15, -21)), ("conjugate", (19, -16), (16, -21))],
)
def test_c11_an_iteration_takes_time_in_proportion_to_the_links(solver, multiplications, additions):
    """18n - 17 multiplications and 15n - 21 additions with (3.3), one n more with conjugates."""
    for n in (10, 20):
        equal = {"L": 1 / n, "l": 0.5 / n, "m": 1 / n, "J": 1 / (12 * n**3)}
        m = chain({"n": n, "g": 9.81} | {name: [x] * n for name, x in equal.items()})
        options = {"step": 1e-3, "q": np.ones(n), "v": np.zeros(n), "solver": within(1e-4, solver)}
        motion = kb.papers.semi_canonical(m, 5e-3, scheme="euler", **options)
        for work, (first, rest) in (
            (motion.effort.multiplications, multiplications),
            (motion.effort.additions, additions),
        ):
            slope = np.polyfit(motion.effort.iterations, work, 1)[0]
            assert_allclose(slope, first * n + rest, rtol=1e-10)


def test_c11_the_last_step_is_shorter_where_steps_do_not_fit():
    """The motion ends at `until`."""
    motion = kb.papers.semi_canonical(
        MODELS["dp96_chain3"], 0.025, step=0.01, q=[0.6, 1, 0], v=[0, 0, 0]
    )
    assert_allclose(motion.t, [0, 0.01, 0.02, 0.025])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "newton"}, "solver: expected one of conjugate, minimal-residual"),
        ({"scheme": "rk9"}, "scheme: expected one of euler, rk4, dop853"),
        ({"step": 0.0}, "expected times above 0"),
        ({"p": [0.0, 0.0, 0.0]}, "either the velocities v or the momenta p"),
        ({"q": [0.0]}, r"q: expected shape \(3,\), got \(1,\)"),
        ({"tau": [0.0, np.nan, 0.0]}, "tau: expected 3 finite numbers"),
        ({"solver": within(1e-12, "minimal-residual", limit=3)}, "in 3 iterations"),
        ({"tau": lambda t, q, v: [1.0]}, r"tau: expected shape \(3,\)"),
        ({"tau": lambda t, q, v: [1e308, -1e308, 1e308], "step": 1.0}, "not finite"),
    ],
)
def test_c11_faults_are_named(options, message):
    """What cannot be done is said in a sentence."""
    given = {"step": 0.01, "q": [0.6, 1.1, -0.4], "v": [1.0, 2.0, 3.0]} | options
    with pytest.raises(kb.KorbaError, match=message):
        kb.papers.semi_canonical(MODELS["dp96_chain3"], 3.0, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "newton"}, "solver: expected one of conjugate, minimal-residual"),
        ({"stop": "never"}, "stop: expected one of step, residual"),
        ({"tolerance": -1.0}, "tolerance: expected a number above 0"),
    ],
)
def test_a_solver_that_is_none_is_refused(given, message):
    """When it is made, in a sentence."""
    with pytest.raises(kb.KorbaError, match=message):
        kb.papers.VelocitySolver(**given)


def test_c11_what_the_users_function_raises_comes_through():
    """An error in tau(t, q, v) ends the run as itself."""
    with pytest.raises(ZeroDivisionError):
        kb.papers.semi_canonical(
            MODELS["dp96_chain3"], 1, step=0.1, q=[0, 0, 0], v=[0, 0, 0], tau=lambda t, q, v: 1 / 0
        )


def test_c08_a_mechanism_without_velocities_is_refused():
    """Nothing moves in a mechanism whose only joint is fixed."""
    m = kb.Mechanism("still", [kb.Body("b", 1.0)], [kb.Fixed("j", "ground", "b")])
    with pytest.raises(kb.StructureError, match="nothing in it can move"):
        kb.papers.semi_canonical_state(m, [], v=[])
