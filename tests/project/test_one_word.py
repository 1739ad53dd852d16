"""One word for one thing, in the signatures of all public functions and fields of results."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import korba as kb

ROOMS = (kb, kb.course, kb.papers, kb.results)
INSTEAD = {
    "sizes": "parameters",
    "hold": "held",
    "holding": "held",
    "fixed": "held",
    "frozen": "held",
    "coords": "coordinates",
    "q0": "q",
    "initial": "q",
    "begin_at": "q",
    "start_time": "t",
    "callback": "progress",
    "bar": "progress",
    "filename": "path",
    "trajectory": "motion",
}
"""Words that no public function takes, and the word for it; a new synonym is a line here."""
WORDS = """
a about along area at autoplay base begin beside bodies body branches by client columns
constraints convention coordinate coordinates count cruise damping degrees designs deviations
device direction distribution drives effort events every exact external fall file floating
flywheel fmi follow forces formulation formulations fps friction ghosts graph gravity held
hodographs inputs irregularity joint keep layered limit link load local logo m mass masses
merge_fixed meshes method mobility model motion name names near objective of options orders
orientation output over overlays parameters path paths phase platforms point points position
progress q question radius raise_on_failure refuse result rise rows seconds sections seed
shaking solver source space speed srdf standard starts states stiffness t target tau text theme
threads times timestep tolerance top until v values verb width x young
"""
"""All that functions of `kb` are told, by name: a new word is one that none of these can say."""
ITERATED = {
    *("AbsoluteSystem.position", "Ordered.position", "closed_loop", "four_bar", "newton"),
    *("inverted_slider_crank", "slider_crank", "minimise_dfp", "start_by_minimisation"),
    *("refined_start", "semi_canonical_state"),
}
"""Where `start` stands: what an iteration begins with."""
PROGRESS = "bool | Callable[[float], object] | None"


def questions():
    """Public functions and methods of public classes, with their parameters."""
    for room in ROOMS:
        for name in room.__all__:
            thing = getattr(room, name)
            own = {f"{name}.{x}": each for x, each in methods(thing)}
            for where, each in {name: thing, **own}.items():
                if callable(each) and not inspect.isclass(each):
                    yield where, inspect.signature(each).parameters


def methods(kind):
    """Public methods of a class of ours."""
    for own in kind.__mro__ if inspect.isclass(kind) else ():
        if own.__module__.startswith("korba"):
            for name, each in vars(own).items():
                if name[0] != "_" and callable(each := getattr(each, "__func__", each)):
                    yield name, each


def test_one_word_for_one_thing():
    """No signature, and no field of a result, has a synonym of a word that others have."""
    asked = dict(questions())
    assert len(asked) > 300
    assert not {f"{name}({w}=)" for name, ps in asked.items() for w in {*ps} & {*INSTEAD}}
    held = [getattr(kb.results, name) for name in kb.results.__all__]
    named = {f"{k.__name__}.{f.name}" for k in held if is_dataclass(k) for f in fields(k)}
    assert not {name for name in named if name.partition(".")[2] in {*INSTEAD} - {"start_time"}}
    assert {word for ps in asked.values() for word in ps} >= {*INSTEAD.values()}


def test_words_of_questions_are_a_closed_list():
    """What a function of `kb` is told has a name of the list, and no word of it is idle."""
    own = {name: ps for name, ps in questions() if name in kb.__all__}
    assert {word for ps in own.values() for word in ps} == {*WORDS.split()}


def test_start_means_one_thing():
    """It is what an iteration begins with, and stands nowhere else; `q` is where a motion does."""
    assert {name for name, ps in questions() if "start" in ps} == ITERATED


def test_progress_is_one_kind():
    """A bar or none, or a function of one number."""
    told = {name: ps["progress"].annotation for name, ps in questions() if "progress" in ps}
    assert len(told) >= 9
    assert set(told.values()) == {PROGRESS}


def test_questions_of_a_motion_take_it_first():
    """What takes a motion, or what has one, takes it as its first argument."""
    later = {
        name
        for name, ps in questions()
        if "." not in name and "motion" in ps and next(iter(ps)) not in {"motion", "source"}
    }
    assert later == {"balance"}  # of a mechanism, over its own cycle or a motion


ARM = kb.Mechanism(
    "arm",
    [
        kb.Body("upper", 1, com=(0.2, 0), inertia=0.1, points={"P": (0.3, 0.1)}),
        kb.Body("hand.a", 1, com=(0.1, 0), inertia=0.1, points={"tip": (0.4, 0.2)}),
    ],
    [
        kb.Revolute("A", "ground", "upper", at=(0, 0)),
        kb.Revolute("B", "upper", "hand.a", at=(0.5, 0)),
    ],
    plane="xy",
)
Q, V = np.array([0.3, 0.4]), np.array([1.0, -2.0])


def at(p):
    """A point by its keyword, if one is given."""
    return {"point": p[0]} if p else {}


POINTS = {
    "jacobian": lambda *p: kb.jacobian(ARM, Q, *p),
    "jacobian_rate": lambda *p: kb.jacobian_rate(ARM, Q, V, *p),
    "velocity": lambda *p: kb.velocity(ARM, Q, V, *p),
    "acceleration": lambda b, *p: kb.acceleration(ARM, Q, V, V, b, **at(p)),
    "inverse_kinematics": lambda b, *p: kb.inverse_kinematics(
        ARM, b, (0.5, 0.4), q=[0.5, 0.5], **at(p)
    ).q,
    "programmed_motion": lambda b, *p: kb.programmed_motion(
        ARM, [0, 0.1], body=b, direction=(-1, 0), speed="0.1 m/s", q=[0.5, 0.5],
        **at(p),
    ).q,
    "reachable": lambda *p: kb.reachable(
        ARM, *p, over={"A": (0, 1), "B": (0.5, 1.5)}, count=8
    ).area,
    "Trajectory.point": lambda *p: kb.simulate(ARM, 0.1, times=3).point(*p).position,
    "Configuration.point": lambda *p: kb.assemble(ARM, {"A": 0.1}).point(*p),
}  # fmt: skip


def test_every_question_about_a_point_is_asked_here():
    """All public functions with a body and a point of it."""
    asked = {name for name, ps in questions() if {"body", "point"} <= {*ps}}
    assert asked <= {*POINTS} | {"coupler_curve"}


@pytest.mark.parametrize("name", POINTS)
def test_points_are_named_with_their_body(name):
    """ "hand.a.tip" is the point `tip` of `hand.a`, everywhere."""
    ask = POINTS[name]
    assert np.array_equal(ask("hand.a.tip"), ask("hand.a", "tip"))
    assert np.array_equal(ask("hand.a.tip"), ask("hand.a", (0.4, 0.2)))
    with pytest.raises(kb.KorbaError, match="names a point already"):
        ask("hand.a.tip", "tip")


def test_a_verb_takes_a_motion_alone():
    """The motion knows its mechanism: `kb.reactions(motion)` is that of both."""
    motion = kb.simulate(ARM, 0.1, times=3)
    alone, both = kb.reactions(motion), kb.reactions(ARM, motion)
    assert np.array_equal(alone.force, both.force)
    assert np.array_equal(kb.pose(motion, "upper"), kb.pose(ARM, motion, "upper"))
