"""The compiler beside this process: helper processes that wait for LLVM text (helper.py).

One starts while the first text is being written. Afterwards it waits for the next: to start Python
and to load LLVM takes longer than most programs do. Several threads have one each; a process that
has compiled a long text ends, and LLVM's memory with it, as does one that has waited for long.

A process that does not say hello is none of ours: where Python is embedded, `sys.executable` is
another program. Then, and with `KORBA_HELPER=off`, LLVM compiles in this process.

`KORBA_OPTIMISE=0` lets LLVM optimise nothing in texts that are not long: it then compiles three
times as fast what runs slower, with the same results to rounding.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType

from korba.codegen.targets.llvm import helper
from korba.errors import KorbaError
from korba.forking import at_fork

HELLO_WITHIN = 10.0
"""Seconds in which a helper process says hello."""
LONG = 4_000_000
"""Characters of text after which a helper's memory is given back."""


class Process(subprocess.Popen[bytes]):
    """A helper process, or what was started in its place."""

    heard: bytes | None = None
    """What it said first: nothing where it has ended, None where it has not said anything yet."""

    def greets(self) -> bool:
        """Whether it has said hello; waits for that once."""
        if self.heard is None:
            waiting = Thread(target=self._listen, daemon=True)
            waiting.start()
            waiting.join(HELLO_WITHIN)
        return self.heard == helper.HELLO

    def _listen(self) -> None:
        """Hear its first line; nobody reads what others say after that."""
        assert self.stdout is not None  # noqa: S101  (it was started with a pipe)
        self.heard = self.stdout.readline()
        if self.heard != helper.HELLO:
            self.stdout.close()


@dataclass(frozen=True)
class Host:
    """A processor as LLVM names it, how many doubles a vector of it holds, LLVM's level for it."""

    cpu: str
    features: str
    width: int
    level: int = 1


def host() -> Host:
    """The processor this process runs on, and how hard LLVM is to try."""
    return replace(_processor(), level=0 if os.environ.get("KORBA_OPTIMISE") == "0" else 1)


@cache
def _processor() -> Host:
    llvm = helper.binding()
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM knows no way to ask this system
        return Host(llvm.get_host_cpu_name(), "", 2)
    width = 8 if features.get("avx512f") else 4 if features.get("avx2") else 2
    return Host(llvm.get_host_cpu_name(), features.flatten(), width)


class Waiting:
    """Helper processes that nobody uses at the moment."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[Host, Process]] = []
        self._left: list[tuple[Host, Process]] = []
        self._none = False

    def taken(self, target: Host) -> Process | None:
        """One for this processor that is alive, or a new one; None where none can be started."""
        with self._lock:
            fit = [entry for entry in self._idle if entry[0] == target]
            for entry in fit:
                self._idle.remove(entry)
                if entry[1].poll() is None:
                    return entry[1]
                ended(entry[1])
        return None if self._none else started(target)

    def put_back(self, target: Host, process: Process) -> None:
        """It waits for its next text."""
        with self._lock:
            self._idle.append((target, process))

    def start_none(self) -> None:
        """No more of them: what was started instead does not say hello."""
        self._none = True

    def end(self) -> None:
        """End all."""
        with self._lock:
            for _, process in self._idle:
                ended(process)
            self._idle.clear()

    def forget(self) -> None:
        """In a forked process: they are its parent's, and so may the lock be."""
        self._lock = Lock()
        self._left += self._idle  # not deleted: they are not this process's to wait for
        self._idle = []


WAITING = Waiting()
at_fork(after_in_child=WAITING.forget)
atexit.register(WAITING.end)


class Compiler:
    """A helper process, taken at once, that compiles one text when it is there."""

    def __init__(self, target: Host) -> None:
        self._host = target
        self._process = WAITING.taken(target)

    def __enter__(self) -> Compiler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """A process that was not needed waits for another text."""
        if self._process is not None:
            WAITING.put_back(self._host, self._process)
            self._process = None

    def object_code(self, text: str) -> bytes:
        """Object code of LLVM text: from the helper process, or from this one if there is none."""
        content = text.encode()
        code = self._asked(content)
        if code is None:  # it had ended while it waited
            self._process = WAITING.taken(self._host)
            code = self._asked(content)
        if code:
            return code
        try:
            return helper.object_code(text, self._host.cpu, self._host.features, self._host.level)
        except RuntimeError as error:
            raise KorbaError(f"LLVM did not compile the program: {error}") from error

    def _asked(self, text: bytes) -> bytes | None:
        """What the helper answers: nothing if it did not compile, None if there is no answer."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        self._process = None  # it is put back when it has answered
        if not process.greets():
            if process.heard != b"":
                WAITING.start_none()
            unheard(process)
            return None
        whole = False
        try:
            process.stdin.write(b"%d\n%b" % (len(text), text))
            process.stdin.flush()
            size = int(process.stdout.readline())
            code = process.stdout.read(size)
            whole = len(code) == size
        except (OSError, ValueError):  # it has ended: nothing to wait for
            return None
        finally:
            if whole and len(text) < LONG:
                WAITING.put_back(self._host, process)
            else:
                ended(process)
        return code if whole else None


def started(target: Host) -> Process | None:
    """A helper process, or None where none can be started."""
    script = Path(helper.__file__)
    packages = Path(helper.binding().__file__).parents[2]
    if not sys.executable or not script.is_file() or os.environ.get("KORBA_HELPER") == "off":
        return None
    machine = (target.cpu, target.features, str(target.level))
    command = [sys.executable, "-I", "-S", str(script), str(packages), *machine]
    try:
        return Process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def ended(process: Process) -> None:
    """End a process and close what led to it."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # text that it did not take
                continue
    process.wait()


def unheard(process: Process) -> None:
    """End a process that has not said hello; its output is closed by whoever listens to it."""
    process.kill()
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
