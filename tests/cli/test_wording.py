"""Refusals name the way out in the words of whoever asks: of Python, or of the command."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import shlex
from pathlib import Path

import pytest
from commands_of_a_four_bar import fill
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import HOMES, TERMINAL, app, loaded
from korba.wording import given, named, speaking

SOURCES = Path(kb.__file__).parent
PYTHON_ONLY = {"cli", "course", "papers"}
"""Rooms that no refusal of a command comes from, and the room of the commands."""
OPTIONS = sorted({p.name for name in HOMES for p in loaded(name).params} - {"name", "file", "at"})
SPELT = re.compile(
    r"\bkb\.\w+\b(?![(.\w])"
    rf"|(?<![\w<-])(?<!' )(?:{'|'.join(OPTIONS)})=(?:True|False|\d|'[\w-]|\.\.\.)"
)
"""A public name, or an argument that is an option of some command, as Python spells it."""
FOR_PYTHON = re.compile(r"\bexpected\b|\ba verb itself\b|\bkorba \w+")
"""What value an argument should be, which only Python gives; or the words of both fronts."""
EXPRESSION = re.compile(r"\bkb\.\w+\([^)]*\)+")
"""A whole call, which only somebody who writes Python is told to write."""


def texts(tree):
    """Texts of a module but for docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = getattr(node, "value", None)
        if isinstance(node, ast.Constant) and isinstance(text, str) and id(node) not in docstrings:
            yield text


def test_no_sentence_spells_python():
    """Verbs and arguments are named by `call` and `given`, so that each front has its words."""
    spelt = [
        f"{path.relative_to(SOURCES)}: {text}"
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[0] not in PYTHON_ONLY
        for text in texts(ast.parse(path.read_text("utf-8")))
        if " " in text and SPELT.search(EXPRESSION.sub("", text)) and not FOR_PYTHON.search(text)
    ]
    assert "\n".join(spelt) == ""


def test_sentences_name_arguments_that_there_are():
    """What `given` says of a public name is an argument of it."""
    wrong = []
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
            if not call or node.func.id != "given" or not isinstance(node.args[0], ast.Constant):
                continue
            name, keys = node.args[0].value, {key.arg for key in node.keywords} - {None}
            asked = getattr(kb, name, None)
            known = inspect.signature(asked).parameters if asked else {}
            more = any(p.kind is p.VAR_KEYWORD for p in known.values())
            if not asked or not (more or keys <= {*known}):
                wrong.append(f"{path.relative_to(SOURCES)}: {name} {keys}")
    assert "\n".join(wrong) == ""


@pytest.mark.parametrize(
    ("said", "python", "terminal"),
    [
        (lambda: named("motion"), "kb.motion", "korba motion"),
        (lambda: named("reactions"), "kb.reactions", "korba forces"),
        (lambda: named("assemble"), "kb.assemble", "kb.assemble in Python"),
        (lambda: named("JointDrive"), "kb.JointDrive", "[[drive]] in the file"),
        (lambda: given("reactions", friction=True), "friction=True", "--friction"),
        (lambda: given("simulate", times=1001), "times=1001", "--times 1001"),
        (lambda: given("simulate", events="friction"), "events='friction'", "--friction"),
        (lambda: given("simulate", events="stops"), "events='stops'", "--stops ..."),
        (lambda: given("equations", parameters=()), "parameters=()", "--numbers"),
        (lambda: given("generate", parameters=...), "parameters=...", "--parameter ..."),
        (lambda: given("sweep", designs="random", count=9), "designs='random', count=9",
         "--designs random --count 9"),
        (lambda: given("read_sdf", floating=False), "floating=False", "--fixed"),
        (lambda: given("Event", terminal=True), "terminal=True", "terminal=True in Python"),
    ],
)  # fmt: skip
def test_each_front_has_its_words(said, python, terminal):
    """A verb is a command, an argument its option; what only Python has is said to be there."""
    assert said() == python
    with speaking(TERMINAL):
        assert said() == terminal
    assert said() == python


ROUGH = kb.Friction(coefficient=0.1, radius="10 mm")
REFUSED = {
    "check rough.toml": "korba simulate takes it with --friction, korba forces with --friction",
    "simulate rough.toml --until 0.01": "takes it with --friction",
    "simulate swinging.toml --until 1": "limits stop a simulation with --stops",
    "forces four.toml --cycle 4 --friction": "no joint with friction",
    "motion loose.toml --cycle 4 --drive A": "kb.assemble in Python",
    "equations four.toml --layered": "leave --layered out",
    "sweep four.toml --vary a=1mm:9mm:99999 --vary b=1mm:9mm:99999 --ask size": "--designs random",
    "mobility robot.toml": "this is URDF: use the ending .urdf",
    "generate four.toml --what pose": "give --body ...",
    "convert four.toml tree.urdf": "or use the ending .xml",
    "simulate four.toml --stops 3": "Invalid value for '--stops'",
    "motion four.toml --hodograph zz --plot": "Invalid value for --hodograph",
    "draw four.toml --names zz": "numbers, none",
    "motion four.toml --drive X": "there is no coordinate 'X'",
}
"""Commands that refuse or have something to say, and what."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Mechanisms that are refused something."""
    folder = tmp_path_factory.mktemp("refused")
    fill(folder)
    rod = kb.Body("rod", 2, com=(0.5, 0), inertia=0.1)
    rough = kb.Revolute("A", "ground", "rod", at=(0, 0), friction=ROUGH)
    limited = kb.Revolute("A", "ground", "rod", at=(0, 0), lower=-0.1, upper=0.1)
    for name, joint in {"rough": rough, "swinging": limited}.items():
        kb.save(kb.Mechanism(name, [rod], [joint], plane="xy"), folder / f"{name}.toml")
    five = kb.linkages.five_bar("40 mm", "80 mm", "80 mm", "40 mm", "60 mm")
    kb.save(dataclasses.replace(five, drives=()), folder / "loose.toml")
    (folder / "robot.toml").write_text("<robot name='r'/>")
    return folder


@pytest.mark.parametrize("words", REFUSED)
def test_a_command_answers_in_its_own_words(folder, monkeypatch, words):
    """The way out is a command or an option; Python only where it is called so."""
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, shlex.split(words), prog_name="korba")
    told = " ".join(result.output.split())
    assert REFUSED[words] in told
    spelt = SPELT.search(told)
    assert spelt is None or told[spelt.end() :].startswith(" in Python")
