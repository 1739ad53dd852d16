"""The page that lists every joint, drive and force: symbol, what it is, what it leaves free."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from element_pictures import joint_picture, load_picture

from korba.display import Drawing
from korba.files.schema import Section
from korba.model.body import Body
from korba.model.fields import specs_of
from korba.model.joint import Joint
from korba.model.mechanism import Mechanism
from korba.show.drawings.draw import draw, scene
from korba.show.schemes.scheme import scheme

INTRODUCTION = """# Joints, drives and forces

What a mechanism is made of besides its bodies. Each name leads to a page with its places and
signs, a file of six lines to start from, and all its fields. `type` in a file is the name here.

* Every joint may have limits, damping, dry friction, a rotor behind a gear and elasticity: the
  fields at the end of each page.
* It does not matter which joint closes a loop; all are written alike.
* Gears on fixed shafts, belts and mimic joints are shorter as couplings: see
  [the model](../model.md).
"""
SAID = {
    "joints": "A symbol is what [`kb.draw`](../pictures.md) draws where the parent is the ground.",
    "drives": "A drive gives a motion in time; what it takes is an answer (`kb.reactions`).",
    "forces": "A force is given; the motion is an answer (`kb.simulate`).",
}
PLACES = {
    (True, True): "In the plane and in space",
    (True, False): "In the plane",
    (False, True): "In space",
}
UNSEEN = {"fixed": "drawn as one body", "free": "nothing to draw"}
"""Joints without a symbol."""
PAPER = "<rect class='page' width='100%' height='100%'/>"
"""The ground of a drawing; a symbol stands on the page itself."""
SIZE = r"(width='([\d.]+)' height='([\d.]+)' viewBox='[^']*')"
BARE = 160
"""Height of a drawing in which there is nothing but a symbol, in its middle."""


def index(sections: Iterable[Section], samples: dict[str, Joint]) -> str:
    """The page; of each joint a sample, by the name of its page."""
    parts = [INTRODUCTION]
    for section in sections:
        parts += [f"## {section.attribute.capitalize()}", SAID[section.attribute]]
        if section.key == "joint":
            for place, title in PLACES.items():
                rows = _joints(section, samples, place)
                parts += [f"### {title}", _table("leaves free", rows)]
        else:
            kinds = section.types.items()
            rows = (_row(section, kind, ", ".join(_given(cls))) for kind, cls in kinds)
            parts.append(_table("is given", rows))
        pages = [f"{section.key}-{kind}" for kind in section.types]
        parts.append("\n".join(["```{toctree}", ":hidden:", "", *pages, "```"]))
    return "\n\n".join(parts) + "\n"


def _table(last: str, rows: Iterator[str]) -> str:
    return "\n".join([f"| | what it is | {last} |", "|---|---|---|", *rows])


def _joints(section: Section, samples: dict[str, Joint], place: tuple[bool, bool]) -> Iterator[str]:
    simple_first = sorted(section.types.items(), key=lambda pair: samples[f"joint-{pair[0]}"].nv)
    for kind, cls in simple_first:
        if (cls.planar, cls.spatial) == place:
            joint = samples[f"joint-{kind}"]
            names, count = ", ".join(f"`{name}`" for name in freedoms(joint)), joint.nv
            yield _row(section, kind, f"{count}: {names}" if count else "nothing")


def freedoms(joint: Joint) -> tuple[str, ...]:
    """Names of what a joint leaves free: coordinates, or velocities where there are fewer."""
    return joint.coordinate_names if joint.rates_are_velocities else joint.velocity_names


def _given(cls: Any) -> Iterator[str]:
    """Fields of a load or drive that say what it does."""
    places = {"name", *cls.bodies, *cls.joints, *(at for _, at in cls.places)}
    yield from (f"`{key}`" for key in specs_of(cls) if key not in places)


def _row(section: Section, kind: str, last: str) -> str:
    cls = section.types[kind]
    name = f"{section.key}-{kind}"
    symbol = UNSEEN.get(kind) if section.key == "joint" else None
    first = symbol or f"![{kind} {section.key}]({name}-symbol.svg)"
    said = re.split(r"(?<=\.)\s", " ".join((cls.__doc__ or "").split()))[0]
    return f"| [`{kind}`]({name}.md)<br>{first} | {said.replace('|', chr(92) + '|')} | {last} |"


def symbol(section: Section, kind: str, joint: Joint | None = None) -> Drawing | None:
    """A small picture: of a joint in the symbols of drawings, of others their mark on an arm."""
    if joint is not None and kind in UNSEEN:
        return None
    if joint is None:
        return _framed(str(load_picture(kind, section.key)), (200, 162))
    if joint.between_points:
        return _framed(str(joint_picture(joint.in_space(joint.planar))), (200, 100))
    plane = "xy" if joint.planar else None
    joint = (
        replace(joint, axis=(1, 0))
        if plane and joint.drawn_axes[0] is None and joint.axis_in_plane
        else joint
    )
    m = Mechanism(kind, [Body(joint.child)], [joint], plane=plane)
    if not joint.turns_only:
        return _framed(str(draw(m, names=False)), (130, 96))
    shown = scene(m)  # a pin alone, not the wheel that a body without a shape is drawn as
    pin = tuple(mark for mark in shown.marks if mark.kind in ("pin", "base"))
    return _framed(str(scheme(replace(shown, marks=pin), names=False)), (130, 96))


def _framed(picture: str, small: tuple[int, int]) -> Drawing:
    """A picture made small: its middle if it is nothing but a symbol there, else all of it."""
    (size, wide, high), *_ = re.findall(SIZE, picture)
    w, h = small
    box = (0.0, 0.0, float(wide), float(high))
    if float(high) == BARE:
        box = ((float(wide) - w) / 2, (float(high) - h) / 2, w, h)
    framed = f"width='{w}' height='{h}' viewBox='{' '.join(f'{x:g}' for x in box)}'"
    return Drawing(picture.replace(size, framed, 1).replace(PAPER, "", 1))
