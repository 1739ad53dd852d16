"""The completion protocol of shells: commands, files by ending, and names in the file typed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from commands_of_a_four_bar import fill
from typer.testing import CliRunner

from korba.cli import completion
from korba.cli.commands import HOMES, app


@pytest.fixture
def completed(tmp_path, monkeypatch):
    """What a shell is told for a line, the last word of which is not finished."""
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)

    def ask(line, shell="bash"):
        words = line.split(" ")
        env = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        env |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
        env |= {"_KORBA_COMPLETE": f"complete_{shell}"}
        return CliRunner().invoke(app, [], env=env, prog_name="korba").stdout

    return ask


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_completed_without_loading_them(completed, shell):
    """All names, and with a beginning those that begin so."""
    told = completed("korba ", shell)
    assert all(name in told for name in HOMES)
    told = completed("korba mo", shell)
    assert "mobility" in told and "motion" in told
    assert "check" not in told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("korba check fo", {"four.toml"}),
        ("korba motion four.toml --over ", set("ABCD")),
        ("korba motion four.toml --point coupler.", {"coupler.B", "coupler.C"}),
        ("korba sweep four.toml --vary d", {"d=", "density="}),
        ("korba simulate four.toml --method st", {"stiff"}),
        ("korba crosscheck four.toml -f new", {"newton-euler"}),
        ("korba generate four.toml --target java", {"javascript"}),
        ("korba generate four.toml --what forward_d", {"forward_dynamics"}),
        ("korba generate four.toml --body rock", {"rocker"}),
        ("korba new slider", {"slider-crank"}),
        ("korba draw four.toml --theme d", {"dark"}),
        ("korba mobility four.toml --gr", {"--graph"}),
    ],
)
def test_values_are_completed(completed, line, expected):
    """Names from the file, from the library, and of options."""
    assert set(completed(line).split()) == expected


def test_files_are_completed_by_their_ending(completed, tmp_path):
    """Others are left out; a folder that is the only way is gone into; hidden ones stay hidden."""
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "arm.urdf").write_text("<robot/>")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ".hidden.toml").write_text("")
    assert set(completed("korba check ").split()) == {"four.toml", "pendulum.toml", "deep/"}
    assert completed("korba check de").split() == ["deep/er/arm.urdf"]
    assert completed("korba check nowhere/").split() == []


def test_names_of_other_files(tmp_path):
    """URDF and MJCF name joints and links; what cannot be read has no names."""
    file = tmp_path / "arm.urdf"
    file.write_text("<robot><link name='base'/><joint type='fixed' name=\"q1\"/></robot>")
    assert completion.names_in(file, "joint") == ["q1"]
    assert completion.names_in(file, "body") == ["base"]
    file.with_suffix(".toml").write_text("joint = [")
    assert completion.names_in(file.with_suffix(".toml"), "joint") == []
    assert completion.names_in(tmp_path / "absent.toml", "joint") == []


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_a_shell_completes_with_the_script(tmp_path):
    """bash sources what `_KORBA_COMPLETE=source_bash korba` prints, and its function answers."""
    start = f'{sys.executable} -c \'import sys; sys.argv[0] = "korba"; '
    start += 'from korba.cli import main; main()\' "$@"'
    (tmp_path / "korba").write_text(f"#!/bin/sh\nexec {start}\n")
    (tmp_path / "korba").chmod(0o755)
    script = (
        'PATH="$PWD:$PATH"; eval "$(_KORBA_COMPLETE=source_bash korba)"; '
        'COMP_WORDS=(korba mobi); COMP_CWORD=1; _korba_completion korba; echo "${COMPREPLY[@]}"'
    )
    told = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "mobility"
