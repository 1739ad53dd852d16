"""The command `korba`."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run the command; its exit status is 0, 1 (a fault, or no answer), 2 (usage), 130 (Ctrl-C).

    A terminal that cannot show a character shows `?` in its place. An answer that cannot be
    printed, to a full disk for one, ends with status 1 and a sentence.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from .commands import app

        app()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is not tried again at the end
        sys.exit(f"korba: the answer cannot be printed: {error.strerror or error}")
    except KeyboardInterrupt:  # before a command has begun
        sys.exit(130)
