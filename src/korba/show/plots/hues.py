"""Colours of lines: that of the link that they are about, as pictures of the mechanism have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...model.body import GROUND
from ...model.joint import coordinate_names, velocity_names
from ...model.mechanism import Mechanism
from ..schemes.paper import HUES
from .panels import Line

DASHES = ("solid", "dashed", "dotted")
"""Of lines about one link in one panel."""


def link_hues(m: Mechanism) -> dict[str, int]:
    """The number of a link's colour, for its own name and all that is told of its joint.

    A joint with its coordinates, their rates, its force and its drive is about its child, or about
    its parent where the child is the base.
    """
    number = {body.name: k % len(HUES) for k, body in enumerate(m.bodies)}
    hues = dict(number)
    for joint in m.joints:
        own = number[joint.parent if joint.child == GROUND else joint.child]
        rates = velocity_names(joint)
        names = (joint.name, *coordinate_names(joint), *(f"{x}_{n}" for x in "va" for n in rates))
        hues |= dict.fromkeys(names, own)
    for drive in m.drives:
        if drive.coordinate in hues:
            hues.setdefault(drive.name, hues[drive.coordinate])
    return hues


def in_colours(lines: Sequence[Line], hues: Mapping[str, int]) -> list[Line]:
    """Lines in the colours of their links; several of one link differ in their dashes.

    Where one link has more lines than there are dashes, all keep the colours of their places.
    """
    count: Counter[int] = Counter(hues[line.name] for line in lines if line.name in hues)
    if not count or max(count.values()) > len(DASHES):
        return [*lines]
    seen: Counter[int] = Counter()
    own = []
    for line in lines:
        if line.name not in hues:
            own.append(replace(line, hue=-1))
            continue
        hue = hues[line.name]
        own.append(replace(line, hue=hue, dash=DASHES[seen[hue]]))
        seen[hue] += 1
    return own
