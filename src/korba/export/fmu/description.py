"""modelDescription.xml of FMI 3.0: the variables of a unit, and what who runs it has to know.

Columns have the names that they have in a `Trajectory`: A, v_A, a_A; forces in the joints are
tau_A, rates of coordinates der(A), points body.point.x; a drive whose motion is an input has three
numbers, motor, v_motor and a_motor. The reference of a variable is its place: time, states, rates
of states, forces, sizes, motions of drives, points.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from xml.etree import ElementTree as Xml

from ...errors import ExpressionError
from ...expr.units import si_unit
from ...expr.units import unit as unit_read
from ...forces.loads import own_units
from ...trajectory.columns import units_of
from ...verbs.designs import quantities
from .unit import Unit

OUTPUT, LOCAL, INPUT, PARAMETER = "output", "local", "input", "parameter"
BASE_UNITS = frozenset(("kg", "m", "s", "A", "K", "mol", "cd", "rad"))
EXACT, APPROXIMATE = "exact", "approx"
SKILLS = (
    *("canGetAndSetFMUState", "canSerializeFMUState"),
    *("providesDirectionalDerivatives", "providesAdjointDerivatives"),
)
SECOND = "#"
"""Between a name that is there already and its number."""


@dataclass(frozen=True)
class Variable:
    """One number of a unit."""

    name: str
    causality: str
    unit: str = ""
    start: float | None = None
    initial: str = ""
    variability: str = "continuous"
    of: int | None = None
    """Of a rate: the reference of its state."""
    nominal: float = 1.0
    about: str = ""


def variables_of(unit: Unit) -> list[Variable]:
    """All variables; the place of each is its reference."""
    states = list(_states(unit))
    rates = list(_rates(unit, [each.name for each in states]))
    tree, sizes = unit.plant.tree, quantities(unit.m)
    free = [tree.velocities[i] for i in tree.free_v]
    forces = [
        Variable(f"tau_{name}", INPUT, each, 0.0, about=f"force or moment along {name}")
        for name, each in zip(free, units_of(tree, "tau"), strict=True)
    ]
    fixed = "fixed" if unit.plant.constrained else "tunable"
    parameters = [
        Variable(name, PARAMETER, si_unit(sizes[name].dimension), value, EXACT, fixed)
        for name, value in zip(unit.sizes, unit.u[len(forces) :], strict=False)
    ]
    parameters += [Variable(x.name, INPUT, x.unit, x.start) for x in unit.driven.inputs]
    points = [
        Variable(f"{body}.{point}.{axis}", OUTPUT, "m", about=f"{axis} of point {point} of {body}")
        for body, point in unit.points
        for axis in unit.axes
    ]
    time = Variable("time", "independent", "s")
    return _named_apart([time, *states, *rates, *forces, *parameters, *points])


def _states(unit: Unit) -> Iterator[Variable]:
    """Coordinates, velocities, states of loads; those that do not lead are guesses."""
    tree, y = unit.plant.tree, iter(unit.y)
    lead = {tree.free_v[j] for j in unit.held}
    scale = {"length": unit.length}
    for i, each, kind in zip(tree.free_q, units_of(tree, "q"), tree.coordinate_kinds, strict=True):
        name, size = tree.coordinates[i], scale.get(kind, 1.0)
        exact = not unit.plant.constrained or tree.rates.get(name) in lead
        yield _state(name, each, next(y), exact, nominal=size, about=f"coordinate {name}")
    for i, each, kind in zip(tree.free_v, units_of(tree, "v"), tree.velocity_kinds, strict=True):
        name, size = tree.velocities[i], scale.get(kind, 1.0)
        yield _state(f"v_{name}", each, next(y), i in lead, nominal=size, about=f"velocity {name}")
    for name, each in zip(unit.plant.own_states, own_units(tree), strict=True):
        yield _state(name, each, next(y), True, nominal=1.0, about=f"state {name}")


def _state(
    name: str, unit: str, start: float, exact: bool, *, nominal: float, about: str
) -> Variable:
    initial = EXACT if exact else APPROXIMATE
    return Variable(name, OUTPUT, unit, start, initial, nominal=nominal, about=about)


def _rates(unit: Unit, states: Sequence[str]) -> Iterator[Variable]:
    """Rates of the states; those of velocities are the accelerations, which are outputs."""
    tree, first = unit.plant.tree, unit.shape.first
    rate_units = [*(f"{each}/s" for each in units_of(tree, "q")), *units_of(tree, "a")]
    rate_units += [f"{each}/s" if each else "" for each in own_units(tree)]
    for k, (name, each) in enumerate(zip(states, rate_units, strict=True)):
        accelerates = first <= k < first + tree.nv
        own = f"a_{name.removeprefix('v_')}" if accelerates else f"der({name})"
        yield Variable(own, OUTPUT if accelerates else LOCAL, each, of=1 + k)


def _named_apart(variables: list[Variable]) -> list[Variable]:
    """Names that are there once: a second one has a number behind it."""
    known: dict[str, int] = {}
    apart = []
    for each in variables:
        count = known[each.name] = known.get(each.name, 0) + 1
        name = each.name if count == 1 else f"{each.name}{SECOND}{count}"
        apart.append(each if count == 1 else replace(each, name=name))
    return apart


def powers_of(name: str) -> dict[str, str] | None:
    """The powers of base units of a unit; None of what FMI has no base units for."""
    if name in {"1", ""}:
        return {}
    try:
        powers = unit_read(name.replace(" ", "*"))[1].powers
    except ExpressionError:
        return None
    whole = all(base in BASE_UNITS and power.denominator == 1 for base, power in powers)
    return {base: str(power) for base, power in powers} if whole else None


def description(unit: Unit, variables: Sequence[Variable], identifier: str, token: str) -> str:
    """The file."""
    root = Xml.Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=unit.m.name or "mechanism",
        instantiationToken=token,
        generationTool=f"Korba {version('korba')}",
    )
    able = {"modelIdentifier": identifier} | dict.fromkeys(SKILLS, "true")
    steps = {"needsCompletedIntegratorStep": str(unit.settles).lower()}
    Xml.SubElement(root, "ModelExchange", able | steps)
    steps = {"canHandleVariableCommunicationStepSize": "true", "maxOutputDerivativeOrder": "1"}
    Xml.SubElement(root, "CoSimulation", able | steps)
    known = defined_units(root, variables)
    Xml.SubElement(root, "DefaultExperiment", startTime=repr(unit.start), tolerance="1e-08")
    listed = Xml.SubElement(root, "ModelVariables")
    for reference, each in enumerate(variables):
        whole = what_it_is(reference, each) | numbers_of(each, known)
        whole |= {"derivative": str(each.of)} if each.of is not None else {}
        Xml.SubElement(listed, "Float64", whole)
    _structure(root, variables)
    return text_of(root)


def text_of(root: Xml.Element) -> str:
    """A file of XML."""
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def defined_units(root: Xml.Element, variables: Sequence[Variable]) -> set[str]:
    """Write the units of the variables that FMI has base units for; their names."""
    units = {each.unit: powers_of(each.unit) for each in variables if each.unit}
    defined = Xml.SubElement(root, "UnitDefinitions")
    for name, powers in units.items():
        if powers is not None:
            Xml.SubElement(Xml.SubElement(defined, "Unit", name=name), "BaseUnit", powers)
    return {name for name, powers in units.items() if powers is not None}


def what_it_is(reference: int, each: Variable) -> dict[str, str]:
    """Name, reference and kind of a variable."""
    own = {"name": each.name, "valueReference": str(reference), "causality": each.causality}
    own["variability"] = each.variability
    own |= {"initial": each.initial} if each.initial else {}
    return own | ({"description": each.about} if each.about else {})


def numbers_of(each: Variable, known: Container[str]) -> dict[str, str]:
    """Unit, nominal value and start of a variable."""
    own = {"unit": each.unit} if each.unit in known else {}
    own |= {"nominal": repr(float(each.nominal))} if each.nominal != 1.0 else {}
    return own | ({"start": repr(float(each.start))} if each.start is not None else {})


def unknowns(variables: Sequence[Variable]) -> dict[str, list[int]]:
    """References of outputs, of rates of states, and of what is computed at the start."""
    listed = list(enumerate(variables))
    computed = [
        k for k, each in listed if each.causality in (OUTPUT, LOCAL) and each.initial != EXACT
    ]
    return {
        "Output": [k for k, each in listed if each.causality == OUTPUT],
        "ContinuousStateDerivative": [k for k, each in listed if each.of is not None],
        "InitialUnknown": computed,
    }


def _structure(root: Xml.Element, variables: Sequence[Variable]) -> None:
    structure = Xml.SubElement(root, "ModelStructure")
    for kind, references in unknowns(variables).items():
        for reference in references:
            Xml.SubElement(structure, kind, valueReference=str(reference))
