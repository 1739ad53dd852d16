"""The command `korba`."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run the command; its exit status is 0, 1 (the mechanism has a fault) or 2 (usage).

    A terminal that cannot show a character shows `?` in its place. An answer that cannot be
    printed, to a full disk for one, ends with status 1 and a sentence.
    """
    from . import (  # noqa: F401  (add commands)
        draw_command,
        equations_command,
        examples_command,
        export_fmu_command,
        flywheel_command,
        forces_command,
        generate_command,
        motion_command,
        optimise_command,
        sweep_command,
    )
    from .commands import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is not tried again at the end
        sys.exit(f"korba: the answer cannot be printed: {error.strerror or error}")
