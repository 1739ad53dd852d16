"""modelDescription.xml of FMI 2.0: the variables of 3.0 in the words of the older standard.

There a variable is an element with its kind of number inside, and the structure counts places from
one on instead of naming references.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from xml.etree import ElementTree as Xml

from .description import Variable, defined_units, numbers_of, text_of, unknowns, what_it_is
from .unit import Unit

SKILLS = ("canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative")
PARTS = {
    "Output": "Outputs",
    "ContinuousStateDerivative": "Derivatives",
    "InitialUnknown": "InitialUnknowns",
}
"""What 3.0 calls the unknowns, and the list that they have in 2.0."""


def description(
    unit: Unit, variables: Sequence[Variable], identifier: str, token: str, files: Sequence[str]
) -> str:
    """The file; `files` are the sources to compile."""
    root = Xml.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=unit.m.name or "mechanism",
        guid=token,
        generationTool=f"Korba {version('korba')}",
        numberOfEventIndicators="0",
    )
    able = {"modelIdentifier": identifier, "canNotUseMemoryManagementFunctions": "true"}
    able |= dict.fromkeys(SKILLS, "true")
    own = {
        "ModelExchange": {"completedIntegratorStepNotNeeded": str(not unit.settles).lower()},
        "CoSimulation": {
            "canHandleVariableCommunicationStepSize": "true",
            "maxOutputDerivativeOrder": "1",
        },
    }
    for kind, more in own.items():
        listed = Xml.SubElement(Xml.SubElement(root, kind, able | more), "SourceFiles")
        for name in files:
            Xml.SubElement(listed, "File", name=name)
    known = defined_units(root, variables)
    Xml.SubElement(root, "DefaultExperiment", startTime=repr(unit.start), tolerance="1e-08")
    listed = Xml.SubElement(root, "ModelVariables")
    for reference, each in enumerate(variables):
        one = Xml.SubElement(listed, "ScalarVariable", what_it_is(reference, each))
        rate = {"derivative": str(each.of + 1)} if each.of is not None else {}
        Xml.SubElement(one, "Real", numbers_of(each, known) | rate)
    structure = Xml.SubElement(root, "ModelStructure")
    for kind, references in unknowns(variables).items():
        part = Xml.SubElement(structure, PARTS[kind])
        for reference in references:
            Xml.SubElement(part, "Unknown", index=str(reference + 1))
    return text_of(root)
