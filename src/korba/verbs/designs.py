"""Designs of a mechanism: values of its named sizes, where they are inputs of a program.

    kb.pose(m, q, "hand", parameters={"rod": rods, "crank": "80 mm"})

A design is given by the names of parameters, each with a number in SI, a text with a unit or an
array of numbers; what is not named is as the mechanism has it. The input of a program is `p`, of
shape (..., names), one column for each name. A design that the model refuses is refused here
too, in the same words: bounds of its sizes are looked at for all designs at once, and the first
that is out of bounds is made a mechanism, which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen import Compiled, array_of, compile_program, program_of
from ..display import DIGITS
from ..door import shown
from ..errors import ExpressionError, KorbaError, StructureError
from ..expr import Expr, Quantity, evaluate, less, parse
from ..expr.display_units import DisplayUnits
from ..expr.quantities import size_symbol
from ..expr.units import described, si_unit
from ..files.toml_file import redimension
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from ..model.parameters import resolved
from ..spatial.rotation import Array
from ..system.sizes import bounds, refuse_other_sizes
from ..system.store import kept
from ..system.system import kept_system
from .states import drawn_coordinates

PARAMETERS = "parameters"
"""The option of every verb that names sizes, or gives them values."""
DESIGN = "p"
"""The input that they are."""
MANY = 100_000
"""Sizes of designs, all together, from which on they are judged in machine code."""


def sizes_of(m: Mechanism, names: Sequence[str]) -> Array:
    """The values that a mechanism itself has for some of its parameters."""
    own = quantities(m)
    return np.array([float(own[name].value) for name in names])


def size_units(m: Mechanism, names: Sequence[str]) -> dict[str, str]:
    """The SI units of some parameters by name; "" of those that were given as plain numbers."""
    return {name: si_unit(quantities(m)[name].dimension) for name in names}


def size_display(m: Mechanism, name: str) -> DisplayUnits:
    """In which units people read a size: first of all in that in which it was written."""
    return display_units(m, dict(m.parameters).get(name, ""))


def sizes_told(
    m: Mechanism, sizes: Mapping[str, float], units: Mapping[str, str], digits: int = DIGITS
) -> str:
    """`a = 200 mm, b = 3`: sizes by name, with their units where these are known."""
    told = {n: size_display(m, n).told(x, units.get(n, ""), digits) for n, x in sizes.items()}
    return ", ".join(f"{name} = {text}" for name, text in told.items())


def size_written(m: Mechanism, name: str, value: float, digits: int) -> float | str:
    """A size as a file has it: in the unit in which it was written, with so many digits.

    >>> size_written(kb.linkages.four_bar("4 cm", "12 cm", "8 cm", "10 cm"), "b", 0.148348622, 5)
    '14.835 cm'
    """
    si = size_units(m, [name])[name]
    text = size_display(m, name).told(value, si, digits)
    return text if si not in ("", "1") else float(text)


def sizes_at(m: Mechanism, design: Mapping[str, Array]) -> dict[str, Array]:
    """All parameters of designs: those given, and what they make of the others."""
    own, count = quantities(m), range(len(design))
    inputs = {f"{DESIGN}[{i}]": x for i, x in enumerate(design.values())}
    symbols = {
        name: Quantity(size_symbol(i), own[name].dimension)
        for i, name in zip(count, design, strict=True)
    }
    names = resolved(dict(m.parameters), symbols).names
    return {name: evaluate([size.value], inputs)[..., 0] for name, size in names.items()}


def design_values(m: Mechanism, names: Sequence[str], given: Mapping[str, Any]) -> Array:
    """The input p, (..., names): what is given, else as the mechanism has it."""
    if not isinstance(given, Mapping):
        raise StructureError(f"parameters: expected a mapping from names, got {shown(given)}")
    if not (given or names):
        return np.zeros(0)
    refuse_other_sizes(m, [*given])
    values = {name: size_values(m, name, value) for name, value in given.items()}
    try:
        shape = np.broadcast_shapes(*(value.shape for value in values.values()))
    except ValueError as error:
        shapes = ", ".join(f"{name} {value.shape}" for name, value in values.items())
        raise StructureError(f"parameters: the shapes do not fit together: {shapes}") from error
    p = np.empty((*shape, len(names)))
    if len(values) < len(names):
        p[...] = sizes_of(m, names)
    for name, value in values.items():
        p[..., [*names].index(name)] = value
    refuse_unfit_designs(m, tuple(names), p)
    return p


def drawn_at(m: Mechanism, names: tuple[str, ...], p: Array) -> Array:
    """The independent coordinates of the drawing of designs, shape (..., nq)."""
    drawn = drawn_coordinates(kept_system(m, names).tree)
    if drawn.dtype != object:
        return drawn
    return np.asarray(evaluate(drawn, {f"{DESIGN}[{i}]": p[..., i] for i in range(len(names))}))


def fit(m: Mechanism, names: tuple[str, ...], p: Array) -> Array:
    """Which of the designs (..., names) are within all bounds of the model, shape (...)."""
    limits = kept(m, ("bounds", names), lambda: bounds(m, names))
    if not limits:
        return np.ones(p.shape[:-1], dtype=bool)
    if p.size >= MANY:
        judge = kept(m, ("judge of designs", names), lambda: _judge(limits, len(names)))
        return np.asarray(judge(p, check_finite=False)[..., 0] > 0)
    values = evaluate(limits, {f"{DESIGN}[{i}]": p[..., i] for i in range(len(names))})
    return np.asarray(np.all(values > 0, axis=-1))


def _judge(limits: Sequence[Expr], count: int) -> Compiled:
    """(p) -> 1 where all limits are above 0, else 0: for many designs in machine code."""
    fits: Any = 1.0
    for limit in limits:
        fits = fits * less(0.0, limit)
    return compile_program(program_of([(DESIGN, count)], array_of([fits]), "bounds of designs"))


def refuse_unfit_designs(m: Mechanism, names: tuple[str, ...], p: Array) -> None:
    """The model's own error for the first of the designs that it refuses."""
    good = fit(m, names, p)
    if not good.all():
        place = tuple(np.argwhere(~good)[0])
        at = f" of design {[int(i) for i in place]}" if place else ""
        if reason := refusal(m, names, p[place]):
            raise StructureError(f"parameters{at}: {reason}")


def refusal(m: Mechanism, names: tuple[str, ...], p: Array) -> str:
    """What the model says of one design; nothing if it takes it."""
    own = dict(zip(names, p.tolist(), strict=True))
    try:
        redimension(m, **own)
    except KorbaError as error:
        return f"with {', '.join(f'{name} = {x:.6g}' for name, x in own.items())}, {error}"
    return ""


def size_values(m: Mechanism, name: str, given: Any) -> Array:
    """Numbers in SI for a parameter: of a number, a text with a unit, or many of either."""
    what, nominal = f"parameters: {name!r}", quantities(m)[name]
    if isinstance(given, str):
        return np.array(_read(m, name, given, nominal))
    if isinstance(given, list | tuple) and any(isinstance(each, str) for each in given):
        return np.array([float(size_values(m, name, each)) for each in given])
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "iuf":
        wanted = "a number in SI, a text with a unit or an array of numbers"
        raise StructureError(f"{what}: expected {wanted}, got {shown(given)}")
    if not np.all(np.isfinite(array)):
        first = array[~np.isfinite(array)].flat[0]
        raise StructureError(f"{what}: expected finite numbers, got {first} among them")
    return array.astype(float, copy=False)


def _read(m: Mechanism, name: str, text: str, nominal: Quantity) -> float:
    """The number in SI of a text, which must fit the parameter."""
    try:
        own = parse(text, quantities(m), allow=())
        value = float(own.value)
    except ExpressionError as error:
        raise StructureError(f"parameters: {name!r}: {error}") from error
    have, want = own.dimension, nominal.dimension
    if have is not None and want is not None and not have.fits(want):
        raise StructureError(
            f"parameters: {name!r} is {described(want)}, got {text!r:.60} ({described(have)})"
        )
    if have is not None and want is None:  # a bare number: the fields that use it know its kind
        redimension(m, **{name: text})
    return value


def quantities(m: Mechanism) -> dict[str, Quantity]:
    """The parameters of a mechanism with their dimensions, by name."""
    return kept(m, "parameters", lambda: resolved(dict(m.parameters)).names)
