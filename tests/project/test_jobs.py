"""One definition of every job: make, the workflows and the documentation call it by its name."""

import re
import subprocess

import pytest
from sources import ROOT

from jobs.__main__ import JOBS, main, needed
from jobs.environment import project

GROUPS = project()["dependency-groups"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def named(text):
    """Jobs that a text runs by `python -m jobs`; those of a matrix too."""
    names = re.findall(r"python -m jobs ([a-z]+)", text)
    return [*names, *re.findall(r"\w+", ",".join(re.findall(r"\n +job: \[(.*)\]", text)))]


def test_make_knows_every_job_and_no_other():
    """`make NAME` is `python -m jobs NAME`."""
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    (listed,) = re.findall(r"^JOBS := (.*)$", text, re.M)
    assert sorted(listed.split()) == sorted(JOBS)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_jobs_and_nothing_else(path):
    """What a forge does can be done on any machine: each command is a job that there is."""
    text = path.read_text("utf-8")
    runs = re.findall(r"^ +- run: (.*)$", text, re.M)
    assert runs
    assert all(run.startswith("python -m jobs ") for run in runs)
    assert named(text)
    assert not set(named(text)) - JOBS.keys()


@pytest.mark.parametrize("name", ["check", "light", "unit", "docs", "lowest", "extras", "release"])
def test_every_change_is_held_to_what_make_does(name):
    """The jobs of `make test`, the bounds and the wheel are in the workflow of every change."""
    assert name in named((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))


def test_jobs_need_groups_that_there_are():
    """And jobs before them that there are; `test` needs what its parts need."""
    for name, job in JOBS.items():
        assert not set(needed(name)) - GROUPS.keys(), name
        assert not set(job.first) - JOBS.keys(), name
    assert set(needed("test")) == {"lint", "test", "peers", "browser", "docs"}


def test_the_list_names_every_job(capsys):
    """Without a name all are told, and a name that is none is wrong usage."""
    assert main([]) == 0
    told = capsys.readouterr().out
    assert all(f"{name} " in told for name in JOBS)
    assert main(["no-such-job"]) == 2


def test_it_starts_without_an_environment():
    """The list needs Python and nothing else."""
    command = ["python3", "-S", "-m", "jobs"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "everything CI runs" in ran.stdout
