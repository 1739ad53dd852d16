"""On how many random cases a law is tried: a few in the suite, what `make laws` asks for there."""

import os

ASKED = os.environ.get("KORBA_LAWS")
"""The number that `make laws` gives, 1,000."""


def seeds(share=1.0, least=1):
    """The seeds of random mechanisms: 6, or a `share` of as many as are asked for.

    `least` is for laws that go through kinds of mechanisms seed by seed: all are met in the suite.
    """
    return range(max(least, round(share * int(ASKED or 6))))


def some(few, count):
    """A `few` seeds in the suite, `count` of them where laws are asked for."""
    return range(count if ASKED else few)
