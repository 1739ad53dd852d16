"""A page on every joint, drive and force, written from the fields of the model.

A page has the first lines of the docstring, a picture, where `at` and `x_axis` are, the coordinates
and their signs, a file of six lines that loads, and a table of the fields with their own texts. A
new kind gets its page by itself; `tests/show/test_element_pages.py` asks each for all of this.
"""

import dataclasses
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from element_index import index, symbol
from element_pictures import joint_picture, load_picture

from korba.files.schema import SECTIONS, Section
from korba.files.toml_file import loads
from korba.model.body import GROUND
from korba.model.curve import LawOrCurve
from korba.model.fields import Invalid, default_of, doc_of, specs_of
from korba.model.joint import Joint
from korba.model.specs import Law, Laws, Matrix6, Number, Numbers, Part, Text, Vector

if TYPE_CHECKING:
    from sphinx.application import Sphinx

KINDS = ("joint", "drive", "force")
FOLDER = "elements"
UNITS = {"length": "'100 mm'", "angle": "'20 deg'", "number": "1", "force": "'10 N'"}
UNITS |= {"moment": "'2 N*m'", "voltage": "'12 V'", "resistance": "'0.5 ohm'"}
UNITS |= {"damping": "'20 N*s/m'"}
UNITS |= {"torque constant": "'0.05 N*m/A'", "stiffness": "'2 kN/m'"}
AT = """`at` is a point of the joint in the drawing, in world coordinates. The joint's frame has its
origin there, z along `axis` and x along `x_axis` (both have sensible defaults). `drawn` gives the
coordinates that the joint has in the drawing; without it they are {rest}.

In the picture the parent is grey and the child blue as it is drawn; dashed, it has made a positive
step of the freedom that is named."""
ON_BODIES = "Points are in the frame of the body that they belong to."


def setup(app: "Sphinx") -> dict[str, Any]:
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True}


def write_pages(folder: Path) -> None:
    """All pages and pictures; a file that is right already is left alone."""
    folder.mkdir(exist_ok=True)
    sections = sorted((s for s in SECTIONS if s.key in KINDS), key=lambda s: KINDS.index(s.key))
    samples = {f"joint-{kind}": sample(sections[0], kind) for kind in sections[0].types}
    for section in sections:
        for kind in section.types:
            name = f"{section.key}-{kind}"
            _write(folder / f"{name}.svg", str(picture(section, kind)))
            if (small := symbol(section, kind, samples.get(name))) is not None:
                _write(folder / f"{name}-symbol.svg", str(small))
            _write(folder / f"{name}.md", page(section, kind))
    _write(folder / "index.md", index(sections, samples))


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def page(section: Section, kind: str) -> str:
    """The page on one kind."""
    cls = section.types[kind]
    name = f"{section.key}-{kind}"
    parts = [
        f"# `{kind}` {section.key}",
        _words(cls),
        f"![{kind} {section.key}]({name}.svg)",
        _places(cls, section),
        "A file to start from:",
        f"```toml\n{example(section, kind)}```",
        f"In Python it is `kb.{cls.__name__}`. Its fields:",
        _fields(cls),
        *(_of_part(part, paths) for part, paths in parts_of(cls).items()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _words(cls: type) -> str:
    """The docstring, and that of what it shares with its like."""
    own = [base for base in cls.__mro__ if base.__module__ == cls.__module__]
    return "\n\n".join(inspect.cleandoc(base.__doc__ or "") for base in own[:2])


def _places(cls: Any, section: Section) -> str:
    if section.key != "joint":
        return ON_BODIES
    (joint,) = loads(example(section, cls.type)).joints
    rest = _listed(joint.drawn_coordinates) or "none"
    rows = [
        f"| `{name}` | {kind}{' (in space)' if len(kinds) > 1 and own is cls else ''} |"
        for kinds in [dict.fromkeys((type(joint), cls))]
        for own in kinds
        for name, kind in zip(own.coordinate_names, own.coordinate_kinds, strict=True)
    ]
    table = ["", "| coordinate | is |", "|---|---|", *rows] if rows else []
    return "\n".join([AT.format(rest=rest), *table])


def _listed(values: Any) -> str:
    return ", ".join(f"{float(x):g}" for x in values)


def parts_of(cls: Any, before: str = "") -> dict[Any, list[str]]:
    """Tables inside an element, such as friction: their classes, and the fields that have them."""
    parts: dict[Any, list[str]] = {}
    for key, spec in specs_of(cls).items():
        if isinstance(spec, Part):
            inside = {spec.cls: [before + key], **parts_of(spec.cls, f"{before}{key}.")}
            for own, paths in inside.items():
                parts.setdefault(own, []).extend(paths)
    return parts


def _of_part(cls: Any, paths: list[str]) -> str:
    """The fields of a table inside an element."""
    told = ", ".join(f"`{path}`" for path in paths)
    return f"{told}: a table, in Python `kb.{cls.__name__}`, with the fields:\n\n{_fields(cls)}"


def _fields(cls: Any) -> str:
    rows = ["| field | what it is | without it |", "|---|---|---|"]
    for key in specs_of(cls):
        default = default_of(cls, key)
        must = default is dataclasses.MISSING or isinstance(default, Invalid)
        told = "must be given" if must else _default(default)
        rows.append(f"| `{key}` | {doc_of(cls, key)} | {told} |")
    return "\n".join(rows)


def _default(value: Any) -> str:
    if value is None or value == () or hasattr(value, "op"):
        return ""
    return f"`{value}`" if isinstance(value, str | float | bool | int) else ""


def picture(section: Section, kind: str):
    """The picture of one kind."""
    if section.key == "joint":
        return joint_picture(sample(section, kind).in_space(section.types[kind].planar))
    return load_picture(kind, section.key)


def sample(section: Section, kind: str) -> Joint:
    """A joint with sizes that look well in a picture."""
    cls = section.types[kind]
    sizes = iter((0.5, 0.3, 0.2, 0.1))
    more = {key: _pictured(spec, sizes) for key, spec in _wanted(cls).items()}
    return cls("J", "ground", "body", at=(0, 0), **more | PICTURED.get(kind, {}))


def _pictured(spec: Any, sizes: Any) -> Any:
    size = next(sizes)
    if isinstance(spec, Vector):
        return (size, -0.3 * size, 0.0)
    return f"{size} + {size / 5}*cos({spec.variable})" if isinstance(spec, LawOrCurve) else size


INSTEAD = {"length", "profile_x", "profile_y", "lift", "swing", "base", "distance", "arm"}
"""Fields of joints that others may stand for, or that go with those."""
PICTURED: dict[str, dict[str, Any]] = {
    "screw": {"lead": 2.0},
    "cam-roller": {"radius": 0.12},
    "cam-flat": {"drawn": (1.6, 0)},
}
PICTURED["curved-slot"] = {"x": "s", "y": "0.3*sin(3*s)", "radius": 0.07, "lower": (-1, -9)}
PICTURED["curved-slot"] |= {"upper": (1, 9)}
"""Sizes of joints in pictures that look better than those they would get."""


def _wanted(cls: Any) -> dict[str, Any]:
    """Fields of its own that a joint must be given."""
    specs = specs_of(cls)
    own = (key for key in specs if key not in specs_of(Joint) and key not in INSTEAD)
    return {key: specs[key] for key in own if _must(default_of(cls, key))}


def _must(default: Any) -> bool:
    return default in (None, dataclasses.MISSING) or isinstance(default, Invalid)


def example(section: Section, kind: str) -> str:
    """A file of six lines with one element of the kind."""
    cls = section.types[kind]
    planar = getattr(cls, "planar", True)
    lines = ["korba = 1", f'name = "{kind} {section.key}"']
    lines.append('plane = "xy"' if planar else 'description = "in space"')
    lines.append('body = [{ name = "arm", mass = "1 kg", inertia = [0.1, 0.1, 0.1] }]')
    joint = {
        "name": '"A"',
        "type": '"revolute"',
        "parent": '"ground"',
        "child": '"arm"',
        "at": "[0, 0]",
    }
    if section.key == "joint":
        joint = {"name": '"A"', "type": f'"{kind}"', "parent": '"ground"', "child": '"arm"'}
        joint |= {"at": "[0, 0]"} if cls.needs_place else {}
        joint |= {"axis": "[1, 0]"} if planar and cls.axis_in_plane and kind != "rod" else {}
        joint |= _needed(cls, joint)
        lines.append("gravity = [0, -9.81, 0]")
    lines.append(f"joint = [{_inline(joint)}]")
    if section.key != "joint":
        table = {"name": '"it"', "type": f'"{kind}"'}
        lines.append(f"{section.key} = [{_inline(table | _needed(cls, table))}]")
    return "\n".join(lines) + "\n"


def _inline(table: dict[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in table.items()) + " }"


def _needed(cls: Any, given: dict[str, str]) -> dict[str, str]:
    """Values for fields that must be given, each of the kind that its spec says."""
    bodies = iter(("arm", "ground"))
    if issubclass(cls, Joint):
        return {key: _value(cls, key, spec, bodies) for key, spec in _wanted(cls).items()}
    first = getattr(cls, "motions", ())[:1]
    values: dict[str, str] = {}
    for key, spec in specs_of(cls).items():
        own = default_of(cls, key)
        must = own is dataclasses.MISSING or isinstance(own, Invalid) or isinstance(spec, Matrix6)
        wanted = (must or key in (*first, *cls.bodies)) and own != GROUND
        if key not in given and (wanted or key.startswith("at")):
            values[key] = _value(cls, key, spec, bodies)
    return values


def _value(cls: Any, key: str, spec: Any, bodies: Any) -> str:
    """A value that a spec accepts."""
    if isinstance(spec, Text):
        return '"A"' if key in getattr(cls, "joints", ()) else f'"{next(bodies)}"'
    if isinstance(spec, LawOrCurve):
        if (spec.variable, key) == ("s", "x"):
            return '"s"'
        if spec.variable != "t":
            return f'"20 mm + 4 mm*cos({spec.variable})"'
        kind = spec.kind if isinstance(spec.kind, str) else spec.kind[0]
        law = {"length": "300 mm + 20 mm*sin(t)", "angle": "30 deg + 60 rpm*t", "voltage": "12 V"}
        return f'"{law[kind]}"'
    if isinstance(spec, Law):
        return '"2*(1 - A) - v_A"'
    if isinstance(spec, Laws):
        return '[0, 0, "2 N*m"]' if spec.kind == "moment" else '["10 N", 0]'
    if isinstance(spec, Matrix6):
        return "[0, 0, 5, 2000, 2000, 0]"
    if isinstance(spec, Vector):
        return '["300 mm", 0]' if key in ("at", "at_a") else '[0, "400 mm"]'
    if isinstance(spec, Number | Numbers):
        kind = spec.kind if isinstance(spec.kind, str) else spec.kind[0]
        return UNITS.get(kind, "1").replace("'", '"')
    raise NotImplementedError(f"teach element_pages.py a value for {key} ({type(spec).__name__})")


def loaded(section: Section, kind: str):
    """The mechanism of the file on a page."""
    return loads(example(section, kind), source=f"{kind} {section.key}")
