"""The minimal parameters that the forces of a motion depend on, and their matrix.

    tau = Y(q, v, a) beta                                                                     (1)

What cannot be felt in any motion is left out, and what can only be felt together is one parameter:
so many can be identified from measured motions, by least squares over (1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import columns
from ..door import public
from ..dynamics import regressor as formulas
from ..dynamics.multipliers import refuse_idle
from ..dynamics.regressor import Parameter, heavy, parameters_of, values_of
from ..dynamics.regrouping import Grouping, grouping, recognised
from ..dynamics.unfelt import Felt, felt_by
from ..errors import KorbaError, StructureError
from ..expr.canonical import Canonical
from ..expr.formula import Formula, Names, Symbol, collected
from ..expr.waves import Waves, number, symbol
from ..files.toml_file import redimension
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.system import System
from .equations import own_parameters, sizes_by_symbol
from .loops import refuse_broken, refuse_undriven
from .options import gravity_key
from .store import kept
from .symbol_names import defined
from .systems import any_system, gravity_system, under
from .verb import Given, verb
from .written import Line, Written, of

STRETCH = 1.1
"""By which a size is changed to see how a coefficient depends on it."""
AGREES = 1e-7
"""Part of a column by which formulas may miss it at other sizes."""


def _fitting(m: Mechanism, Y: Array, given: Given) -> Array:
    """The matrix, if the motion is one that the loops allow."""
    if any_system(m).ties:
        refuse_broken("regressor", m, given)
    return Y


def _refuse(system: System) -> None:
    """An error where there is nothing to be felt, or a freedom that moves nothing else."""
    if not parameters_of(system.in_numbers):
        raise StructureError(
            f"mechanism {system.m.name!r}: no body has mass or inertia, so no force depends on it; "
            "give the bodies mass"
        )
    if system.ties:
        refuse_idle(system, mobility(system.in_numbers))


def _refuse_undriven(system: System) -> None:
    _refuse(system)
    refuse_undriven(system)


def _yes_or_no(_: Mechanism, given: Any, __: Mapping[str, Any]) -> bool:
    return bool(given)


@verb(
    closed=True,
    refuse=_refuse_undriven,
    unpack=_fitting,
    checks={"friction": _yes_or_no, "standard": _yes_or_no},
)
def regressor(
    system: System,
    q: Any,
    v: Any,
    a: Any,
    *,
    gravity: Any = None,
    friction: bool = False,
    standard: bool = False,
) -> Array:
    """Y(q, v, a), shape (..., nv, parameters): tau = Y beta is inverse dynamics without loads.

    The columns are those of `kb.base_parameters`, whose options are the same; with standard=True
    those of all `.standard` parameters: mass, first moments and inertia of every body. With loops
    tau are the efforts of the drives.

        >>> from math import isclose
        >>> rod = kb.Body("rod", 2.0, (0.5, 0), 0.1)
        >>> pin = kb.Revolute("A", "ground", "rod", at=(0, 0))
        >>> m = kb.Mechanism("pendulum", [rod], [pin], plane="xy")
        >>> Y = kb.regressor(m, [0.0], [0.0], [3.0])
        >>> isclose(Y[0] @ kb.base_parameters(m).values, (0.1 + 2 * 0.25) * 3 + 2 * 9.81 * 0.5)
        True
    """
    whole = parameters_of(system.in_numbers, friction=friction)
    if not standard:
        felt = _felt(system.in_numbers, gravity_key(gravity), friction)
        whole = tuple(felt.parameters[k] for k in felt.kept if felt.parameters[k] in whole)
    return formulas.regressor(under(system, gravity), q, v, a, whole)


def _felt(m: Mechanism, gravity: Any, friction: bool) -> Felt:
    """What motions of a mechanism, rotors written out, feel; of massless bodies too."""

    def made() -> Felt:
        system = gravity_system(m, gravity)
        return felt_by(system, parameters_of(system.m, friction=friction, massless=True))

    return kept(m, ("felt", gravity, friction), made)


class BaseParameter(NamedTuple):
    """One parameter that can be told from forces: its name, what it is made of, its value."""

    name: str
    """That of the parameter that gives it its place, such as `Izz_forearm`."""
    formula: Formula
    """What else is felt together with it: `Izz_upper + m_fore l^2`."""
    value: float


@dataclass(frozen=True, eq=False)
class BaseParameters(Written):
    """The minimal parameters of a mechanism, beta = K p, in the order of the regressor's columns.

    p are the standard ones: of every body b its mass `m_b`, mass times centre `mx_b`, `my_b`,
    `mz_b`, and its inertia `Ixx_b`, ... about the origin and in the axes of its own frame; of every
    joint j its viscous damping `b_j` and dry friction `c_j`.
    """

    name: str
    parameters: tuple[BaseParameter, ...]
    standard: tuple[str, ...]
    """Names of the standard parameters."""
    standard_values: Array
    matrix: Array
    """K, (parameters, standard)."""
    unfelt: tuple[str, ...]
    """Standard parameters that no force depends on."""
    definitions: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names, in the order of the regressor's columns."""
        return tuple(each.name for each in self.parameters)

    @property
    def values(self) -> Array:
        """Values of this mechanism: Y @ values is inverse dynamics."""
        return np.array([each.value for each in self.parameters])

    def __len__(self) -> int:
        return len(self.parameters)

    @property
    def sections(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """A line for each parameter, and what they name."""
        lines = tuple(
            Line(Symbol(f"beta_{i}"), each.formula) for i, each in enumerate(self.parameters, 1)
        )
        whole = ((self._title, lines), ("with", self.definitions))
        return tuple(section for section in whole if section[1])

    @property
    def _title(self) -> str:
        return f"{len(self)} base parameters{of(self.name)} (of {len(self.standard)})"

    def __str__(self) -> str:
        """Formulas and values."""
        from ..codegen.targets.formula.text import text

        rows = [("parameter", "is felt as", "value")]
        rows += [(x.name, text(x.formula), f"{x.value:.6g}") for x in self.parameters]
        rest = [f"with {text(left)} = {text(right)}" for left, right in self.definitions]
        never = [f"not felt: {', '.join(self.unfelt)}"] if self.unfelt else []
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([self._title, *columns(rows), *rest, *never, *notes])

    def sympy(self) -> dict[str, Any]:
        """Formulas for SymPy by the names of the parameters, definitions put in."""
        from ..codegen.targets.formula.sympy import sympy

        known = {sympy(x, frozenset()): sympy(y, frozenset()) for x, y in self.definitions}
        made = {each.name: sympy(each.formula, frozenset()) for each in self.parameters}
        return {name: formula.subs(known) for name, formula in made.items()}


@public
def base_parameters(
    m: Mechanism,
    *,
    gravity: Any = None,
    friction: bool = False,
    parameters: Sequence[str] | None = None,
) -> BaseParameters:
    """The minimal inertial parameters that inverse dynamics depends on: names, formulas, values.

    Formulas have the mechanism's own parameters for sizes (all, or those given), and the mass,
    first moments and inertia of each body about its own frame. With loops they hold for motions
    that the loops allow. `friction=True` adds viscous and dry friction of every joint; else only
    damping that the mechanism has is among them. Forces are linear in them:
    `kb.regressor(m, q, v, a) @ kb.base_parameters(m).values` is inverse dynamics without loads.

        >>> m = kb.loads('''
        ... plane = "xy"
        ... parameters = {l = 0.4}
        ... body = [{name = "upper", mass = 2, com = [0.2, 0], inertia = 0.03},
        ...   {name = "fore", mass = 1, com = [0.55, 0], inertia = 0.01}]
        ... joint = [
        ...   {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0]},
        ...   {name = "B", type = "revolute", parent = "upper", child = "fore", at = ["l", 0]}]
        ... ''')
        >>> base = kb.base_parameters(m)
        >>> base.names
        ('mx_upper', 'my_upper', 'Izz_upper', 'mx_fore', 'my_fore', 'Izz_fore')
        >>> print(base.text().splitlines()[3])
          β₃ = Izz_upper + m_fore l²
    """
    names = own_parameters(m) if parameters is None else tuple(parameters)
    system, shadow, key = any_system(m), any_system(m, names), gravity_key(gravity)
    _refuse(system)
    felt = _felt(system.m, key, friction)
    sizes = sizes_by_symbol(m, shadow)
    laws, notes = _laws(m, felt, shadow, sizes, (key, friction))
    return _written(system, felt, laws, _names(felt, shadow, laws), notes)


def _laws(
    m: Mechanism, felt: Felt, shadow: System, sizes: Mapping[str, float], asked: tuple[Any, bool]
) -> tuple[Grouping, tuple[str, ...]]:
    """Coefficients as formulas, held against the mechanism at other sizes."""
    system = any_system(m)
    laws = grouping(felt, system, shadow, sizes, lambda _, __, x: recognised(x))
    if not sizes or _holds(m, felt, laws, shadow, asked):
        return laws, ()
    if laws.by_numbers:
        powers = _Powers(m, felt, shadow, asked)
        other = grouping(felt, system, shadow, sizes, powers.formula)
        if _holds(m, felt, other, shadow, asked):
            return other, ()
    names = ", ".join(felt.parameters[k].name for k in laws.by_numbers)
    return laws, (f"numbers with {names} are those of these sizes and hold for no others",)


def _design(
    m: Mechanism, shadow: System, factors: Sequence[float], asked: tuple[Any, bool], felt: Felt
) -> tuple[dict[str, float], Felt | None]:
    """Other sizes, and what motions feel of that design; None where it cannot be made."""
    own = sizes_by_symbol(m, shadow)
    sizes = {name: x * f for (name, x), f in zip(own.items(), factors, strict=True)}
    try:
        other = redimension(m, **dict(zip(shadow.parameters, sizes.values(), strict=True)))
        known = _felt(any_system(other).m, *asked)
    except KorbaError:
        return sizes, None
    return sizes, known if known.kept == felt.kept else None


def _holds(
    m: Mechanism, felt: Felt, laws: Grouping, shadow: System, asked: tuple[Any, bool]
) -> bool:
    """Whether formulas hold at other sizes too; a design that cannot be made says nothing."""
    factors = 1.0 + 0.05 * np.random.default_rng(1).uniform(-1, 1, len(shadow.parameters))
    sizes, other = _design(m, shadow, factors.tolist(), asked, felt)
    if other is None:
        return not laws.by_numbers
    C, own = laws.matrix(felt, sizes), other.coefficients
    return bool(np.abs(C - own).max(initial=0.0) <= AGREES * max(1.0, np.abs(own).max(initial=0.0)))


class _Powers:
    """How numbers depend on sizes: as products of their powers, c p_1^n_1 p_2^n_2 ..."""

    def __init__(self, m: Mechanism, felt: Felt, shadow: System, asked: tuple[Any, bool]) -> None:
        self.felt, self.sizes = felt, sizes_by_symbol(m, shadow)
        self.stretched: dict[str, Array] = {}
        for i, name in enumerate(self.sizes):
            factors = [STRETCH if i == k else 1.0 for k in range(len(self.sizes))]
            other = _design(m, shadow, factors, asked, felt)[1]
            if other is not None:
                self.stretched[name] = other.coefficients

    def formula(self, k: int, d: int, x: float) -> Waves:
        """The number with which d goes into k, as a formula where it is such a product."""
        i, j = self.felt.kept.index(k), self.felt.dependent.index(d)
        rest, whole = x, number(1.0)
        for name, C in self.stretched.items():
            n = np.log(C[i, j] / x) / np.log(STRETCH) if C[i, j] * x > 0 else 0.0
            if round(n) and abs(n - round(n)) < 1e-6:
                whole = whole * symbol(name, round(n))
                rest /= self.sizes[name] ** round(n)
        return recognised(rest) * whole


def _names(felt: Felt, shadow: System, laws: Grouping) -> Names:
    """Standard parameters as they are called, then sizes."""
    own = {each.name: Symbol(each.name) for each in felt.parameters}
    sizes = {f"p[{i}]": Symbol(name) for i, name in enumerate(shadow.parameters)}
    letter = Names({**own, **sizes}).letter("k", "c", "d", "e")
    named = {x.name: Symbol(f"{letter}_{i}") for i, x in enumerate(laws.definitions, 1)}
    return Names({**own, **sizes, **named})


def _written(
    system: System, felt: Felt, laws: Grouping, names: Names, notes: tuple[str, ...]
) -> BaseParameters:
    """The parameters of bodies that have mass, with the terms of such bodies."""
    light = {body.name for body in system.m.bodies if not heavy(body)}
    whole = [k for k, x in enumerate(felt.parameters) if not _of(x, light)]
    place = {k: i for i, k in enumerate(whole)}
    own = [k for k in felt.kept if k in place]
    gone = [d for d in felt.dependent if d in place]
    values = values_of(system.m, tuple(felt.parameters[k] for k in whole)).astype(float)
    C = laws.matrix(felt)
    C = C if system.ties else felt.refined(C)  # closed positions are not as exact as formulas
    K = np.zeros((len(own), len(whole)))
    parts = []
    for i, k in enumerate(own):
        K[i, place[k]], total = 1.0, symbol(felt.parameters[k].name)
        for d in gone:
            K[i, place[d]] = C[felt.kept.index(k), felt.dependent.index(d)]
            if k in laws.coefficients[d]:
                total = total + laws.coefficients[d][k] * symbol(felt.parameters[d].name)
        name = felt.parameters[k].name
        parts.append(BaseParameter(name, collected(total, names), float(K[i] @ values)))
    unfelt = [felt.parameters[d].name for d in gone if not np.any(K[:, place[d]])]
    lines = defined(Canonical([], laws.definitions), names)
    standard = tuple(felt.parameters[k].name for k in whole)
    return BaseParameters(
        system.m.name, tuple(parts), standard, values, K, tuple(unfelt), lines, notes
    )


def _of(x: Parameter, bodies: set[str]) -> bool:
    return x.symbol in formulas.MOMENTS and x.owner in bodies
