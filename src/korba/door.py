"""The door of the public functions: arguments are what their annotations say, or are refused.

    @public
    def assemble(m: Mechanism, values: Mapping[str, float | str] | None = None) -> Configuration:

An argument that is not of its kind gives a `StructureError` that names the function and the
argument, and says what was found and expected; `Any` is left to the function. So no function asks
again, and what is inside a function is only ever called with the right kinds of things. One that
takes long says so (working.py).
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import types
import typing
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import StructureError
from .working import working

P = ParamSpec("P")
R = TypeVar("R")

PLAIN: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    float: ("a finite number", lambda x: _is_real(x) and math.isfinite(x)),
    int: ("a whole number", lambda x: isinstance(x, int | np.integer) and not _is_truth(x)),
    bool: ("True or False", lambda x: isinstance(x, bool | np.bool_)),
    str: ("a text", lambda x: isinstance(x, str)),
    np.ndarray: ("an array", lambda x: isinstance(x, np.ndarray | list | tuple)),
    type(None): ("None", lambda x: x is None),
}
"""Hints that are not just a class: what they want in words, and whether a value is that."""


hints_of: Callable[[Any], dict[str, Any]] = functools.cache(typing.get_type_hints)
"""What the arguments of a function or the fields of a class are, looked at once."""


def public(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its arguments checked at the door by their annotations."""
    parameters = inspect.signature(function).parameters.values()
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    only = {p.name for p in parameters if p.kind is p.POSITIONAL_ONLY}
    more = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
    others = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), "")

    @functools.wraps(function)
    def guarded(*args: P.args, **options: P.kwargs) -> R:
        hints = hints_of(function)
        by_name = ((others if name in only else name, x) for name, x in options.items())
        for name, value in chain(zip(chain(places, repeat(more)), args), by_name):  # noqa: B905
            hint = hints.get(name, hints.get(others, Any))
            if hint is not Any and not fits(hint, value):  # no text is made for what fits
                refuse_unfit(f"{function.__name__}: {name}", hint, value)
        with working(function.__name__):
            return function(*args, **options)

    return guarded


def refuse_unfit(what: str, hint: Any, value: Any) -> None:
    """An error unless the value is what an annotation says."""
    if not fits(hint, value):
        raise StructureError(f"{what}: expected {in_words(hint)}, got {shown(value)}")


def spelled_out(hint: Any) -> Any:
    """A hint in the place of its alias, such as NumPy has for NDArray from 2.5 on."""
    alias = typing.get_origin(hint) or hint
    if type(alias).__name__ != "TypeAliasType":
        return hint
    inside = typing.get_args(hint)
    return spelled_out(alias.__value__[inside] if inside else alias.__value__)


def fits(hint: Any, value: Any) -> bool:
    """Whether a value is what an annotation says, items of containers too."""
    hint = spelled_out(hint)
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    hint = origin if origin is np.ndarray else hint
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return True
    if hint in PLAIN:
        return PLAIN[hint][1](value)
    if origin in (typing.Union, types.UnionType):
        return any(fits(one, value) for one in inside)
    if origin is None:
        return isinstance(value, hint)
    if isinstance(value, np.ndarray) and issubclass(collections.abc.Sequence, origin):
        value = value.tolist()
    if not isinstance(value, origin) or isinstance(value, str):
        return False
    if issubclass(origin, collections.abc.Mapping):
        return all(fits(inside[0], k) and fits(inside[1], x) for k, x in value.items())
    if issubclass(origin, tuple) and Ellipsis not in inside:
        return len(value) == len(inside) and all(map(fits, inside, value))
    if issubclass(origin, collections.abc.Collection):
        return all(fits(inside[0], x) for x in value)
    return True


def real_array(what: str, given: Any, wanted: str = "finite numbers") -> NDArray[np.float64]:
    """A new array of finite real numbers; what is not that is refused, with what was wanted."""
    try:
        array = np.array(given)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "iuf" and array.size:
        raise StructureError(f"{what}: expected {wanted}, got {shown(given)}")
    array = array.astype(float)
    if not np.all(np.isfinite(array)):
        first = array[~np.isfinite(array)][0]
        raise StructureError(f"{what}: expected {wanted}, got {first} among them")
    return array


def in_words(hint: Any) -> str:
    """What an annotation wants: `a text`, `a Mechanism`, `a mapping from a text to ...`."""
    hint = spelled_out(hint)
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    hint = origin if origin is np.ndarray else hint
    if hint in PLAIN:
        return PLAIN[hint][0]
    if isinstance(words := getattr(hint, "in_words", None), str):
        return words
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(in_words(one) for one in inside))
    if origin is collections.abc.Callable:
        return "a function"
    if origin is not None and issubclass(origin, collections.abc.Mapping):
        return f"a mapping from {in_words(inside[0])} to {in_words(inside[1])}"
    if origin is not None and issubclass(origin, collections.abc.Iterable):
        items = dict.fromkeys(in_words(one) for one in inside if one is not Ellipsis)
        return f"a sequence, each {' or '.join(items)}"
    if hint is Any or hint is object:
        return "anything"
    name = (origin or hint).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not _is_truth(value)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def shown(value: Any) -> str:
    """A value in an error message: short, an array by its shape."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
