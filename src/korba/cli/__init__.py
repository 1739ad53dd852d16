"""The command `korba`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; its exit status is 0, 1 (the mechanism has a fault) or 2 (usage)."""
    from . import motion_command  # noqa: F401  (adds its command)
    from .commands import app

    sys.exit(app())
