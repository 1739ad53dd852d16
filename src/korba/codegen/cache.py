"""Object code on disk, so that a second process need not compile again.

A file is named by the hash of everything that decides its content. It carries that name and a
checksum of what follows; a file that is damaged, cut short or renamed is as good as none, and is
written again. Files appear complete or not at all (written aside, then renamed), so processes
may share a folder. Nothing in a file is unpickled.

The folder is `KORBA_CACHE` (`off` keeps nothing), or that of the system for caches: `korba` in
`XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`. One that cannot be written, or
that others can write to, is not used, nor is a file that is somebody else's: the code in it would
be run. It keeps at most so many files and bytes, and forgets the oldest.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

from korba.disk import replaced
from korba.errors import FileError

_MAGIC = b"korba object 1\n"
_HEAD = len(_MAGIC) + 64
MOST_FILES = 8000
MOST_BYTES = 256 * 2**20
ONE_IN_SIXTEEN = "0"
"""How a key begins that looks for files to forget: to look at thousands takes as long as to compile
one, and a few too many do no harm."""


@dataclass(frozen=True)
class CacheFolder:
    """A folder of object code; None is a cache that keeps nothing."""

    path: Path | None

    def get(self, key: str) -> bytes | None:
        """What was kept under `key`, or None."""
        if self.path is None:
            return None
        try:
            with self._file(key).open("rb") as stream:
                content = stream.read() if _is_own(os.fstat(stream.fileno())) else b""
        except OSError:
            return None
        payload = content[_HEAD:]
        if content[:_HEAD] != _header(key, payload) or not payload:
            return None
        with suppress(OSError):  # of a folder that can only be read nothing is forgotten
            os.utime(self._file(key))
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Keep `payload` under `key`; a folder that cannot be written keeps nothing."""
        if self.path is None:
            return
        with suppress(OSError, FileError):
            file = self._file(key)
            if key.startswith(ONE_IN_SIXTEEN) and not file.exists():
                self._forget_unused()
            with replaced(file, private=True) as stream:
                stream.write(_header(key, payload) + payload)

    def _file(self, key: str) -> Path:
        assert self.path is not None  # noqa: S101  (both callers have asked)
        return self.path / f"{key}.o"

    def _forget_unused(self) -> None:
        assert self.path is not None  # noqa: S101
        with os.scandir(self.path) as entries:
            files = sorted(_age_size_and_name(entry) for entry in entries if _is_kept(entry))
        most, room = MOST_FILES, MOST_BYTES
        if len(files) >= most or sum(size for _, size, _ in files) >= room:
            most, room = 3 * most // 4, 3 * room // 4
            for _, size, name in reversed(files):
                most, room = most - 1, room - size
                if most < 0 or room < 0:
                    (self.path / name).unlink(missing_ok=True)


def cache_folder() -> CacheFolder:
    """The user's cache, as the environment says now."""
    if os.environ.get("KORBA_CACHE") == "off":
        return CacheFolder(None)
    try:
        path = _wanted()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
    except (OSError, RuntimeError):
        return CacheFolder(None)
    return CacheFolder(path if _is_own(found) else None)


def _is_own(found: os.stat_result) -> bool:
    """Whether a folder or file is ours, and nobody else can write to it."""
    if os.name == "nt":
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _wanted() -> Path:
    named = os.environ.get("KORBA_CACHE")
    if named:
        return Path(named).expanduser()
    return user_cache_path("korba", appauthor=False)


def _header(key: str, payload: bytes) -> bytes:
    return _MAGIC + sha256(key.encode() + b"\n" + payload).hexdigest().encode()


def _is_kept(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".o")


def _age_size_and_name(entry: os.DirEntry[str]) -> tuple[float, int, str]:
    try:
        found = entry.stat()
    except OSError:
        return 0.0, 0, entry.name
    return found.st_mtime, found.st_size, entry.name
