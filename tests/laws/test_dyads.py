"""Mechanisms made of dyads: the closed form is what Newton's method finds, design by design."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb
import korba.solve.batch_positions
import korba.solve.motion
from korba.codegen import compile_program
from korba.positions.dyads import KINDS, Chain, less, turned
from korba.positions.loop_system import with_sizes
from korba.solve.motion import driven_loops
from korba.system.store import store_of

TIMES = np.linspace(0.0, 1.5, 40)
DYADS = ("RRR", "RRT", "TRR", "RTR", "TRT", "RTT", "TTR", "RJ", "JR", "JT")
FOUR_BAR = """
name = "four-bar"
plane = "xy"
parameters.a = 0.2
parameters.b = 0.6
parameters.c = 0.6
parameters.d = 0.8
parameters.x = "((d - a)^2 + b^2 - c^2)/(2*(d - a))"
parameters.y = "sqrt(b^2 - x^2)"
body = [{name = "crank"}, {name = "coupler"}, {name = "rocker"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = ["a", 0]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = ["a + x", "y"]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = ["d", 0]},
]
"""


def pair(rng, symbol, name, ends):
    """A pair between two bodies at a random place, in a random direction, either way round."""
    parent, child = rng.permutation(ends).tolist()
    angle = rng.uniform(0, 2 * np.pi)
    at, axis = rng.uniform(-1, 1, 2), (np.cos(angle), np.sin(angle))
    if symbol == "R":
        return kb.Revolute(name, parent, child, at=at)
    kind = kb.Prismatic if symbol == "T" else kb.PinInSlot
    return kind(name, parent, child, at=at, axis=axis)


def random_linkage(seed):
    """A crank and one to four random dyads, each on any two of the bodies before it."""
    rng = np.random.default_rng(seed)
    known, joints = ["ground", "crank"], [kb.Revolute("A", "ground", "crank", at=(0, 0))]
    for i, kind in enumerate(rng.choice(DYADS, rng.integers(1, 5)).tolist()):
        own = [f"{i}{k}" for k in range(len(kind) - 1)]
        first, last = known[-1], str(rng.choice(known[:-1]))
        row = [first, *own, last]
        names = [f"{i}{symbol}{k}" for k, symbol in enumerate(kind)]
        joints += [
            pair(rng, symbol, name, row[k : k + 2])
            for k, (symbol, name) in enumerate(zip(kind, names, strict=True))
        ]
        known += own
    bodies = [kb.Body(name) for name in known[1:]]
    drive = kb.JointDrive("motor", "A", "0.3*sin(2*t)")
    return kb.Mechanism(f"random {seed}", bodies, joints, plane="xy", drives=[drive])


def by_newton(m, monkeypatch):
    """The motion by path following, or the error it ends with."""
    with monkeypatch.context() as patch:
        patch.setattr(korba.solve.motion, "moved_by_dyads", lambda *_: None)
        return outcome(m)


def outcome(m):
    try:
        return kb.motion(m, TIMES)
    except kb.KorbaError as error:
        return str(error)


def check_equal(one, other, near):
    """Two motions agree to rounding, which grows towards dead points."""
    for name, power in (("q", 1), ("v", 2), ("a", 4)):
        x, y = getattr(one, name), getattr(other, name)
        size = 1.0 + np.abs(y).max()
        assert_allclose(x, y, rtol=0, atol=1e-12 * size / min(1.0, near) ** power)


@pytest.mark.parametrize("seed", seeds())
def test_random_dyads_move_as_newton_says(seed, monkeypatch):
    """Positions, velocities, accelerations and refusals are those of path following."""
    m = random_linkage(seed)
    follows = by_newton(m, monkeypatch)
    closed = outcome(m)
    if isinstance(follows, str):
        assert closed == follows
    else:
        assert driven_loops(m).dyads is not None
        check_equal(closed, follows, float(np.sqrt(follows.audit.singularity)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_dyad_brings_its_end_where_it_is_asked_for(kind, seed):
    """With plain numbers: one of the two signs gives back the coordinates of a position."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(3, 2))
    for k, symbol in enumerate(kind):
        places[k] /= 1.0 if symbol == "R" else np.linalg.norm(places[k])
    end = places[2] if kind[2] == "R" else rng.normal(size=2)
    angles, lengths = rng.uniform(-3, 3, 3), rng.uniform(-1, 1, 3)
    b, phi = tuple(end), 0.0
    own = []
    for symbol, place, angle, length in list(zip(kind, places, angles, lengths, strict=True))[::-1]:
        z = (np.cos(angle), np.sin(angle))
        b = less(b, place, -length) if symbol == "T" else turned_about(b, place, z)
        phi += angle if symbol == "R" else 0.0
        own.insert(0, z if symbol == "R" else length)
    chain = Chain(kind, tuple(map(tuple, places)), tuple(end))
    solve, lean = KINDS[kind]
    sign = 1.0 if lean is None else np.sign(lean(chain, tuple(own)))
    solved = solve(chain, b, (np.cos(phi), np.sin(phi)), sign)
    assert solved.room > 0
    for x, y in zip(solved.coordinates, own, strict=True):
        assert_allclose(x, y, rtol=0, atol=1e-9)


def turned_about(b, pivot, z):
    arm = turned(less(b, pivot), z)
    return arm[0] + pivot[0], arm[1] + pivot[1]


@pytest.fixture(scope="module")
def four_bar():
    return kb.loads(FOUR_BAR + 'drive = [{name = "motor", joint = "A", position = "t"}]')


def alone_of(m, **sizes):
    """Another design that shares no programs with the first."""
    return deepcopy(kb.redimension(m, **sizes))


@pytest.mark.parametrize("drive", ["A", "B"], ids=["dyads", "newton"])
def test_designs_move_as_each_alone(drive):
    """Lanes are the motions of redimensioned mechanisms; those that jam are nan, and say where."""
    position = "t" if drive == "A" else "0.8*sin(t)"
    text = f'drive = [{{name = "motor", joint = "{drive}", position = "{position}"}}]'
    m, rng, t = kb.loads(FOUR_BAR + text), np.random.default_rng(3), np.linspace(0, 6, 25)
    sizes = {"b": rng.uniform(0.32, 0.9, (2, 8)), "c": rng.uniform(0.32, 0.9, (2, 8))}
    many = kb.motion(m, t, parameters=sizes)
    assert (driven_loops(m).dyads is not None) == (drive == "A")
    assert many.shape == (2, 8)
    ended = 0
    for number, place in enumerate(np.ndindex(2, 8)):
        one = alone_of(m, **{name: float(x[place]) for name, x in sizes.items()})
        try:
            alone = kb.motion(one, t)
        except kb.DeadPointError as error:
            ended += 1
            assert many.status[place] == "failed"
            assert "dead point" in many.endings[number]
            alone = error.motion
        lane = many.run(place)
        assert len(lane) == len(alone)
        for x, y in ((lane.q, alone.q), (lane.v, alone.v)):
            assert_allclose(x[:-2], y[:-2], rtol=0, atol=1e-9)
    assert drive == "B" or 0 < ended < 16


def test_designs_are_placed_in_the_mode_of_the_drawing(four_bar):
    """Positions of designs at values of the crank are those of each design alone."""
    angles, rods = np.linspace(-2, 2, 5)[:, None], np.array([0.55, 0.6, 0.7])
    many = kb.assemble(four_bar, {"A": angles}, parameters={"b": rods})
    assert many.q.shape == (5, 3, 4)
    for k, rod in enumerate(rods):
        one = kb.assemble(alone_of(four_bar, b=float(rod)), {"A": angles[:, 0]})
        assert_allclose(many.q[:, k], one.q, rtol=0, atol=1e-12)


def test_designs_that_do_not_reach_are_marked(four_bar):
    """Loops that cannot be closed are nan in their own lane, with a reason."""
    rods = np.array([0.6, 0.005, 0.6])
    some = kb.assemble(four_bar, {"A": 0.3}, parameters={"b": rods}, refuse=False)
    assert_array_equal(some.closed, [True, False, True])
    assert np.isnan(some.q[1]).all()
    assert some.reasons == {1: "with A = 0.3, b = 0.005 its loops cannot be closed on this branch"}
    with pytest.raises(kb.AssemblyError, match=r"1 of 3 .* b = 0\.005") as blocked:
        kb.assemble(four_bar, {"A": 0.3}, parameters={"b": rods})
    assert_array_equal(blocked.value.positions.q, some.q)
    moved = kb.motion(four_bar, [0.3], parameters={"b": rods})
    assert moved.status.tolist() == ["finished", "failed", "finished"]
    assert "cannot be assembled" in moved.endings[1]
    assert np.isnan(kb.energy(four_bar, moved).kinetic[1]).all()
    for k in (0, 2):
        alone = moved.run(k)
        one, lane = (kb.inverse_dynamics(*x) for x in ((alone.mechanism, alone), (four_bar, moved)))
        assert_allclose(lane[k], one, rtol=0, atol=1e-12 * np.abs(one).max())
    with pytest.raises(kb.StructureError, match="no parameter 'rod'"):
        kb.motion(four_bar, [0.3], parameters={"rod": rods})


def test_one_design_over_many_times_is_its_own_motion(four_bar):
    """A few designs over many times are all times at once; angles count their turns."""
    t = np.linspace(0, 15, 900)
    many = kb.motion(four_bar, t, parameters={"b": [0.62, 0.7]})
    one = kb.motion(alone_of(four_bar, b=0.7), t)
    assert_allclose(many.q[1], one.q, rtol=0, atol=1e-11)
    assert one["B"][-1] < -14.0


def test_cycles_of_designs_are_those_of_each_alone(four_bar):
    """Even drives: steps are proved between nodes, designs that jam are led and marked."""
    t, rods = np.linspace(0, 7, 150), np.linspace(0.32, 0.9, 30)
    many = kb.motion(four_bar, t, parameters={"b": rods, "c": 0.6})
    assert {"finished", "failed"} == set(many.status.tolist())
    for k in (0, 12, 29):
        try:
            alone = kb.motion(alone_of(four_bar, b=float(rods[k])), t)
        except kb.DeadPointError as error:
            alone = error.motion
        lane = many.run(k)
        assert abs(len(lane) - len(alone)) <= 1
        count = min(len(lane), len(alone)) - 1
        assert_allclose(lane.q[:count], alone.q[:count], rtol=0, atol=1e-10)
        assert_allclose(lane.a[: count - 1], alone.a[: count - 1], rtol=1e-7, atol=1e-7)


def test_a_redimensioned_mechanism_moves_by_the_program_of_its_family(four_bar):
    """The second design is not compiled again, and moves as if it were alone."""
    t = np.linspace(0.1, 6, 50)
    kb.motion(four_bar, t)
    for rod in (0.62, 0.7):
        design = kb.redimension(four_bar, b=rod)
        moved, alone = kb.motion(design, t), kb.motion(deepcopy(design), t)
        assert "driven loops" not in store_of(design)
        for name in "qva":
            assert_allclose(getattr(moved, name), getattr(alone, name), rtol=0, atol=1e-12)
        assert moved.audit.residual < 1e-12
    with pytest.raises(kb.DeadPointError):
        kb.motion(kb.redimension(four_bar, b=0.35), t)


def test_gradients_go_through_the_loops(four_bar):
    """A number made of q, v and a, differentiated by lengths: as by central differences."""
    own, names = driven_loops(four_bar), ("a", "b", "c", "d")
    dyads = with_sizes(four_bar, own, names).dyads
    gradient = compile_program(dyads.gradient(lambda q, v, a: q[2] + v[3] * a[1]))
    p, step = np.array([0.2, 0.6, 0.6, 0.8]), 1e-5 * np.eye(4)
    sign = dyads.signs(own.drawn, p)

    def at(sizes):
        zero = np.zeros(1)
        return gradient(zero, zero, np.array([0.7, 1.0]), sign, own.drawn, sizes)

    slopes = (at(p + step)[0] - at(p - step)[0])[:, 0] / 2e-5
    assert_allclose(at(p)[1], slopes, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["A", "D"])
def test_positions_at_values_are_those_of_newton(four_bar, name, monkeypatch):
    """Over several turns of the crank; and of the rocker, beyond whose ends nothing closes."""
    values = np.linspace(-9, 9, 61)
    closed = kb.assemble(four_bar, {name: values}, refuse=False)
    monkeypatch.setattr(korba.solve.batch_positions, "placed_by_dyads", lambda *_: None)
    led = kb.assemble(four_bar, {name: values}, refuse=False)
    assert_array_equal(closed.closed, led.closed)
    assert_allclose(closed.q, led.q, rtol=0, atol=1e-12)
    assert closed.closed.all() == (name == "A")


def test_points_of_designs_are_their_own(four_bar, tmp_path):
    """Points move with the sizes of each design, of one run and after a file too."""
    t = np.linspace(0.1, 2, 12)
    many = kb.motion(four_bar, t, parameters={"d": [0.8, 0.85], "b": 0.65})
    alone = kb.motion(alone_of(four_bar, d=0.85, b=0.65), t).point("rocker", (0.1, 0.2))
    many.save(tmp_path / "designs.npz")
    read = kb.Trajectory.load(tmp_path / "designs.npz")
    for own in (many, read):
        assert_allclose(own.point("rocker", (0.1, 0.2)).position[1], alone.position, atol=1e-12)
        one = own.run(1).point("rocker", (0.1, 0.2))
        assert_allclose(one.acceleration, alone.acceleration, rtol=0, atol=1e-11)
    single = kb.motion(four_bar, t, parameters={"b": 0.65})
    assert single.q.shape == (12, 4)
    assert "finished" in str(single)
