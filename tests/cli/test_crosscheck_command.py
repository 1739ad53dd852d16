"""`korba crosscheck`: the table for people, JSON for programs, a status for scripts."""

from __future__ import annotations

import json

from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import app


def pendulum_file(folder):
    body = kb.Body("rod", 2, com=(0.5, 0), inertia=0.1)
    pivot = kb.Revolute("A", "ground", "rod", at=(0, 0))
    path = folder / "pendulum.toml"
    kb.save(kb.Mechanism("pendulum", [body], [pivot], plane="xy"), path)
    return str(path)


def test_the_table_names_every_formulation(tmp_path):
    """Status 0, a row for each formulation, and the verdict at the end."""
    result = CliRunner().invoke(app, ["crosscheck", pendulum_file(tmp_path), "--states", "3"])
    assert result.exit_code == 0
    assert "lagrange-dh" in result.stdout
    assert "all answers agree" in result.stdout


def test_json_and_a_choice_of_formulations(tmp_path):
    """Only those asked for are run, and the answer is data."""
    arguments = ["crosscheck", pendulum_file(tmp_path), "--json", "-f", "newton-euler"]
    result = CliRunner().invoke(app, arguments)
    answer = json.loads(result.stdout)
    assert answer["ok"]
    assert {check["formulation"] for check in answer["checks"]} == {"newton-euler"}


def test_a_truss_is_refused_with_status_1(tmp_path):
    """Loops that leave nothing free to move are said, not computed."""
    bodies = [kb.Body(name, 1, com=(0, 0), inertia=0.1) for name in "ab"]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0)),
        kb.Revolute("C", "b", "ground", at=(1, 1)),
    ]
    path = tmp_path / "loop.toml"
    kb.save(kb.Mechanism("loop", bodies, joints, plane="xy"), path)
    result = CliRunner().invoke(app, ["crosscheck", str(path)])
    assert result.exit_code == 1
    assert "has loops that leave it no motion" in result.output
