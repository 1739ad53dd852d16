"""The door of public functions: what does not fit a hint is refused by its name."""

from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from korba.door import fits, in_words, refuse_unfit, spelled_out
from korba.errors import KorbaError


def test_what_does_not_fit_is_refused_by_name():
    """A number where a text is wanted; a text is let in."""
    refuse_unfit("Event: name", str, "floor")
    with pytest.raises(KorbaError, match="Event: name"):
        refuse_unfit("Event: name", str, 3)


T = TypeVar("T")
PAIRS = TypeAliasType("PAIRS", dict[str, list[T]], type_params=(T,))
"""Such as NDArray is from NumPy 2.5 on."""


def test_names_of_hints_are_spelled_out():
    """An alias, with a type of its own or without, is what it stands for."""
    whole = TypeAliasType("whole", int)
    assert spelled_out(whole) is int
    assert spelled_out(PAIRS[whole]) == dict[str, list[whole]]
    assert spelled_out(np.ndarray) is np.ndarray
    assert fits(PAIRS[whole], {"a": [1, 2]})
    assert not fits(PAIRS[whole], {"a": [1, "2"]})
    assert in_words(PAIRS[whole]) == in_words(dict[str, list[int]])


def test_arrays_are_taken_and_others_refused():
    """Whatever NumPy makes of NDArray."""
    hint = NDArray[Any]
    assert fits(hint, np.eye(2))
    assert fits(hint, [[1, 2]])
    with pytest.raises(KorbaError, match="A: expected an array, got 'x'"):
        refuse_unfit("A", hint, "x")
