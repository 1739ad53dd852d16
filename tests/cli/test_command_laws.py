"""Laws over all commands: groups, options of one meaning, JSON and nothing else, exit statuses."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from commands_of_a_four_bar import ARGUMENTS, RUNNING, fill, only_json
from typer.testing import CliRunner

import korba as kb
from korba import working
from korba.cli.commands import GROUPS, HOMES, app, loaded
from korba.cli.needs import NEEDS
from korba.files.any_file import READERS
from korba.show.pages.film import ENDINGS as FILMS
from korba.show.plots.panels import ENDINGS

SLOW = RUNNING | {"crosscheck", "optimise"}
"""Commands whose examples are read but not run here."""
every = pytest.mark.parametrize("name", HOMES)
each_answer = pytest.mark.parametrize("name", ARGUMENTS)


@pytest.fixture
def korba(tmp_path, monkeypatch):
    """Run the command in a folder with two mechanisms."""
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)
    monkeypatch.setattr(kb, "report", lambda m, path, theme: path.write_text(m.name))
    monkeypatch.setattr(kb, "export_fmu", no_fmu)
    runner = CliRunner()
    return lambda *args: runner.invoke(app, [str(arg) for arg in args], prog_name="korba")


def no_fmu(m, path, **_):
    """In place of what has tests of its own and takes seconds."""
    path.write_text(m.name)
    return kb.results.FMU(path, m.name, (), (), (), "", ())


def options(name):
    """Options of a command by their long names."""
    made = loaded(name)
    return {opt: p for p in made.params for opt in p.opts if opt.startswith("--")}


def test_help_lists_every_command_in_its_group(korba):
    """Plain text of at most 80 columns, nothing cut short, in the order of the work."""
    text = korba("--help").output
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in text and "..." not in text.replace("[ARGS]...", "")
    places = [lines.index(f"{title}:") for title in GROUPS]
    assert places == sorted(places)
    listed = re.findall(r"^  ([a-z-]+)  +\S", "\n".join(lines[places[0] :]), re.M)
    assert listed == list(HOMES)


LOADED = {
    "import korba.cli.commands": {"numpy", "korba.files", "korba.cli.options"},
    "import korba.cli.structure_commands": {"korba.show", "scipy"},
}
"""What a shell and a first answer do not wait for."""


@pytest.mark.parametrize("line", LOADED)
def test_commands_load_what_they_need(line):
    """Names are listed without mechanics, and an answer without a picture loads no drawings."""
    asked = f"{line}; import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert not LOADED[line] & {*run.stdout.split()}


@every
def test_every_option_is_explained(korba, name):
    """Each has a sentence of help, and the command a docstring; 80 columns hold all."""
    made = loaded(name)
    assert made.help
    assert all(getattr(p, "help", "") for p in made.params)
    assert max(map(len, korba(name, "--help").output.splitlines())) <= 80


@every
def test_help_ends_with_an_example_that_works(korba, name):
    """It is one line, on a file that `korba new` writes, and ends with status 0."""
    text = korba(name, "--help").output
    assert not re.search(r"--\w+ <", text)  # no types of Python
    line = text.rstrip().splitlines()[-1]
    begin, command, *words = shlex.split(line)
    assert [begin, command, words.pop(0)] == ["Example:", "korba", name]
    for file in (word for word in words if word.endswith(".toml")):
        assert korba("new", file.removesuffix(".toml")).exit_code == 0
    if name in SLOW:
        loaded(name).make_context(name, words)  # as wrong usage is refused
    else:
        assert korba(name, *words).exit_code == 0


def kind_of(p):
    """The type of an option's values: typer keeps it in `type_descriptor`, before in `type`."""
    if not hasattr(p, "type_descriptor"):
        return str(getattr(p.type, "name", p.type))
    return re.sub(r"<class '(.*)'>|list\[(.*)\]", r"\1\2", str(p.type_descriptor.annotation))


def test_options_of_one_name_mean_one_thing():
    """The same type and short name everywhere; -o is --out, and --json is always there."""
    kinds, short = {}, {}
    for name in HOMES:
        for opt, p in options(name).items():
            kind = (kind_of(p), p.is_flag)
            assert kinds.setdefault(opt, kind) == kind, f"{opt} of {name}"
            for one in (o for o in p.opts if not o.startswith("--")):
                assert short.setdefault(one, opt) == opt, f"{one} of {name}"
    assert short["-o"] == "--out"
    assert all("--json" in options(name) for name in HOMES)
    writers = {name for name in HOMES if {"--out", "--csv", "--graph"} & options(name).keys()}
    assert all("--force" in options(name) for name in writers - {"demo"})


def test_endings_of_options_are_those_of_the_library():
    """What is completed and refused at the door is what the library reads and writes."""
    from korba.cli import completion, options

    assert set(completion.MECHANISMS) == {*READERS, ".xml"}
    assert set(options.PICTURES) == set(ENDINGS)
    assert set(options.PLAYED) == {".html", *FILMS}


@each_answer
def test_json_is_all_that_is_printed(korba, name, tmp_path):
    """One object with `ok`, and every file that was written is listed with what it holds."""
    before = {*tmp_path.iterdir()}
    result = korba(name, *ARGUMENTS[name], "--json")
    assert result.exit_code == 0, result.output
    data = only_json(result.stdout)
    assert name == "schema" or data["ok"] is True
    files = data.get("files", [])
    made = {*tmp_path.iterdir()} - before
    assert {tmp_path / file["path"] for file in files} == made
    assert all(file["what"] for file in files)


WRITTEN = {"-o", "--out", "--csv", "--graph", "--latex"}
TARGETS = {
    name: words[i + 1]
    for name, words in ARGUMENTS.items()
    for i, word in enumerate(words)
    if word in WRITTEN
}


@pytest.mark.parametrize(("name", "target"), TARGETS.items())
def test_nothing_is_overwritten(korba, name, target, tmp_path):
    """A second run that would write a file that is there refuses before it begins."""
    (tmp_path / target).write_text("mine")
    result = korba(name, *ARGUMENTS[name], "--json")
    assert result.exit_code == 1
    assert "--force" in only_json(result.stdout)["error"]
    assert (tmp_path / target).read_text() == "mine"


@every
def test_wrong_usage_is_status_2_and_json_too(korba, name):
    """An option that is not there: one object on the standard output, nothing else."""
    result = korba(name, "--no-such-option", "--json")
    assert result.exit_code == 2
    data = only_json(result.stdout)
    assert data["ok"] is False
    assert data["error"]


@pytest.mark.parametrize(
    "name", [n for n in ARGUMENTS if ARGUMENTS[n][:1] in (["four.toml"], ["pendulum.toml"])]
)
def test_a_fault_of_the_file_is_status_1(korba, name, tmp_path):
    """All commands that read a file list its faults, as text and as data."""
    (tmp_path / ARGUMENTS[name][0]).write_text('name = "x"\n[[body]]\nname = "b"\nmass = "5 mm"\n')
    result = korba(name, *ARGUMENTS[name], "--json")
    assert result.exit_code == 1
    assert 4 in {fault["line"] for fault in only_json(result.stdout)["faults"]}
    told = korba(name, *ARGUMENTS[name])
    assert told.exit_code == 1
    assert "5 mm" in told.stderr
    assert told.stdout == ""


def test_a_wrong_name_gets_the_nearest(korba):
    """Commands, options, and values of options."""
    assert "Did you mean 'mobility'" in korba("moblity").output
    assert "--cycle" in korba("motion", "four.toml", "--cycel", "3").output
    assert "did you mean 'dop853'?" in korba("simulate", "four.toml", "--method", "dop85").output
    assert "did you mean" in korba("new", "fourbar").output


BARE = {
    "examples": "",
    "sweep": "four.toml --vary b=115mm,120mm --ask size",
    "optimise": "four.toml --bounds b=115mm:125mm --goal size --method local",
    "simulate": "four.toml --method rk4",
}
"""What commands take without any option that others need."""
VALUES = {"--theme": "light", "--show": "velocities", "--out": "x.toml"}
"""Of options that do not take 1."""
ALONE = {
    (name, option): [other for other in others if other.split()[0] in {*options(name), "NAME"}]
    for name in HOMES
    for option, others in NEEDS.items()
    if option in options(name) and (name == "examples" or others != ("NAME",))
}


@pytest.mark.parametrize(("name", "option"), [pair for pair, others in ALONE.items() if others])
def test_an_option_that_would_be_ignored_is_refused(korba, name, option):
    """What needs another option is wrong usage without it, and told is which; no work is done."""
    value = [] if options(name)[option].is_flag else [VALUES.get(option, "1")]
    words = shlex.split(BARE.get(name, "four.toml"))
    result = korba(name, *words, option, *value, "--json")
    assert result.exit_code == 2, result.output
    error = only_json(result.stdout)["error"]
    assert f"{option}: it means nothing without {' or '.join(ALONE[name, option])}" in error


def test_needs_are_those_of_options_that_there_are(korba):
    """No entry of the table is dead, and beside what it needs an option is looked at."""
    assert {option for (_, option), others in ALONE.items() if others} == NEEDS.keys()
    assert korba("simulate", "pendulum.toml", "--until", "0.01", "--phase", "J9").exit_code == 2
    wrong = korba("simulate", "pendulum.toml", "--until", "0.01", "--plot", "--phase", "J9")
    assert wrong.exit_code == 1 and "'J9'" in wrong.stderr
    both = korba("draw", "four.toml", "--at", "A=1", "--pose", "home")
    assert both.exit_code == 2 and "give one of them" in both.stderr


@pytest.mark.parametrize("run", ["motion four.toml --cycle 8", "simulate pendulum.toml --until 1"])
def test_overlays_are_played(korba, run, tmp_path):
    """--show lays over a played motion what `kb.animate` does; a wrong name is wrong usage."""
    words = [*run.split(), "--animate", "page.html", "--force", "--show"]
    assert korba(*words, "velocities").exit_code == 0
    assert "velocit" in (tmp_path / "page.html").read_text("utf-8")
    wrong = korba(*words, "velocity")
    assert wrong.exit_code == 2
    assert "did you mean 'velocities'?" in wrong.output


ROBOT = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def test_a_robot_floats_or_is_fixed(korba, tmp_path):
    """--floating and --fixed are those of `kb.read_urdf`, of every command that reads robots."""
    (tmp_path / "r.urdf").write_text(ROBOT)
    nq = [only_json(korba("check", "r.urdf", *more, "--json").stdout)["nq"] for more in FLOATING]
    assert nq == [0, 0, 7]
    assert korba("mobility", "r.urdf", "--floating", "--json").exit_code == 0
    toml = korba("check", "four.toml", "--fixed")
    assert toml.exit_code == 1 and "--fixed is for URDF and SDF files" in toml.stderr
    reading = {name for name in HOMES if "file" in {p.name for p in loaded(name).params}}
    reading.remove("new")  # writes one
    without = {name for name in reading if "--floating" not in options(name)}
    assert without == {"sweep", "optimise"}  # of parameters, which only TOML files have


FLOATING = ([], ["--fixed"], ["--floating"])


def test_code_with_forces_and_gravity(korba):
    """--tau gives laws or an input, --gravity another field, and a wrong one is wrong usage."""
    run = ("generate", "pendulum.toml", "--what", "simulate", "--method", "rk4")
    plain, law, given = (
        korba(*run, *more).stdout
        for more in ((), ("--tau", "A=-2*v_A"), ("--tau", "input", "--gravity", "0,-1.62,0"))
    )
    assert len({plain, law, given}) == 3
    heads = [
        text.partition("void pendulum_simulate(")[2].partition(")")[0] for text in (law, given)
    ]
    assert ["tau" in head for head in heads] == [False, True]
    assert korba(*run, "--gravity", "down").exit_code == 2


def test_ctrl_c_is_status_130_and_one_line(korba, monkeypatch):
    """A command that is interrupted says so; with --json in one object."""

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("korba.cli.options.read", stopped)
    plain, data = korba("check", "four.toml"), korba("check", "four.toml", "--json")
    assert (plain.exit_code, plain.stdout, plain.stderr) == (130, "", "korba: interrupted\n")
    assert data.exit_code == 130
    assert only_json(data.stdout)["error"] == "interrupted"


def test_bars_are_for_terminals(monkeypatch):
    """None in a pipe, none at a terminal that cannot move its cursor, none with --json."""

    class Terminal:
        @staticmethod
        def isatty():
            return True

    assert not working.at_terminal()
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert working.at_terminal()
    with working.without_bars():
        assert not working.at_terminal()
    monkeypatch.setenv("TERM", "dumb")
    assert not working.at_terminal()


def test_a_picture_is_still_or_in_motion(korba):
    """Overlays of motions draw a motion; a position and a time exclude each other."""
    assert korba("draw", "four.toml", "--at", "A=60 deg", "--show", "dimensions").exit_code == 0
    assert korba("draw", "four.toml", "--at", "A=1", "--time", "0.1").exit_code == 2
    wrong = korba("draw", "four.toml", "--show", "velocity", "--force")
    assert wrong.exit_code == 2
    assert "did you mean 'velocities'?" in wrong.output
