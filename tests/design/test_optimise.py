"""Optimisation: gradients through the loops, known optima, published problems, nothing lost."""

from __future__ import annotations

import numpy as np
import pytest
from four_bars import four_bar
from numpy.testing import assert_allclose
from path_generators import (
    EIGHTEEN,
    FIVE,
    LINE,
    curve,
    eighteen_points,
    five_points,
    path_generator,
    six_points,
)

import korba as kb
from korba.design.optimise import _problem
from korba.design.path_goal import _in_order
from korba.design.ready import READY

RODS = {"b": ("400 mm", "950 mm"), "c": (0.4, 0.95)}
TURN = np.linspace(0, 2 * np.pi, 61)
"""Both positions of the crank along the base are among them."""


@pytest.fixture(scope="module")
def m():
    return four_bar()


@pytest.fixture(scope="module")
def generator():
    return path_generator()


@pytest.mark.parametrize("goal", [six_points, five_points, eighteen_points])
def test_gradients_of_paths_are_those_of_the_loops(generator, goal):
    """d(cost)/dp by implicit differentiation is what differences converge to."""
    objective, bounds = goal(generator)
    problem = _problem(generator, objective, bounds, (), None)
    own = {"r1": 30, "r2": 10, "r3": 32, "r4": 29, "rx": 11, "ry": 9, "th": 0.4, "x0": 3, "y0": 7}
    p = np.array([own.get(name, 1.0) for name in bounds])
    x = (p - problem.low) / (problem.high - problem.low)
    slope, h = problem.cost_slopes(x), 1e-5
    steps = h * np.eye(len(x))
    up, down = problem.costs(x + steps), problem.costs(x - steps)
    assert_allclose(slope, (up - down) / (2 * h), rtol=0, atol=2e-7 * np.abs(slope).max())


QUESTIONS = [
    "transmission angle",
    "stroke",
    "-stroke of v_C",
    "peak torque",
    "peak of C",
    "peak of v_D",
    "-peak of a_D",
    "time ratio",
    "size",
    "singularity",
]


def test_every_ready_question_is_here():
    """All but those with several numbers, which are no objectives."""
    asked = {question.strip("-").partition(" of ")[0] for question in QUESTIONS}
    assert asked == READY.keys() - {"point"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_gradients_of_questions_are_exact(m, question):
    """They are what differences of designs converge to, to 1e-9."""
    problem = _problem(m, question, RODS, (), TURN)
    x = np.array([0.41, 0.62])
    slope, steps = problem.cost_slopes(x), np.array([1e-3, 5e-4, 2.5e-4])
    sides = np.concatenate([sign * h * np.eye(2) for h in steps for sign in (1, -1)])
    up, down = np.moveaxis(problem.costs(x + sides).reshape(3, 2, 2), 1, 0)
    D = (up - down) / (2 * steps[:, None])
    D = (4 * D[1:] - D[:-1]) / 3
    assert_allclose(slope, (16 * D[1] - D[0]) / 15, rtol=0, atol=1e-9 * np.abs(D).max())


def test_a_gradient_costs_less_than_a_value(m, monkeypatch):
    """The motion of the value serves its gradient too, and one state more; nothing moves again."""
    problem, x = _problem(m, "peak torque", RODS, ["size <= 3"], TURN), np.array([0.4, 0.6])
    problem.costs(x[None])
    problem.rests(x[None])
    monkeypatch.setattr("korba.design.problem.moved_designs", None)
    assert np.isfinite(problem.cost_slopes(x)).all()
    assert np.isfinite(problem.rest_slopes(x)).all()


def test_a_function_of_the_motion_has_differences(m):
    """What Korba does not know inside is differentiated by neighbouring designs."""

    def reach(moved):
        return np.ptp(moved["D"], axis=1)

    x = np.array([0.41, 0.62])
    exact, rough = (_problem(m, f, RODS, (), TURN).cost_slopes(x) for f in ("-stroke", reach))
    assert_allclose(rough, exact, rtol=1e-6)


@pytest.mark.parametrize(
    ("more", "off"),
    [
        ({"count": 40}, 1e-9),
        ({"method": "local"}, 1e-9),
        ({"method": "evolution", "count": 400}, 1e-6),
        ({"solver": "trust-constr", "method": "local"}, 1e-3),
    ],
    ids=["starts", "local", "evolution", "trust-constr"],
)
def test_the_best_transmission_angle_is_the_textbooks(m, more, off):
    """For crank a and base d the best rods are b = c with b^2 + c^2 = a^2 + d^2.

    Then cos mu = a d / (b c) = 2 a d / (a^2 + d^2) at both positions of the crank along the base.
    """
    best = kb.optimise(m, "transmission angle", RODS, times=TURN, **more)
    assert_allclose(np.cos(best.value), 2 * 0.2 * 0.8 / (0.2**2 + 0.8**2), atol=off)
    assert_allclose([*best.parameters.values()], np.sqrt(0.34), atol=np.sqrt(off))
    moved = kb.motion(best.mechanism, TURN)
    assert_allclose(kb.transmission_angle(moved).minimum, best.value, atol=1e-9)
    assert best.evaluations >= best.gradients > 0 or more
    assert "transmission angle 61.9" in str(best)


def test_constraints_are_kept(m):
    """What constraints ask for holds in the design that comes out, and one of them is active."""
    wanted = ["transmission angle >= 45 deg", "b <= 1.5*c", "singularity >= 0.001"]
    best = kb.optimise(m, "stroke", RODS, constraints=wanted, count=20, times=TURN)
    moved = kb.motion(best.mechanism, TURN)
    angle = np.degrees(kb.transmission_angle(moved).angle.min())
    b, c = best.parameters.values()
    assert angle > 45 - 1e-6
    assert b <= 1.5 * c + 1e-9
    assert angle < 45 + 1e-3 or b > 1.5 * c - 1e-6
    free = kb.optimise(m, "stroke", RODS, count=20, times=TURN)
    assert free.value > best.value


def squares(points, targets):
    return float(np.sum((points - np.array(targets)) ** 2))


def test_six_points_on_a_line_are_met(generator):
    """Cabrera, Simon & Prado's first problem: the curve passes within 0.02 of all, in order."""
    best = kb.optimise(generator, *six_points(generator), count=200)
    assert best.value < 1e-3
    angles = np.linspace(0, 2 * np.pi, 20001)
    path = curve(best.parameters, angles)
    apart = np.linalg.norm(path[:, None] - np.array(LINE), axis=-1)
    assert apart.min(axis=0).max() < 0.02
    turns = np.diff(np.unwrap(angles[apart.argmin(axis=0)]))
    assert np.sum(turns > 0) >= 4 or np.sum(turns < 0) >= 4


def test_five_points_with_timing(generator):
    """The second problem: below 1e-6, as a formula of circles says too."""
    best = kb.optimise(generator, *five_points(generator))
    assert best.value < 1e-6
    assert_allclose(
        squares(curve(best.parameters, np.radians([30, 45, 60, 75, 90])), FIVE),
        best.value,
        rtol=1e-6,
    )


def test_eighteen_points_with_timing():
    """The third problem: 0.0099."""
    m = path_generator("right")
    best = kb.optimise(m, *eighteen_points(m))
    assert best.value < 0.00990
    angles = np.radians(20 * np.arange(18))
    assert_allclose(squares(curve(best.parameters, angles, -1), EIGHTEEN), best.value, rtol=1e-8)


def test_points_are_met_in_order():
    """The least sum over samples in order, from any beginning, is that of all ordered choices."""
    rng = np.random.default_rng(1)
    apart = rng.uniform(size=(5, 3, 20))
    for design, where in zip(apart, _in_order(apart), strict=True):
        sums = [
            (design[0, i] + design[1, j % 20] + design[2, k % 20], i, j, k)
            for i in range(20)
            for j in range(i, i + 20)
            for k in range(j, i + 20)
        ]
        sums += [
            (design[2, i] + design[1, j % 20] + design[0, k % 20], k, j, i)
            for i in range(20)
            for j in range(i, i + 20)
            for k in range(j, i + 20)
        ]
        least = min(sums)[0]
        assert_allclose(sum(design[k, w % 20] for k, w in enumerate(where)), least)


def test_an_interrupt_gives_the_best_so_far(m):
    """Ctrl-C ends the search; what was found is returned."""

    def stop(best):
        raise KeyboardInterrupt

    best = kb.optimise(m, "stroke", RODS, count=50, times=TURN, progress=stop)
    assert best.status == "interrupted"
    assert best.value > 0.6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parameters": {"rod": (0, 1)}}, "no parameter 'rod'"),
        ({"parameters": {}}, "name one or more sizes"),
        (
            {"parameters": {"b": (0.9, 0.4)}},
            "'b': the lower end 0.9 is not below the upper end 0.4",
        ),
        ({"parameters": {"b": 0.4}}, "expected its lower and upper end"),
        ({"parameters": {"b": ("2 kg", "3 kg")}}, "'b' is a length, got '2 kg'"),
        ({"objective": "strokes"}, "there is no question 'strokes'; did you mean 'stroke'"),
        ({"objective": "point of coupler.tip"}, "ask a question with one"),
        ({"constraints": ["stroke 3"]}, "expected <= or >= between two sides"),
        ({"constraints": ["transmision angle >= 3 deg"]}, "transmission angle"),
        ({"constraints": ["b <= 3 kg"]}, "cannot be compared with"),
        ({"constraints": ["b <= rod"]}, "rod"),
        ({"method": "magic"}, "expected one of starts, local, evolution"),
        ({"solver": "magic"}, "expected one of least_squares"),
        ({"count": 0}, "count and seed"),
        (
            {"parameters": {"b": (0.01, 0.02), "c": (0.01, 0.02)}},
            "none of .* designs can be assembled",
        ),
    ],
)
def test_wrong_problems_are_refused_in_a_sentence(m, wrong, message):
    """What is asked wrongly is named; so is a problem without any design."""
    given = {"objective": "stroke", "parameters": RODS, "count": 20} | wrong
    with pytest.raises(kb.KorbaError, match=message):
        kb.optimise(m, **given)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"point": "coupler.top"}, "has no point 'top'; there are tip"),
        ({"points": [1.0, 2.0]}, "a list of points with two or three components"),
        ({"times": [0.0]}, "2 points need as many times"),
    ],
)
def test_wrong_paths_are_refused_in_a_sentence(m, wrong, message):
    """Points and times that do not fit are named."""
    given = {"point": "coupler.tip", "points": [(0, 1), (0, 2)]} | wrong
    with pytest.raises(kb.KorbaError, match=message):
        kb.path_goal(m, **given)
