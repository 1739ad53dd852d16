"""How long first answers do not hear an interrupt, in seconds of the processor.

Run as a script. An interrupt comes after each hundredth of a second that the processor works;
whoever hears it looks at the clock. Printed is the longest time between two that were heard, and
what ran when the later one was.
"""

from __future__ import annotations

import signal
import sys
import time

import numpy as np

TIMES = {"heard": time.process_time(), "longest": 0.0}
PLACES = [""]


def hear(_, frame):
    """An interrupt is heard: nothing is done but to look at the clock."""
    deaf = time.process_time() - TIMES["heard"]
    frame = frame.f_back or frame
    if deaf > TIMES["longest"]:
        TIMES["longest"], PLACES[0] = deaf, f"{frame.f_code.co_filename}:{frame.f_lineno}"
    TIMES["heard"] = time.process_time()


def main():
    """First answers of linkages in the plane and in space, and of a tree of many joints."""
    signal.signal(signal.SIGINT, hear)
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
    import korba as kb

    kb.motion(kb.linkages.stewart("0.3 m", "0.15 m", "0.4 m"), np.linspace(0, 1, 21))
    kb.mobility(kb.linkages.scissor(30))
    bodies = [kb.Body(f"b{k}", 1.0, (0.5, 0.1, 0.2), (0.1, 0.1, 0.1)) for k in range(16)]
    axes = [(0, 0, 1), (0.1, 1, 0), (1, 0.2, 0.1)]
    ends = [("ground" if not k else f"b{k - 1}", f"b{k}") for k in range(16)]
    joints = [
        kb.Revolute(f"j{k}", *pair, at=(k, 0.1 * k, 0), axis=axes[k % 3])
        for k, pair in enumerate(ends)
    ]
    kb.simulate(kb.Mechanism("arm", bodies, joints), 0.01)
    kb.report(kb.linkages.slider_crank(0.2, 0.7))
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(TIMES["longest"], *PLACES)


if __name__ == "__main__":
    sys.exit(main())
