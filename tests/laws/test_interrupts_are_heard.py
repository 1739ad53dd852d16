"""An interrupt is heard within a fifth of a second, whatever is imported, written or compiled."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from korba.codegen.targets.llvm import compiler, helper

SCRIPT = Path(__file__).with_name("heard_interrupts.py")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_no_work_is_deaf_for_long(tmp_path):
    """Between two interrupts that first answers hear, less than 0.2 s of the processor go by."""
    own = {"PYTHONPYCACHEPREFIX": str(tmp_path / "code"), "PYTHONPATH": os.pathsep.join(sys.path)}
    kept = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    deaf = []
    for k in range(3):  # the first writes Python's own files, as an installation does
        run = subprocess.run(
            [sys.executable, str(SCRIPT)],
            capture_output=True,
            text=True,
            check=True,
            env={**kept, **own, "KORBA_CACHE": str(tmp_path / f"cache {k}")},
        )
        seconds, where = run.stdout.split(" ", 1)
        deaf.append((float(seconds), where))
    assert min(deaf[1:])[0] < 0.2, deaf


WAITS = """
import os, signal, sys, time
sys.stdout.buffer.write({hello!r})
sys.stdout.buffer.flush()
sys.stdin.buffer.read(1)
open({mark!r}, "w").write(repr(time.monotonic()))
os.kill(os.getppid(), signal.SIGINT)
time.sleep(600)
"""


def test_nobody_waits_for_a_compiler(tmp_path, monkeypatch):
    """An interrupt that comes while a text is compiled ends the wait, and the helper's work."""
    mark = tmp_path / "begun"
    script = tmp_path / "helper.py"
    script.write_text(WAITS.format(hello=helper.HELLO, mark=str(mark)))
    processes = []

    def started(_):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        processes.append(compiler.Process([sys.executable, "-I", "-S", str(script)], **pipes))
        return processes[-1]

    monkeypatch.setattr(compiler, "WAITING", compiler.Waiting())
    monkeypatch.setattr(compiler, "started", started)
    with pytest.raises(KeyboardInterrupt):
        compiler.Compiler(compiler.host()).object_code("define void @f() { ret void }")
    heard = time.monotonic() - float(mark.read_text())
    assert len(processes) == 1
    assert processes[0].returncode == -signal.SIGKILL  # it would have slept for ten minutes
    assert heard < 5.0, "of a busy machine"
    monkeypatch.undo()
    assert compiler.Compiler(compiler.host()).object_code("define void @f() { ret void }")
