"""Lessons: steps end in the answer, exercises are everyone's own, checks are fair."""

import re

import numpy as np
import pytest

import korba as kb
from korba.course.teaching.exercises import KINDS

FOUR = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
AT = {"A": "70 deg"}


def results(worked):
    """The first number of every result."""
    return [float(re.search(r"-?[\d.]+(e-?\d+)?", step.result)[0]) for step in worked.steps]


@pytest.mark.parametrize("ask", [kb.course.velocity_plan, kb.course.acceleration_plan])
def test_steps_of_a_plan_end_in_its_vectors(ask):
    """Every step's result is the size of a vector or a rate of the plan, to the digits shown."""
    plan = ask(FOUR, AT)
    sizes = [np.linalg.norm(v.vector) for v in plan.vectors]
    known = np.array([*sizes, *np.abs([*plan.angular.values()])])
    steps = kb.course.worked(plan)
    for value in results(steps):
        assert np.abs(known - value).min() <= 6e-4 * abs(value) + 1e-12
    told = {step.what for step in steps.steps}
    assert {f"angular {plan.quantity} of coupler", f"{plan.quantity} of C on coupler"} <= told


@pytest.mark.parametrize("ask", [kb.course.velocity_plan, kb.course.acceleration_plan])
def test_numbers_that_are_put_in_add_up(ask):
    """Of a vector equation the numbers before the last sign are a sum that is behind it."""
    sums = 0
    for step in kb.course.worked(ask(FOUR, AT)).steps:
        left, equals, right = step.numbers.partition(" = ")
        if equals and "+" in left:
            pairs = re.findall(r"\((-?[\d.e-]+), (-?[\d.e-]+)\)", left)
            total = np.array(pairs, dtype=float).sum(axis=0)
            wanted = np.array(re.findall(r"-?[\d.e-]+", right), dtype=float)
            assert total == pytest.approx(wanted, abs=2e-3 * np.abs(wanted).max())
            sums += 1
    assert sums >= 1


def test_virtual_work_and_mobility_end_in_their_answers():
    """The lever's last step is its effort; the count is that of kb.mobility."""
    lever = kb.course.lever(FOUR, AT)
    assert results(kb.course.worked(lever))[-1] == pytest.approx(lever.effort, rel=1e-3)
    steps = kb.course.worked(FOUR).steps
    assert [step.result for step in steps[:2]] == ["1", "2"]
    assert "'crank' turns fully" in steps[-1].result
    rocker = kb.linkages.four_bar("100 mm", "120 mm", "60 mm", "100 mm")
    stuck = kb.linkages.four_bar("100 mm", "150 mm", "80 mm", "90 mm")
    assert "'rocker' turns fully" in kb.course.worked(rocker).steps[-1].result
    assert "no link turns fully" in kb.course.worked(stuck).steps[-1].result


def test_every_centre_has_its_step():
    """n (n - 1) / 2 of them, and where they are."""
    centres = kb.course.instant_centres(FOUR, AT)
    steps = kb.course.worked(centres).steps
    assert len(steps) == 1 + len(centres.centres) and steps[0].result == "6"
    x, y = centres["ground", "coupler"].point
    told = next(step for step in steps if step.what == "centre of ground and coupler")
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", told.result)]
    assert numbers == pytest.approx([x, y], rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_exercises_are_the_same_for_one_and_others_for_others(kind):
    """A name gives one task; forty names give many; right answers are right, others are not."""
    tasks = [kb.course.exercise(kind, f"student {k}") for k in range(40)]
    assert len({task.text for task in tasks}) >= 39
    again = kb.course.exercise(kind, "student 3")
    assert (again.text, again.answers) == (tasks[3].text, tasks[3].answers)
    assert kb.course.exercise(kind, "student 3", 2).text != again.text
    for task in tasks[:6]:
        right = {name: asked.value for name, asked in task.answers.items()}
        assert task.check(right).right == len(right)
        assert task.check({name: x + 0.03 * abs(x) + 0.001 for name, x in right.items()}).right == 0
        assert task.check({}).right == 0
        assert str(task).isprintable() is False and not any(
            f"{asked.value:.4g}" in task.text for asked in task.answers.values() if asked.unit
        )


def test_answers_take_units_and_faults_are_told():
    """0.2 m/s is 200 mm/s; a wrong sign and a wrong unit are told apart from a wrong number."""
    task = kb.course.exercise("velocities", "Anna")
    v, w = task.answers["v_C"].value, task.answers["w(coupler)"].value
    marks = task.check({"v_C": f"{1000 * v} mm/s", "w(coupler)": -w}).marks
    assert [mark.right for mark in marks] == [True, False]
    assert marks[1].said == "the size is right, the sign is not"
    said = task.check({"v_C": 1000 * v, "w(coupler)": "nonsense("}).marks
    assert said[0].said == "wrong unit: mm for m?" and not said[1].right
    with pytest.raises(kb.StructureError, match="no answer 'v_D'"):
        task.check({"v_D": 1.0})
    with pytest.raises(kb.StructureError, match="no kind of exercise 'velocity'; did you mean"):
        kb.course.exercise("velocity", "Anna")


@pytest.mark.parametrize("seed", range(12))
def test_cranks_of_exercises_turn_fully(seed):
    """Every mechanism of a task can be turned through its whole cycle."""
    task = kb.course.exercise("velocities", f"seed {seed}")
    assert kb.input_range(task.mechanism, "A").full_turn


def test_a_solution_is_a_page_that_escapes_its_names():
    """Names of any kind stand in it as text."""
    m = kb.loads(kb.dumps(FOUR).replace('name = "four-bar"', 'name = "<b>&"'))
    page = kb.course.worked(kb.course.velocity_plan(m, AT)).page()
    assert "<b>&" not in page and page.count("<tr>") == 1 + len(
        kb.course.worked(kb.course.velocity_plan(m, AT)).steps
    )


@pytest.mark.parametrize("angle", ["40 deg", "100 deg", "200 deg", "310 deg"])
def test_a_dyad_by_two_circles_is_where_the_mechanism_is(angle):
    """The last line is the inner pin, in the units of the file, and its equation gives it."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    position = kb.assemble(m, {"A": angle})
    steps = kb.course.worked(position).steps
    assert [step.what for step in steps][-1] == "place of C" and len(steps) == 4
    centres = kb.course.instant_centres(m, position)
    C = 1000 * np.array(centres["coupler", "rocker"].point)
    told = [float(x) for x in re.findall(r"-?[\d.]+", steps[-1].result)[:2]]
    assert told == pytest.approx(C, rel=1e-3, abs=0.02)
    assert steps[-1].result.endswith(" mm")
    numbers = [
        float(x) for x in re.findall(r"-?\d[\d.]*", steps[-1].numbers.replace(" - ", " + -"))
    ]
    (px, py, a, ux, uy, h, nx, ny) = numbers
    made = np.array([px, py]) + a * np.array([ux, uy]) + h * np.array([nx, ny])
    assert made == pytest.approx(C, rel=5e-3, abs=0.2)


def test_a_chain_by_its_matrices_ends_where_the_course_says():
    """A matrix for each link, their products, and the place of the last frame."""
    links = [
        kb.course.DHLink("60 mm", alpha="90 deg"),
        kb.course.DHLink(0.2),
        kb.course.DHLink(0.1),
    ]
    q = [0.3, -0.4, 0.9]
    steps = kb.course.worked((links, q)).steps
    assert sum(step.what.startswith("matrix of") for step in steps) == 3
    told = [float(x) for x in re.findall(r"-?[\d.]+", steps[-1].result)[:3]]
    assert told == pytest.approx(kb.course.dh_position(links, q), rel=1e-3)
    rows = steps[-2].result.strip("[]").split("; ")
    frame = np.array([[float(x) for x in row.split()] for row in rows])
    assert frame == pytest.approx(kb.course.dh_frames(links, q)[-1], abs=1e-3)
    assert "A_01 A_12 A_23" in steps[-2].equation
