"""Files are read only where they are plain, and written whole or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import korba as kb
from korba import disk
from korba.codegen.cache import CacheFolder
from korba.files.any_file import read_any
from korba.saving import write_csv

PENDULUM = """
name = "pendulum"
plane = "xy"
[[body]]
name = "rod"
mass = "1 kg"
com = [0.5, 0]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "rod"
at = [0, 0]
"""

READERS = {
    "toml": kb.load,
    "urdf": kb.read_urdf,
    "mjcf": kb.read_mjcf,
    "sdf": kb.read_sdf,
    "xml": lambda path: read_any(Path(path)),
    "npz": kb.Trajectory.load,
}


def pendulum():
    """A mechanism and a short motion of it."""
    m = kb.loads(PENDULUM)
    return m, kb.simulate(m, until=0.1, times=3)


def names_in(folder):
    """The names of everything in a folder."""
    return [path.name for path in folder.iterdir()]


WRITERS = {
    "toml": lambda m, _, path: kb.save(m, path),
    "urdf": lambda m, _, path: kb.write_urdf(m, path),
    "xml": lambda m, _, path: kb.write_mjcf(m, path),
    "npz": lambda _, moved, path: moved.save(path),
    "csv": lambda _, moved, path: moved.save(path),
    "parquet": lambda _, moved, path: moved.save(path),
    "svg": lambda _, moved, path: kb.plot(moved, path),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("ending", READERS)
def test_no_reader_waits_for_what_is_no_plain_file(ending, tmp_path):
    """Pipes, devices and folders are refused at once, in words."""
    pipe, link = tmp_path / f"pipe.{ending}", tmp_path / f"zero.{ending}"
    folder = tmp_path / f"folder.{ending}"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    folder.mkdir()
    for path, kind in ((pipe, "a pipe"), (link, "a device"), (folder, "a folder")):
        with pytest.raises(kb.FileError, match=f"is {kind}"):
            READERS[ending](path)


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_is_replaced_whole_or_not_at_all(ending, tmp_path, monkeypatch):
    """Where the disk is full, or the writing is interrupted, the old file is there as it was."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    m, moved = pendulum()
    path = tmp_path / f"file.{ending}"
    write = WRITERS[ending]
    path.write_bytes(b"the old content")

    def full(_):
        raise OSError(28, "No space left on device")

    def interrupted(_):
        raise KeyboardInterrupt

    for stop, kind in ((full, kb.FileError), (interrupted, KeyboardInterrupt)):
        monkeypatch.setattr(disk.os, "fsync", stop)
        with pytest.raises(kind):
            write(m, moved, path)
        assert path.read_bytes() == b"the old content"
        assert names_in(tmp_path) == [path.name]
    monkeypatch.undo()
    write(m, moved, path)
    assert path.read_bytes() != b"the old content"
    assert names_in(tmp_path) == [path.name]


@pytest.mark.skipif(os.name == "nt", reason="needs modes and links")
def test_modes_and_links_stay(tmp_path):
    """A file keeps its mode and a link its target; a new file has the mode of any other."""
    real, link, new = tmp_path / "real.toml", tmp_path / "link.toml", tmp_path / "new.toml"
    real.touch(mode=0o640)
    real.chmod(0o640)
    link.symlink_to(real)
    m, _ = pendulum()
    kb.save(m, link)
    kb.save(m, new)
    (tmp_path / "other").touch()
    assert link.is_symlink()
    assert kb.load(real) == m
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (real, new, tmp_path / "other")]
    assert modes[0] == 0o640
    assert modes[1] == modes[2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_devices_are_written_as_they_are(tmp_path):
    """A device is not replaced by a file; one that is full is a FileError."""
    _, moved = pendulum()
    with pytest.raises(kb.FileError, match="No space left"):
        write_csv({"t": moved.t}, "/dev/full")
    write_csv({"t": moved.t}, "/dev/null")
    assert all(stat.S_ISCHR(Path(name).stat().st_mode) for name in ("/dev/full", "/dev/null"))


def test_a_cache_that_cannot_be_written_keeps_what_it_has(tmp_path, monkeypatch):
    """An entry of the cache is written whole or not at all, and never an error."""
    cache = CacheFolder(tmp_path)
    cache.put("a", b"first")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.put("a", b"second")
    assert cache.get("a") == b"first"
    assert names_in(tmp_path) == ["a.o"]


@pytest.mark.parametrize("seed", range(20))
def test_what_was_replaced_is_what_was_written(seed, tmp_path):
    """Any bytes, written in any pieces over any file, are the file's bytes; or the old ones are."""
    rng = np.random.default_rng(seed)
    path, pieces = tmp_path / "file", [rng.bytes(n) for n in rng.integers(0, 5000, 5)]
    old = rng.bytes(100)
    path.write_bytes(old)
    fails = bool(seed % 2)
    with suppress(ZeroDivisionError), disk.replaced(path) as file:
        for piece in pieces:
            file.write(piece)
        _ = 1 / (not fails)
    expected = old if fails else b"".join(pieces)
    assert_array_equal(np.frombuffer(path.read_bytes(), "u1"), np.frombuffer(expected, "u1"))
    assert names_in(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ('<?xml version="1.0"?><robot name="r"/>', "this is URDF: use kb.read_urdf"),
        ("<mujoco/>", "this is MJCF: use kb.read_mjcf"),
        ("<html/>", "this is XML"),
    ],
)
def test_load_says_what_reads_another_format(text, way_out, tmp_path):
    """An XML file that is called TOML is named for what it is."""
    path = tmp_path / "robot.toml"
    path.write_text(text)
    with pytest.raises(kb.FileError, match=way_out):
        kb.load(path)


def test_a_file_that_others_read_on_windows_is_waited_for(tmp_path, monkeypatch):
    """Renaming onto it is refused as long as they have it open; then it takes its name."""
    refused, rename = [], Path.replace

    def busy(own, target):
        if len(refused) < 3:
            refused.append(target)
            raise PermissionError("in use")
        return rename(own, target)

    monkeypatch.setattr(disk.sys, "platform", "win32")
    monkeypatch.setattr(disk, "PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(Path, "replace", busy)
    disk.write_text("new", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "new"
    assert len(refused) == 3
    refused.clear()
    monkeypatch.setattr(disk, "PAUSES", ())
    with pytest.raises(kb.FileError, match=r"page\.html"):
        disk.write_text("newer", tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
