"""How many random mechanisms a law is tried on: 15, or what `make laws` asks for."""

import os


def seeds(share=1.0):
    """The seeds of random mechanisms; a `share` of them where each takes long."""
    return range(round(share * int(os.environ.get("KORBA_LAWS", "15"))))
