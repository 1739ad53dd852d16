"""An interrupt from the keyboard ends every verb that may take long, at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

MODELS = """
import sys
import numpy as np
import korba as kb

links = ["ground", "crank", "coupler", "rocker", "ground"]
points = [(0, 0), (0.3, 0.9), (2.4, 1.7), (2.5, 0)]
joints = [kb.Revolute(name, links[k], links[k + 1], at=points[k]) for k, name in enumerate("ABCD")]
bodies = [kb.Body(name, 1.0, points[k], 0.1) for k, name in enumerate(links[1:4])]
drives = [kb.JointDrive("motor", "A", "100*t")]
crank = kb.Mechanism("four-bar", bodies, joints, plane="xy")
driven = kb.Mechanism("four-bar", bodies, joints, plane="xy", drives=drives)
arm = kb.Mechanism("arm", bodies[:2], joints[:2], plane="xy")
rod = kb.Mechanism("rod", [kb.Body(name) for name in links[1:4]], [
    kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
    kb.Spherical("B", "crank", "coupler", at=(0.3, 0, 0)),
    kb.Spherical("C", "coupler", "rocker", at=(1, 0.2, 1)),
    kb.Revolute("D", "rocker", "ground", at=(1, 0.5, 0), axis=(0, 1, 0)),
])

n, turn = 7, np.pi / 7
corners = [(np.cos(2 * k * turn), np.sin(2 * k * turn)) for k in range(n)]
outer = [(1.7 * np.cos((2 * k - 1) * turn), 1.7 * np.sin((2 * k - 1) * turn)) for k in range(n)]
feet = [((2.5 + 0.1 * k) * x, (2.5 + 0.1 * k) * y) for k, (x, y) in enumerate(corners)]
plates = [kb.Body(f"{kind}{k}") for k in range(n) for kind in ("plate", "leg")]
ring = kb.Mechanism("ring", plates, [
    *(kb.Revolute(f"R{k}", f"plate{k}", f"plate{(k + 1) % n}", at=corners[k]) for k in range(n)),
    *(kb.Revolute(f"L{k}", f"plate{k}", f"leg{k}", at=outer[k]) for k in range(n)),
    *(kb.Revolute(f"F{k}", f"leg{k}", "ground", at=feet[k]) for k in range(n)),
], plane="xy")


def told(made):
    print("working", flush=True)


try:
    print("ended", CALL)
except KeyboardInterrupt:
    print("ended at once")
"""
CALLS = {
    "assemble": 'kb.assemble(crank, {"A": 1e5}, progress=told)',
    "motion": "kb.motion(driven, [0.0, 1e3], progress=told).status",
    "simulate": "kb.simulate(arm, 1e7, times=2, progress=told).status",
    "configurations": 'kb.configurations(rod, {"A": 0.1}, starts=10**7, progress=told)',
    "homotopy": "kb.configurations(ring, progress=told)",
}


@pytest.fixture(scope="module")
def started():
    """All of them side by side, each in a process of its own."""
    command = [sys.executable, "-c"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    runs = {
        name: subprocess.Popen([*command, MODELS.replace("CALL", call)], **pipes)
        for name, call in CALLS.items()
    }
    yield runs
    for run in runs.values():
        run.kill()
        run.wait()
        run.stdout.close()
        run.stderr.close()


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_it_at_once(started, name):
    """Minutes of work end within seconds of a busy machine; motions keep what they have."""
    run = started[name]
    assert run.stdout.readline() == "working\n", run.stderr.read()
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    said, errors = run.stdout.read(), run.stderr.read()
    assert time.monotonic() - begun < 20
    kept = name in ("motion", "simulate")
    assert said.endswith("ended interrupted\n" if kept else "ended at once\n"), errors
