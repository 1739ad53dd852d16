"""The command `korba`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; its exit status is 0, 1 (the mechanism has a fault) or 2 (usage)."""
    from .commands import app

    sys.exit(app())
