"""Every public verb with every kind of wrong argument: an answer, or a KorbaError in a sentence."""

import inspect
import warnings
from functools import cache

import numpy as np
import pytest
import sample_mechanisms

import korba as kb

WRONG = {
    "none": None,
    "word": "nonsense",
    "empty word": "",
    "formula": "2*(",
    "unit": "3 kg",
    "yes": True,
    "nought": 0,
    "minus": -1,
    "huge": 1e200,
    "tiny": 1e-300,
    "nan": np.nan,
    "infinite": np.inf,
    "complex": 1j,
    "empty list": [],
    "ragged": [[1.0, 2.0], [3.0]],
    "words": ["a", "b"],
    "nans": [np.nan] * 2,
    "many": np.zeros(7),
    "matrix": np.zeros((2, 2, 2)),
    "objects": np.array([None, {}], dtype=object),
    "empty mapping": {},
    "wrong mapping": {"nobody": 1.0},
    "nested mapping": {"A": {"B": 1}},
    "numbered mapping": {0: "x"},
    "bytes": b"A",
    "set": {1, 2},
    "object": object(),
    "class": type,
    "mechanism": kb.Mechanism(),
}


@cache
def four_bar():
    """A driven four-bar with masses."""
    drives = [kb.JointDrive("motor", "A", "t")]
    return sample_mechanisms.four_bar(body={"mass": 1.0, "inertia": 0.1}, drives=drives)


@cache
def arm():
    """Two hinges in space."""
    bodies = [kb.Body(name, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)) for name in ("upper", "fore")]
    joints = [
        kb.Revolute("A", "ground", "upper", at=(0, 0, 0), axis=(0, 1, 0)),
        kb.Revolute("B", "upper", "fore", at=(1, 0, 0), axis=(0, 1, 0)),
    ]
    return kb.Mechanism("arm", bodies, joints)


@cache
def sized():
    """A driven slider-crank whose crank is a parameter."""
    return kb.loads("""
plane = "xy"
parameters.r = 0.1
body = [{name = "crank"}, {name = "rod", points = {P = [1, 0]}}, {name = "slider"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + 1", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "t"}]
""")


@cache
def cam():
    """A cam with a roller."""
    return kb.linkages.cam(0.04, 0.02, 0.008)


@cache
def turned():
    """A motion of the four-bar."""
    return kb.motion(four_bar(), np.linspace(0, 0.2, 3))


@cache
def slid():
    """A motion of the slider-crank."""
    return kb.motion(sized(), [0.0, 0.1])


STATE = {"q": [0.3, 0.2], "v": [0.1, 0.2], "a": [0.0, 0.1], "tau": [1.0, 0.0]}
GOOD = {
    "body": "fore",
    "forces": {"fore": [0, 0, 0, 1, 0, 0]},
    "until": 0.01,
    "step": 0.005,
    "verb": kb.mass_matrix,
    "by": "q",
    "coordinate": "A",
    "times": [0.0, 0.1],
    "motion": turned,
    "source": four_bar,
    "result": turned,
    "parameters": ("rod",),
    "point": (0.5, 0.0, 0.0),
    "mobility": 1,
    "path": "mechanism.toml",
    "text": "[mechanism]\nname = 'x'\n",
} | STATE
"""Right values of arguments that have no default."""
CLOSED = {
    "assemble", "configurations", "input_range", "motion", "coupler_curve",
    "grashof", "absolute_motion", "absolute_system", "size_deviations", "groups", "sensitivity",
    "reduce", "run_up", "speeds", "steady_cycle", "steady_speed", "flywheel",
    "balance",
}  # fmt: skip
"""Verbs that are asked about the four-bar; the others about the arm."""
OWN = {
    "balance": {"bodies": ["crank"]},
    "cam_profile": {"m": cam, "joint": "K"},
    "coupler_curve": {"body": "coupler"},
    "mechanical_advantage": {"effort": "A", "load": "D"},
    "reachable": {"over": {"A": None, "B": None}},
    "half_pair_misfit": {
        "m": four_bar,
        "joint": "D",
        "coordinate": "A",
        "values": [0.1],
        "deviations": {("coupler", "C", "dz"): 1e-5},
    },
    "size_deviations": {
        "values": [0.1],
        "deviations": {("crank", "A", "B"): 1e-3},
        "link": ("coupler", "B", "C"),
        "area": 1e-4,
    },
    "sweep": {
        "m": sized,
        "parameters": {"r": (0.1, 0.2)},
        "question": "stroke",
        "times": [0.0, 0.1],
    },
    "optimise": {
        "m": sized,
        "parameters": {"r": (0.1, 0.2)},
        "objective": "stroke",
        "times": [0.0, 0.1],
        "method": "local",
        "count": 2,
    },
    "driving_forces": {"m": four_bar, "q": [0.0] * 4, "v": [0.1] * 4, "a": [0.0] * 4},
    "generate": {"target": "c"},
    "static_determinacy": {"m": four_bar},
    "guide_contacts": {"motion": slid, "joint": "D", "length": 0.1},
    "path_goal": {"m": sized, "point": "rod.P", "points": [(1.0, 0.0), (1.0, 0.1)]},
    "run_up": {"times": [0.0, 0.02]},
    "speeds": {"x": [0.05, 0.1]},
    "steady_cycle": {"speed": 5.0},
    "flywheel": {"irregularity": 0.1, "speed": 5.0},
    "programmed_motion": {"path": lambda t: (1.5, 0.0, 0.1 * t), "speed": 0.1},
}


def verbs():
    """The public functions of a mechanism or of a trajectory."""
    for room in (kb, kb.course, kb.papers):
        for name in dir(room):
            value = getattr(room, name)
            if name.startswith("_") or inspect.isclass(value) or not callable(value):
                continue
            parameters = inspect.signature(value).parameters
            if {"m", "motion", "source", "result"} & {*parameters}:
                yield pytest.param(name, value, id=name)


def right(name, parameters):
    """Arguments that the verb takes."""
    given = {}
    for p in parameters.values():
        if p.name == "m":
            given["m"] = OWN.get(name, {}).get("m", four_bar if name in CLOSED else arm)()
        elif p.name in OWN.get(name, {}):
            value = OWN[name][p.name]
            given[p.name] = value() if value is slid else value
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD and p.name in GOOD:
            value = GOOD[p.name]
            given[p.name] = value() if value in (turned, four_bar) else value
    return given


def called(function, given):
    """The call, with positional arguments in their places."""
    parameters = inspect.signature(function).parameters
    first = [n for n in given if parameters[n].kind is parameters[n].POSITIONAL_ONLY]
    return function(
        *(given[n] for n in first), **{n: x for n, x in given.items() if n not in first}
    )


def test_every_verb_is_asked_with_right_arguments_besides():
    """All arguments without a default are given, and no name stands here that is nobody's."""
    asked = {case.id: inspect.signature(case.values[1]).parameters for case in verbs()}
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    for name, parameters in asked.items():
        needed = {
            p.name for p in parameters.values() if p.default is p.empty if p.kind not in kinds
        }
        assert needed <= {*right(name, parameters)}, name
    assert {*asked} >= CLOSED | {*OWN}
    for name, given in OWN.items():
        assert {*given} <= {*asked[name]}, name


@pytest.mark.parametrize(("name", "function"), list(verbs()))
def test_wrong_arguments_are_answered_in_a_sentence(name, function, tmp_path, monkeypatch):
    """Whatever is given in the place of an argument, nothing but a KorbaError comes out."""
    monkeypatch.chdir(tmp_path)
    for one in ("compiler", "zig"):  # sources are enough
        monkeypatch.setattr(f"korba.export.fmu.build.{one}", lambda *_: None)
    parameters = inspect.signature(function).parameters
    escaped = []
    for key in parameters:
        if parameters[key].kind in (parameters[key].VAR_KEYWORD, parameters[key].VAR_POSITIONAL):
            continue
        for kind, wrong in WRONG.items():
            given = right(name, parameters) | {key: wrong}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    called(function, given)
            except kb.KorbaError as error:
                if not str(error):
                    escaped.append(f"{key}={kind}: an empty message")
            except Exception as error:
                escaped.append(f"{key}={kind}: {type(error).__name__}: {error}"[:160])
    assert not escaped, "\n".join(escaped)
