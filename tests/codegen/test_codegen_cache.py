"""The cache on disk: found again by a second process, and never trusted."""

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_programs import chain_program

from korba.codegen import CacheFolder, cache_folder, compile_cached, compile_program
from korba.codegen.targets.llvm import compiler, machine
from korba.codegen.targets.llvm.fast_way import version_fault
from korba.errors import KorbaError

FILES = 2 if version_fault() else 3
"""Of one state and of many, and of the program by which a process tries its calls."""
STATES = np.random.default_rng(0).normal(size=(3, 20, 3))
SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from random_programs import chain_program
from korba.codegen import compile_program
from korba.codegen.targets.llvm import machine
if sys.argv[2] == "cached":
    def refuse(*_): raise SystemExit("compiled again")
    machine.Compiler.object_code = refuse
states = np.random.default_rng(0).normal(size=(3, 20, 3))
f = compile_program(chain_program(3))
print(f(*states).tobytes().hex(), f(*states[:, 0]).tobytes().hex())
"""


def _process(folder, word):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), word],
        env={**os.environ, "KORBA_CACHE": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _results(process):
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    return out


def _both(folder):
    compiled = compile_program(chain_program(3), CacheFolder(folder))
    return compiled(*STATES), compiled(*STATES[:, 0])


@pytest.fixture(scope="module")
def expected():
    return _both(None)


def _same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_second_process_compiles_nothing(tmp_path):
    """What one process made, the next one finds, with the same bits."""
    first = _results(_process(tmp_path, "fresh"))
    assert len(list(tmp_path.glob("*.o"))) == FILES
    assert _results(_process(tmp_path, "cached")) == first


def test_a_known_key_is_not_even_traced(tmp_path, expected):
    """compile_cached traces at the first time and, with code on disk, never again."""
    folder, calls = CacheFolder(tmp_path), []

    def make():
        calls.append(1)
        return chain_program(3)

    for _ in range(2):
        compiled = compile_cached("chain of 3", make, folder)
        assert _same((compiled(*STATES), compiled(*STATES[:, 0])), expected)
        assert compiled.signature == chain_program(3).signature
        assert compiled.operations == chain_program(3).operations
    assert len(calls) == 1
    assert compile_cached("another key", make, folder).program.digest == compiled.program.digest
    for file in tmp_path.glob("*.o"):
        file.write_bytes(b"damaged")
    assert _same(compile_cached("chain of 3", make, folder)(*STATES), expected[0])


def test_a_long_program_of_few_states_has_code_for_rows_only(tmp_path):
    """A single state goes by it too, with the same checks, and nothing else is compiled."""
    folder = CacheFolder(tmp_path)
    long = compile_cached("a long chain", lambda: chain_program(3), folder, finite=True, rows=1)
    q, *rest = STATES[:, 0]
    plain = compile_program(chain_program(3))(q, *rest)
    for _ in range(3):
        assert_allclose(long(q, *rest), plain, rtol=1e-14)
    assert not {"_scalar", "_run_one"} & vars(long).keys()
    with pytest.raises(KorbaError, match=r"q\[0\]: expected a finite number"):
        long(np.full_like(q, np.nan), *rest)


def test_processes_may_share_a_folder(tmp_path):
    """Three processes that start together all compute the same, and leave whole files."""
    found = [_results(process) for process in [_process(tmp_path, "fresh") for _ in range(3)]]
    assert len(set(found)) == 1
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".o"] * FILES
    assert _results(_process(tmp_path, "cached")) == found[0]


def _flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:-1],
        lambda content: content + b"x",
        _flip,
        lambda content: b"\x7fELF" + content,
        lambda content: content[content.index(b"\x7fELF") :] if b"\x7fELF" in content else b"?",
    ],
)
def test_damaged_files_are_as_good_as_none(tmp_path, damage):
    """A file that is empty, cut, longer, changed by a bit or without its head is not read."""
    folder = CacheFolder(tmp_path)
    folder.put("key", b"\x7fELF and more")
    assert folder.get("key") == b"\x7fELF and more"
    file = tmp_path / "key.o"
    file.write_bytes(damage(file.read_bytes()))
    assert folder.get("key") is None
    folder.put("key", b"again")
    assert folder.get("key") == b"again"


def test_damaged_files_are_made_again(tmp_path, expected):
    """A program whose files are damaged computes the same and leaves whole files."""
    assert _same(_both(tmp_path), expected)
    whole = {path: path.read_bytes() for path in tmp_path.glob("*.o")}
    for path, content in whole.items():
        path.write_bytes(_flip(content))
    assert _same(_both(tmp_path), expected)
    assert {path: path.read_bytes() for path in tmp_path.glob("*.o")} == whole


def test_a_file_under_another_name_is_not_used(tmp_path, expected):
    """Object code that was kept for another program is refused although its checksum fits."""
    other = compile_program(chain_program(4), CacheFolder(tmp_path))
    other(np.zeros(4), np.zeros(4), np.zeros(4))
    foreign = next(tmp_path.glob("*.o")).read_bytes()
    target = compiler.host()
    for kind in ("scalar", "batch"):
        key = machine.object_key(kind, chain_program(3).digest, target)
        (tmp_path / f"{key}.o").write_bytes(foreign)
    assert _same(_both(tmp_path), expected)


def test_the_key_holds_all_that_decides_the_code(monkeypatch):
    """Another kind, program, processor, LLVM or writer has another key."""
    target, program = compiler.host(), chain_program(3).digest
    keys = [
        machine.object_key("scalar", program, target),
        machine.object_key("batch", program, target),
        machine.object_key("scalar", chain_program(4).digest, target),
        machine.object_key("scalar", program, compiler.Host("other", target.features, 4)),
        machine.object_key("scalar", program, compiler.Host(target.cpu, "+sse2", target.width)),
        machine.object_key("scalar", program, replace(target, level=1 - target.level)),
    ]
    monkeypatch.setattr(machine, "llvm_version", lambda: "0")
    keys.append(machine.object_key("scalar", program, target))
    monkeypatch.setattr(machine, "sources_digest", lambda folder: "0")
    keys.append(machine.object_key("scalar", program, target))
    assert len(set(keys)) == len(keys)


def test_the_folder_follows_the_environment(tmp_path, monkeypatch):
    """KORBA_CACHE, then XDG_CACHE_HOME, then ~/.cache."""
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path / "a"))
    assert cache_folder().path == tmp_path / "a"
    monkeypatch.delenv("KORBA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert cache_folder().path == tmp_path / "b" / "korba"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "c"))
    assert cache_folder().path == tmp_path / "c" / ".cache" / "korba"
    monkeypatch.setenv("KORBA_CACHE", "~/own")
    assert cache_folder().path == tmp_path / "c" / "own"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KORBA_CACHE", "off")
    assert cache_folder() == CacheFolder(None)
    assert not (tmp_path / "off").exists()


def test_a_folder_that_cannot_be_used_is_no_fault(tmp_path, monkeypatch, expected):
    """A file in the way, or a folder that anybody can write to, means no cache."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path / "file" / "deeper"))
    assert cache_folder() == CacheFolder(None)
    assert _same(_both(tmp_path / "nowhere"), expected)
    (tmp_path / "open").mkdir()
    monkeypatch.setenv("KORBA_CACHE", str(tmp_path / "open"))
    for mode in (0o777, 0o770):
        (tmp_path / "open").chmod(mode)
        assert cache_folder() == CacheFolder(None)


def test_a_file_that_others_can_write_is_not_read(tmp_path):
    """What somebody else could have put there is as good as nothing."""
    folder = CacheFolder(tmp_path)
    folder.put("key", b"code")
    assert folder.get("key") == b"code"
    (tmp_path / "key.o").chmod(0o660)
    assert folder.get("key") is None


def test_sources_are_told_apart_by_their_content(tmp_path):
    """Names and content decide, not times: files unpacked with one date for all are safe."""
    digests = []
    for k, text in enumerate(("x = 1", "x = 2", "x = 1")):
        folder = tmp_path / str(k)
        folder.mkdir()
        (folder / "a.py").write_text(text)
        os.utime(folder / "a.py", (0, 0))
        digests.append(machine.sources_digest(folder))
    assert digests[0] == digests[2] != digests[1]


def test_old_files_make_room(tmp_path, monkeypatch):
    """A full folder loses its oldest files, not the newest."""
    monkeypatch.setattr("korba.codegen.cache.MOST_FILES", 8)
    folder = CacheFolder(tmp_path)
    for k in range(8):
        folder.put(f"0{k}", b"x")
        os.utime(tmp_path / f"0{k}.o", (k, k))
    folder.put("0new", b"x")
    assert folder.get("0new") == folder.get("07") == b"x"
    assert folder.get("00") is None
    assert folder.get("01") is None
    monkeypatch.setattr("korba.codegen.cache.MOST_BYTES", 1000)
    folder.put("0large", b"x" * 900)
    folder.put("0larger", b"x" * 950)
    assert folder.get("0larger") is not None
    assert folder.get("0large") is None


def test_files_that_are_used_stay(tmp_path, monkeypatch):
    """What makes room is what nobody asked for, however old what is used may be."""
    monkeypatch.setattr("korba.codegen.cache.MOST_FILES", 8)
    folder = CacheFolder(tmp_path)
    for k in range(8):
        folder.put(f"0{k}", b"x")
        os.utime(tmp_path / f"0{k}.o", (k, k))
    assert folder.get("00") == b"x"
    folder.put("0new", b"x")
    assert folder.get("00") == b"x"
    assert folder.get("01") is None


def test_a_full_folder_stays_about_as_full(tmp_path, monkeypatch):
    """Of keys as they are, one in sixteen makes room: the folder is never much over its limit."""
    monkeypatch.setattr("korba.codegen.cache.MOST_FILES", 64)
    folder, sizes = CacheFolder(tmp_path), []
    for k in range(600):
        folder.put(sha256(b"%d" % k).hexdigest(), b"x")
        sizes.append(len(list(tmp_path.iterdir())))
    assert max(sizes) < 64 + 16 * 7  # seven times as long as it takes in the mean
    assert sum(size < 64 for size in sizes[200:]) > 100


def test_without_a_helper_process_the_code_is_made_here(monkeypatch, expected):
    """Where no process can be started, or it fails, results are the same to rounding."""
    monkeypatch.setattr(compiler.WAITING, "taken", lambda target: None)
    for a, b in zip(_both(None), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)

    def broken(target):
        return compiler.Process(
            [sys.executable, "-c", "raise SystemExit(3)"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    monkeypatch.setattr(compiler.WAITING, "taken", broken)
    for a, b in zip(_both(None), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)
