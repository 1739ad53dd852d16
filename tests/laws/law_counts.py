"""How many random mechanisms a law is tried on: 20, or what `make laws` asks for."""

import os


def seeds():
    """The seeds of random mechanisms."""
    return range(int(os.environ.get("KORBA_LAWS", "20")))
