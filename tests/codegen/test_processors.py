"""Threads are as many as the machine, the scheduler and the container leave this process."""

import os

import pytest

from korba.codegen.callable import batch, processors
from korba.codegen.callable.processors import container_share


def group(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return folder


@pytest.fixture
def own(tmp_path):
    """A process that is in no group."""
    file = tmp_path / "own"
    file.write_text("")
    return file


def test_a_share_of_version_two(tmp_path, own):
    """`quota period` in one file; max is no limit."""
    groups = group(tmp_path / "groups", cpu_max="150000 100000\n")
    assert container_share(groups, own) == 1.5
    group(groups, cpu_max="max 100000\n")
    assert container_share(groups, own) is None


def test_a_share_of_version_one(tmp_path, own):
    """Two files; -1 is no limit."""
    groups = tmp_path / "groups"
    group(groups / "cpu", cpu_cfs_quota_us="50000\n", cpu_cfs_period_us="100000\n")
    assert container_share(groups, own) == 0.5
    group(groups / "cpu", cpu_cfs_quota_us="-1\n")
    assert container_share(groups, own) is None


def test_the_least_share_of_all_groups_around(tmp_path, own):
    """A group inside another has no more than that."""
    groups = group(tmp_path / "groups")
    group(groups / "outer", cpu_max="200000 100000")
    group(groups / "outer" / "inner", cpu_max="300000 100000")
    own.write_text("0::/outer/inner\n")
    assert container_share(groups, own) == 2.0


@pytest.mark.parametrize("text", ["", "100000", "some thing", "1 0", "\xe9 \xe9"])
def test_files_of_another_form_limit_nothing(tmp_path, own, text):
    """What cannot be understood is as good as not there, and so is a missing folder."""
    groups = group(tmp_path / "groups")
    (groups / "cpu.max").write_text(text, encoding="latin-1")
    assert container_share(groups, own) is None
    assert container_share(tmp_path / "nowhere", tmp_path / "nobody") is None


def test_processors_are_those_of_the_scheduler(monkeypatch):
    """Affinity limits them, then the share, rounded up; one is left always."""
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5})
    else:
        monkeypatch.setattr(os, "cpu_count", lambda: 3)
    for share, count in ((None, 3), (1.5, 2), (0.2, 1), (8.0, 3)):
        monkeypatch.setattr(processors, "container_share", lambda share=share: share)
        assert processors.processors() == count
        with batch._pool.__wrapped__() as pool:
            assert pool._max_workers == count
