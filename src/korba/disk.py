"""Files as bytes and as text: the one place where Korba opens them.

Only plain files are read: a pipe or a device, which may never end, is refused at once. What is
written takes a file's place when all of it is on the disk, so that a full disk or an interrupt
leaves the file that was there. Whatever goes wrong is a `FileError`.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Never

from .errors import Fault, FileError

LARGEST_FILE = 16 * 2**20
"""Bytes of the largest file that is read."""
PAUSES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds to wait, one after the other, for a file that another process has open on Windows."""
KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
"""What is no plain file."""

FilePath = str | os.PathLike[str]


@contextmanager
def opened(path: FilePath) -> Iterator[BinaryIO]:
    """A plain file, open for reading; whatever else is there is refused without waiting for it."""
    try:
        with open(Path(path), "rb", opener=_without_waiting) as file:
            kind = KINDS.get(stat.S_IFMT(os.fstat(file.fileno()).st_mode))
            if kind:
                raise FileError(f"{path}: is {kind}; only plain files are read, so write it to one")
            yield file
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise FileError(f"{path}: is a folder; give the path of a file") from None
    except PermissionError:
        raise FileError(f"{path}: may not be read; check the permissions of the file") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r}: cannot be read: {error}") from None


def read_bytes(path: FilePath) -> bytes:
    """The bytes of a file, of which never more are read than may be used."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(LARGEST_FILE + 1) if size <= LARGEST_FILE else b""
    if (size := max(size, len(data))) > LARGEST_FILE:
        raise FileError(
            f"{path}: has {size} bytes, the most is {LARGEST_FILE} (16 MiB); split the mechanism, "
            "or leave out what is not needed"
        )
    return data


def read_text(path: FilePath) -> str:
    """The text of a file in UTF-8, without a byte order mark."""
    return decoded(read_bytes(path), str(path))


def decoded(data: bytes, source: str) -> str:
    """UTF-8 text without a byte order mark."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        refuse(source, f"is not UTF-8 text: {place}; save the file as UTF-8", line)


def refuse(source: str, message: str, line: int | None = None) -> Never:
    """Stop with one fault on a line of a file."""
    raise FileError.of_faults(source, [Fault((), message, line)]) from None


@contextmanager
def replaced(path: FilePath, *, private: bool = False) -> Iterator[BinaryIO]:
    """A stream for the new content of a file, which it takes on when the `with` ends well.

    It is written beside the file, forced to the disk and renamed. A link stays, and what it points
    to is replaced; a device or a pipe is written as it is. A private file is for its owner only,
    and is not forced to the disk: for caches, which check what they read.
    """
    target, mode = _place(path)
    try:
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as file:
                yield file
            return
        aside = target.with_name(f".{os.urandom(8).hex()}.new")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                if mode is not None and not private:
                    aside.chmod(stat.S_IMODE(mode))
                yield file
                if not private:
                    file.flush()
                    os.fsync(file.fileno())
            _renamed(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unwritten(path, error) from error


def _renamed(aside: Path, target: Path) -> None:
    """Give a file its name; on Windows after those who read the file of that name now."""
    for pause in PAUSES if sys.platform == "win32" else ():
        try:
            aside.replace(target)
            return
        except PermissionError:
            time.sleep(pause)
    aside.replace(target)


def write_text(text: str, path: FilePath) -> None:
    """Write a file in UTF-8, with line ends that are the same on every system."""
    with replaced(path) as file:
        file.write(text.encode("utf-8"))


def make_folder(path: FilePath) -> None:
    """A folder for files to write, with those above it; one that is there is used."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FileError(f"{str(path)!r}: expected a folder, found a file") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r}: the folder cannot be made: {error}") from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe, too, at once, whether or not somebody writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _place(path: FilePath) -> tuple[Path, int | None]:
    """Where a file is to be written, past links, and the mode of what is there."""
    try:
        found = Path(path).stat().st_mode
    except FileNotFoundError:
        found = None
    except (OSError, ValueError) as error:
        raise _unwritten(path, error) from error
    plain = found is None or stat.S_ISREG(found)
    return Path(path).resolve() if plain else Path(path), found


def _unwritten(path: FilePath, error: Exception) -> FileError:
    reason = getattr(error, "strerror", None) or error
    return FileError(f"{str(path)!r}: cannot be written: {reason}")
