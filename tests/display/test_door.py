"""The door of public functions: what does not fit a hint is refused by its name."""

import pytest

from korba.door import refuse_unfit
from korba.errors import KorbaError


def test_what_does_not_fit_is_refused_by_name():
    """A number where a text is wanted; a text is let in."""
    refuse_unfit("Event: name", str, "floor")
    with pytest.raises(KorbaError, match="Event: name"):
        refuse_unfit("Event: name", str, 3)
