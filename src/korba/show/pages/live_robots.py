"""What a page of many inputs has besides their sliders: limbs, a search, poses to click."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from ...model.body import GROUND
from ...model.mechanism import Mechanism

FEW = 7
"""Inputs that need no search and no groups."""
CROWDED = 14
"""Moving bodies of a spatial mechanism from which on names are off until they are asked for."""


def limbs(m: Mechanism, names: Sequence[str]) -> dict[str, list[str]]:
    """Inputs by the limb that they move: the body at the end of it, or where it branches."""
    behind: dict[str, list[str]] = {}
    for joint in m.joints:
        behind.setdefault(joint.parent, []).append(joint.child)
    groups: dict[str, list[str]] = {}
    owners = {name: joint for joint in m.joints for name in joint.coordinates()}
    for name in names:
        end, seen = owners[name].child if name in owners else "", {GROUND}
        while len(behind.get(end, ())) == 1 and end not in seen:
            seen.add(end)
            (end,) = behind[end]
        groups.setdefault(end, []).append(name)
    return groups


def grouped(m: Mechanism, rows: Mapping[str, str]) -> str:
    """Rows of inputs by limb, where there are many; all in one where there are few."""
    groups = limbs(m, [*rows])
    if len(rows) <= FEW or len(groups) < 2:
        return "".join(rows.values())
    return "".join(
        f"<details class='limb' open><summary>to {escape(end)}</summary>\n"
        f"{''.join(rows[name] for name in names)}</details>\n"
        for end, names in groups.items()
    )


def poses_of(m: Mechanism, inputs: Sequence[str]) -> list[dict[str, Any]]:
    """Named poses as values of the inputs, by their numbers."""
    found = []
    for pose in m.poses:
        known = dict(pose.q)
        own = {
            str(inputs.index(name)): value
            for name, value in known.items()
            if name in inputs and isinstance(value, float | int)
        }
        if own:
            found.append({"name": pose.name, "values": own})
    return found


def tools(m: Mechanism, inputs: Sequence[str], poses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The search, a button for each pose, and the switch of names."""
    if poses:
        yield "<div class='buttons poses' role='group' aria-label='poses'>"
        for k, pose in enumerate(poses):
            yield f"<button type='button' data-pose='{k}'>{escape(str(pose['name']))}</button>"
        yield "</div>\n"
    yield "<div class='row wide tools'>"
    off = not m.plane and len(m.bodies) > CROWDED
    yield (
        f"<label><input type='checkbox' class='naming'{'' if off else ' checked'}> names</label>"
    )
    if len(inputs) > FEW:
        yield (
            "<input type='search' class='find' aria-label='find an input' "
            "placeholder='find an input' autocomplete='off'>"
        )
    yield "</div>\n"
