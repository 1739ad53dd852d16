"""Sweeps: every design is answered as its own mechanism is, and nothing that is known is lost."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from four_bars import four_bar, slider_crank
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb
from korba.design import running
from korba.show.drawings.sweeps import _contour

TIMES = np.linspace(0.0, 2 * np.pi, 61)
LENGTHS = {"b": np.linspace(0.4, 0.9, 6), "c": np.linspace(0.45, 0.85, 5)}
EVERYTHING = ["transmission angle", "stroke", "peak of a_D", "point of coupler.tip"]


def tip_height(moved):
    """A question of one's own."""
    return np.max(moved.point("coupler", "tip").position[..., 1], axis=-1)


def failing(moved):
    """A question that fails for long couplers."""
    if np.any(moved.parameters["b"] > 0.75):
        raise ZeroDivisionError("too long")
    return moved["D"][:, 0]


@pytest.fixture(scope="module")
def m():
    return four_bar()


@pytest.fixture(scope="module")
def whole(m):
    return kb.sweep(m, LENGTHS, [*EVERYTHING, tip_height], TIMES)


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of seven designs."""
    monkeypatch.setattr(running, "BYTES", 8 * len(TIMES) * 12 * 7)


def test_answers_are_those_of_every_design_alone(m, whole):
    """Lanes answer as redimensioned mechanisms do; those that jam are nan and have a reason."""
    assert len(whole) == 30
    k = min(whole.reasons)
    with pytest.raises(kb.DeadPointError):
        kb.motion(whole.design(k), TIMES)
    assert "dead point" in whole.reasons[k]
    assert np.isnan(whole["stroke"][k])
    assert np.isnan(whole["point of coupler.tip"][k]).all()
    for k in (whole.best("stroke"), whole.best("-transmission angle")):
        moved = kb.motion(whole.design(k), TIMES)
        assert_allclose(whole["stroke"][k], np.ptp(moved["D"]), atol=1e-10)
        assert_allclose(whole["peak of a_D"][k], np.abs(moved["a_D"]).max(), rtol=1e-8)
        angle = kb.transmission_angle(moved).angle.min()
        assert_allclose(whole["transmission angle"][k], angle, atol=1e-9)
        place = moved.point("coupler", "tip").position
        assert_allclose(whole["point of coupler.tip"][k], place, atol=1e-10)
        assert_allclose(whole["tip_height"][k], place[:, 1].max(), atol=1e-10)


def test_ready_questions_against_closed_forms():
    """Stroke, time ratio and torque of a slider-crank are those of its formulas."""
    m, w = slider_crank(), 2.0
    s = kb.sweep(m, {"r": ["30 mm", 0.05], "heavy": [1.0, 3.0]}, ["peak torque", "time ratio"])
    angle = np.linspace(0.0, 2 * np.pi, 361) + 0.3
    for k in range(4):
        r, mass, c, sine = s["r"][k], s["heavy"][k], np.cos(angle), np.sin(angle)
        root = np.sqrt(0.15**2 - (r * sine) ** 2)
        slope = -r * sine - r**2 * sine * c / root
        bend = -r * c - r**2 * (c**2 - sine**2) / root - r**4 * (sine * c) ** 2 / root**3
        torque = mass * w**2 * bend * slope
        assert_allclose(s["peak torque"][k], np.abs(torque).max(), rtol=1e-9)
        assert_allclose(s["time ratio"][k], 1.0, atol=0.02)
    fine = kb.sweep(m, {"r": [0.03]}, "stroke", np.linspace(0, np.pi, 20001))
    assert_allclose(fine["stroke"], 0.06, atol=1e-8)


def test_a_verb_is_a_question(m):
    """What a verb says at every time, of every design that can be assembled."""
    s = kb.sweep(
        m,
        {"a": [0.1, 0.2, 0.1], "c": [0.6, 0.6, 0.05]},
        kb.centre_of_mass,
        [0.0, 0.5],
        designs="given",
    )
    assert "cannot be assembled" in s.reasons[2]
    assert np.isnan(s["centre_of_mass"][2]).all()
    moved = kb.motion(s.design(0), [0.0, 0.5])
    name = kb.centre_of_mass.name
    assert_allclose(s[name][0], kb.centre_of_mass(s.design(0), moved.q), atol=1e-12)


def test_designs_on_a_grid_given_and_at_random(m):
    """A grid has the axes of its sizes; given designs are rows; random ones fill their bounds."""
    grid = kb.sweep(m, LENGTHS, "stroke", [0.0, 0.1])
    assert grid.grid("stroke").shape == (6, 5)
    assert_array_equal(grid.grid("b")[:, 0], LENGTHS["b"])
    rows = kb.sweep(m, {"b": [0.6, 0.7], "c": "650 mm"}, "stroke", [0.0, 0.1], designs="given")
    assert_array_equal(rows["c"], [0.65, 0.65])
    some = kb.sweep(m, {"b": (0.6, 0.7)}, "stroke", [0.0, 0.1], designs="random", count=10)
    assert_array_equal(np.sort(np.floor((some["b"] - 0.6) * 100)), range(10))


def test_best_and_pareto(m, whole):
    """No design beats one of the front in everything, and each other is beaten."""
    stroke, angle = whole["stroke"], whole["transmission angle"]
    assert stroke[whole.best("stroke")] == np.nanmax(stroke)
    assert stroke[whole.best("-stroke")] == np.nanmin(stroke)
    front = whole.pareto("stroke", "transmission angle")
    for k in np.flatnonzero(whole.ok):
        ahead = (stroke >= stroke[k]) & (angle >= angle[k])
        beaten = np.any(ahead & ((stroke > stroke[k]) | (angle > angle[k])))
        assert beaten == (k not in front)


def same(one, two):
    """The same answers and reasons."""
    assert one.answers.keys() == two.answers.keys()
    for name, x in one.answers.items():
        assert_array_equal(x, two.answers[name])
    assert dict(one.reasons) == dict(two.reasons)


@pytest.mark.usefixtures("small_parts")
def test_threads_and_pools_answer_the_same(m, whole):
    """Parts are answered alike here, by threads and by a pool."""
    more = [*EVERYTHING, tip_height]
    same(kb.sweep(m, LENGTHS, more, TIMES, threads=2), whole)
    with ThreadPoolExecutor(2) as pool:
        same(kb.sweep(m, LENGTHS, more, TIMES, client=pool), whole)


@pytest.mark.usefixtures("small_parts")
def test_another_process_answers_the_same(m, whole):
    """What is asked travels to other processes, as it does to those of a cluster."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        other = kb.sweep(m, LENGTHS, EVERYTHING, TIMES, client=pool)
    for name in EVERYTHING:
        assert_allclose(other[name], whole[name], rtol=0, atol=0)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_an_interrupted_sweep_goes_on_where_it_ended(m, whole, tmp_path, ending):
    """What was answered before an interrupt is returned and kept, and is not asked again."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path, seen = tmp_path / f"sweep.{ending}", []

    def stop(done):
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    def asked(file=path, **more):
        return kb.sweep(m, LENGTHS, EVERYTHING, TIMES, file=file, **more)

    part = asked(progress=stop)
    assert part.status == "interrupted"
    assert part.asked.sum() == 14
    assert "14 of 30 designs asked" in str(part)
    again = []
    full = asked(progress=again.append)
    assert again == [21.0, 28.0, 30.0]
    for name in EVERYTHING:
        assert_array_equal(full[name], whole[name])
    assert dict(full.reasons) == dict(whole.reasons)
    with pytest.raises(kb.FileError, match="holds another sweep"):
        kb.sweep(m, LENGTHS, EVERYTHING, TIMES[:5], file=path)
    path.write_bytes(b"something else")
    with pytest.raises(kb.FileError, match="is no file of a sweep, or is damaged"):
        asked()
    with pytest.raises(kb.FileError, match="the ending must be"):
        asked(file=tmp_path / "sweep.txt")


def test_a_question_that_fails_costs_its_own_designs_only(m):
    """Errors of one design are its reason; the others are answered."""
    s = kb.sweep(m, {"b": [0.6, 0.65, 0.8, 0.7]}, failing, [0.0, 0.1])
    assert dict(s.reasons) == {2: "the question failed: ZeroDivisionError: too long"}
    assert_array_equal(np.isnan(s["failing"]), [False, False, True, False])


def test_a_mechanism_that_jams_itself_is_swept():
    """What is drawn need not come to the end of the motion; its designs are asked all the same."""
    m = kb.redimension(four_bar(), b="450 mm", c="400 mm")
    s = kb.sweep(m, {"b": [0.45, 0.6], "c": [0.4, 0.6]}, ["stroke", "point of coupler.tip"], TIMES)
    assert "dead point" in s.reasons[0]
    assert s.ok[3]
    assert s["point of coupler.tip"].shape == (4, 61, 3)
    none = kb.sweep(m, {"b": [0.45, 0.46]}, "stroke", TIMES)
    assert len(none.reasons) == 2
    assert np.isnan(none["stroke"]).all()
    with pytest.raises(kb.StructureError, match="no design has an answer"):
        none.best("stroke")


def test_designs_that_collapse_are_marked():
    """A negative mass and a rod of no length have their reasons; the others are answered."""
    s = kb.sweep(
        slider_crank(), {"heavy": [2.0, -1.0], "l": [0.15, 0.0]}, "peak torque", [0.0, 0.1]
    )
    assert_array_equal(s.ok, [True, False, False, False])
    assert "body 'rod': has no length between its joints 'B' and 'C'" in s.reasons[1]
    assert s.reasons[2].startswith(
        "with heavy = -1, l = 0.15, mechanism 'slider-crank' has 1 fault"
    )


def test_tables(m, tmp_path):
    """The table has a row for each design, and a design is a file."""
    pytest.importorskip("pandas")
    s = kb.sweep(m, {"b": [0.6, 0.05], "c": [0.5]}, "stroke", [0.0, 0.1])
    frame = s.to_dataframe()
    assert [*frame.columns] == ["b", "c", "stroke", "asked", "reason"]
    assert "cannot be assembled" in frame["reason"][1]
    s.save(tmp_path / "sweep.csv")
    assert (tmp_path / "sweep.csv").read_text("utf-8").startswith("b,c,stroke,asked,reason\n0.6,")
    kb.save(s.design(0), tmp_path / "best.toml")
    assert dict(kb.load(tmp_path / "best.toml").parameters)["b"] == "600 mm"
    assert "1 answered, 1 failed" in str(s)
    assert "<table>" in s._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parameters": {"rod": [1.0]}}, "no parameter 'rod'"),
        ({"parameters": {}}, "name one or more sizes to vary"),
        ({"parameters": {"b": "3 kg"}}, "'b' is a length, got '3 kg'"),
        ({"parameters": {"b": ["600 mm", "3 kg"]}}, "'b' is a length, got '3 kg'"),
        ({"parameters": {"b": []}}, "expected a row of values"),
        (
            {"parameters": {"b": (0.7, 0.6)}, "designs": "random"},
            "0.7 is not below the upper end 0.6",
        ),
        ({"parameters": {"b": [0.7]}, "designs": "random"}, "expected its lower and upper end"),
        (
            {"parameters": {"b": [1.0] * 2, "c": [1.0] * 3}, "designs": "given"},
            "columns of one length",
        ),
        ({"parameters": {n: np.ones(5000) for n in "bc"}}, "too many for one table"),
        ({"designs": "all"}, "expected one of grid, random, given"),
        ({"question": "strokes"}, "there is no question 'strokes'; did you mean 'stroke'"),
        ({"question": "stroke of Q"}, "there is no column 'Q'"),
        ({"question": "point of coupler"}, "say which, such as"),
        ({"question": lambda moved: 3.0}, "the designs on the first axis"),
        ({"question": []}, "ask at least one question"),
        ({"question": kb.forward_dynamics}, "needs tau, which a motion has not"),
        ({"client": 3}, "expected a dask.distributed.Client"),
        ({"threads": 0}, "threads: expected 1 or more"),
    ],
)
def test_wrong_sweeps_are_refused_in_a_sentence(m, wrong, message):
    """What is asked wrongly is named before anything is computed."""
    given = {"parameters": {"b": [0.6]}, "question": "stroke", "times": [0.0, 0.1]} | wrong
    with pytest.raises(kb.KorbaError, match=message):
        kb.sweep(m, **given)


def test_pictures(m, whole):
    """Every answered design is a line, every cell of the grid a patch."""
    lines = kb.draw(whole, "-stroke")
    assert lines.count("<polyline") == whole.ok.sum() + 1
    patches = kb.draw(whole, "stroke", over=("c", "b"))
    assert patches.count("<rect") == whole.ok.sum() + 2
    assert "best stroke" in patches
    with pytest.raises(kb.StructureError, match="expected two sizes of a grid"):
        kb.draw(whole, "stroke", over=("b", "b"))
    with pytest.raises(kb.StructureError, match="ask a question with one"):
        kb.draw(whole, "point of coupler.tip")


def test_contours_lie_where_a_plane_has_their_value():
    """On z = 2 u + v every piece of a contour has the value of its level."""
    u, v = np.linspace(0.0, 1.0, 4), np.linspace(0.0, 2.0, 5)
    pieces = list(_contour(u, v, 2 * u[:, None] + v, 1.7))
    assert pieces
    for p, q in pieces:
        assert_allclose([2 * p[0] + p[1], 2 * q[0] + q[1]], 1.7)


@pytest.mark.usefixtures("small_parts")
def test_a_cluster_answers_the_same(m, whole):
    """The same parts on a local cluster of Dask, where it is installed."""
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(kb.sweep(m, LENGTHS, [*EVERYTHING, tip_height], TIMES, client=client), whole)
