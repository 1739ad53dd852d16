"""One question, interrupted at some place of its first answer, and asked again.

Run as a script: `interrupted_answer.py QUESTION PLACE`. It prints how many calls and returns of
functions there were until the interrupt, or in all, and the second answer.
"""

from __future__ import annotations

import signal
import sys


def four_bar(kb):
    return kb.linkages.four_bar(1, 3, 2, 2.5)


QUESTIONS = {
    "mobility": lambda kb: kb.mobility(four_bar(kb)).actual,
    "motion": lambda kb: kb.motion(four_bar(kb), [0.0, 0.5]).q.round(9).tolist(),
    "structure graph": lambda kb: "coupler" in kb.draw(four_bar(kb), graph=True),
    "strange units": lambda kb: kb.redimension(four_bar(kb), a="0.005 furlong").parameters,
    "sparse rows": lambda kb: kb.mobility(kb.linkages.scissor(40)).actual,
    "curves": lambda kb: kb.mobility(kb.linkages.cam(0.04, 0.02, 0.008)).actual,
}
"""What is asked: by own code alone, and with networkx, pint and SciPy."""


def main(question, place):
    """Ask twice, the first time with an interrupt."""
    calls = 0

    def counted(*_):
        nonlocal calls
        calls += 1
        if calls == place:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    def answer():
        import korba as kb

        return QUESTIONS[question](kb)

    sys.setprofile(counted)
    try:
        answer()
    except KeyboardInterrupt:
        print("interrupted")
    sys.setprofile(None)
    print(calls, answer())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
