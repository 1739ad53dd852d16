"""The minimal parameters that the forces of a motion depend on, and their matrix.

    tau = Y(q, v, a) beta                                                                     (1)

What cannot be felt in any motion is left out, and what can only be felt together is one parameter:
so many can be base from measured motions, by least squares over (1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Tabled, as_data, columns, records
from ..door import public
from ..dynamics import regressor as formulas
from ..dynamics.identifiable import Identifiable
from ..dynamics.multipliers import refuse_idle
from ..dynamics.regressor import Parameter, heavy, parameters_of, values_of
from ..dynamics.regrouping import Grouping
from ..errors import StructureError
from ..expr.canonical import Canonical
from ..expr.formula import Formula, Names, Symbol, collected
from ..expr.waves import symbol
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.system import System, any_system
from .equations import own_parameters, sizes_by_symbol
from .grouping_laws import identifiable_in, laws_of
from .loops import refuse_broken, refuse_undriven
from .options import gravity_key
from .symbol_names import defined
from .systems import under
from .verb import Given, verb
from .written import Line, Written, of


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
        base = identifiable_in(system.in_numbers, gravity_key(gravity), friction)
        whole = tuple(base.parameters[k] for k in base.kept if base.parameters[k] in whole)
    return formulas.regressor(under(system, gravity), q, v, a, whole)


class BaseParameter(NamedTuple):
    """One parameter that can be told from forces: its name, what it is made of, its value."""

    name: str
    """That of the parameter that gives it its place, such as `Izz_forearm`."""
    formula: Formula
    """What else is felt together with it: `Izz_upper + m_fore l^2`."""
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)


@dataclass(frozen=True, eq=False)
class BaseParameters(Written, Tabled):
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
    unidentifiable: tuple[str, ...]
    """Standard parameters that no force depends on."""
    definitions: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each parameter."""
        return records(self.parameters)

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
        never = [f"unidentifiable: {', '.join(self.unidentifiable)}"] if self.unidentifiable else []
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
    base = identifiable_in(system.m, key, friction)
    sizes = sizes_by_symbol(m, shadow)
    laws, notes = laws_of(m, base, shadow, sizes, (key, friction))
    return _written(system, base, laws, _names(base, shadow, laws), notes)


def _names(base: Identifiable, shadow: System, laws: Grouping) -> Names:
    """Standard parameters as they are called, then sizes."""
    own = {each.name: Symbol(each.name) for each in base.parameters}
    sizes = {f"p[{i}]": Symbol(name) for i, name in enumerate(shadow.parameters)}
    letter = Names({**own, **sizes}).letter("k", "c", "d", "e")
    named = {x.name: Symbol(f"{letter}_{i}") for i, x in enumerate(laws.definitions, 1)}
    return Names({**own, **sizes, **named})


def _written(
    system: System, base: Identifiable, laws: Grouping, names: Names, notes: tuple[str, ...]
) -> BaseParameters:
    """The parameters of bodies that have mass, with the terms of such bodies."""
    light = {body.name for body in system.m.bodies if not heavy(body)}
    whole = [k for k, x in enumerate(base.parameters) if not _of(x, light)]
    place = {k: i for i, k in enumerate(whole)}
    own = [k for k in base.kept if k in place]
    gone = [d for d in base.dependent if d in place]
    values = values_of(system.m, tuple(base.parameters[k] for k in whole)).astype(float)
    C = laws.matrix(base)
    C = C if system.ties else base.refined(C)  # closed positions are not as exact as formulas
    K = np.zeros((len(own), len(whole)))
    parts = []
    for i, k in enumerate(own):
        K[i, place[k]], total = 1.0, symbol(base.parameters[k].name)
        for d in gone:
            K[i, place[d]] = C[base.kept.index(k), base.dependent.index(d)]
            if k in laws.coefficients[d]:
                total = total + laws.coefficients[d][k] * symbol(base.parameters[d].name)
        name = base.parameters[k].name
        parts.append(BaseParameter(name, collected(total, names), float(K[i] @ values)))
    unidentifiable = [base.parameters[d].name for d in gone if not np.any(K[:, place[d]])]
    lines = defined(Canonical([], laws.definitions), names)
    standard = tuple(base.parameters[k].name for k in whole)
    return BaseParameters(
        system.m.name, tuple(parts), standard, values, K, tuple(unidentifiable), lines, notes
    )


def _of(x: Parameter, bodies: set[str]) -> bool:
    return x.symbol in formulas.MOMENTS and x.owner in bodies
