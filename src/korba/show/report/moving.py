"""Sections on what moves: range and dead points, motion over the cycle, forces and losses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ...display import Table, tidy
from ...errors import KorbaError
from ...expr.display_units import DisplayUnits
from ...spatial.rotation import Array
from ...trajectory import summary
from ...verbs.forces.balance import PowerBalance
from ...verbs.forces.results import Reactions
from ...workspace.singularities import singularities
from ...workspace.transmission import TransmissionAngle, transmission_angle
from ..drawings.draw import draw
from ..plots.hues import link_hues
from ..plots.machine import forces_plot
from ..plots.panels import Line, Panel, Plot, labelled, panels_of
from ..plots.plot import plot
from .blocks import Block, Folded, Picture, Said, attempted, plotted
from .facts import FINER, Facts, of_motion

GHOSTS = 7
"""Further positions in the picture of a motion."""
NOTHING = 1e-9
"""Beside the largest force: what is not compared."""
SAME = 1e-6
"""By which forces may differ that are told to be the same."""
WIDE = 3
"""Panels from which on two stand side by side."""


@of_motion
def range_of(facts: Facts) -> Iterator[Block]:
    """Full turn or limits, four-bars in it, singular positions, transmission angle."""
    reach = facts.range
    if reach.full_turn:
        yield f"{reach.coordinate} turns fully."
    else:
        si = "rad" if reach.input.turns else "m"
        limits = (("from", reach.lower), ("to", reach.upper))
        rows = [
            (end, facts.shown.told(limit.value, si), str(limit).partition(" (")[2][:-1])
            if limit
            else (end, "without end", "")
            for end, limit in limits
        ]
        yield Table(f"Range of {reach.coordinate}", ("", "value", "why"), rows)
    yield from (f"{str(loop)[:1].upper()}{str(loop)[1:]}." for loop in reach.loops)
    yield from attempted(lambda: _singular(facts))
    yield from attempted(lambda: _transmission(facts))


def _singular(facts: Facts) -> Iterator[Block]:
    passed = singularities(facts.moved)
    rows = [
        (f"{each.t:.6g}", each.kind, each.coordinate, "; ".join(each.in_line)) for each in passed
    ]
    table = Table("Singular positions on the way", ("t, s", "kind", "of", "in line"), rows)
    if rows:
        yield table if len(rows) <= 8 else Folded(f"Singular positions ({len(rows)})", (table,))
    else:
        yield "The motion passes no singular position."


def _transmission(facts: Facts) -> Iterator[Block]:
    push = transmission_angle(facts.moved)
    low, high = (facts.shown.told(x, "rad", 4) for x in (push.minimum, push.maximum))
    yield (
        f"Transmission angle at {push.joint} on {push.output}: {low} at t = "
        f"{push.t_minimum:.4g} s to {high}."
    )
    panels = [*_against(facts, push, "jams below")]
    yield from _held(facts, push, "driven it jams")
    if push.limit and push.back is not None:
        with suppress(KorbaError):
            back = transmission_angle(facts.moved, *push.back)
            yield from _held(facts, back, "driven from its output it is self-locking")
            panels += _against(facts, back, "self-locking below")
    shown = Plot("Transmission angle", tuple(panels))
    yield plotted(shown, f"Transmission angle of {push.output}")


def _against(facts: Facts, push: TransmissionAngle, told: str) -> Iterator[Panel]:
    """The angle at a joint over the cycle, and the limit that friction sets it."""
    (x, at), shown = facts.x, facts.shown
    hue = link_hues(facts.m).get(push.joint)
    lines = [Line(f"at {push.joint}", at, shown.values(push.angle, "rad"), hue=hue)]
    if push.limit:
        limit = np.full(2, shown.values(push.limit, "rad"))
        ends = np.array([np.min(at), np.max(at)])
        name = f"{told} {shown.told(push.limit, 'rad', 3)}"
        lines.append(Line(name, ends, limit, "dashed", hue=-1))
    label = labelled("transmission angle", "rad", shown)
    yield from panels_of(lines, x, label, f"at {push.joint} on {push.output}" * bool(push.limit))


def _held(facts: Facts, push: TransmissionAngle, told: str) -> Iterator[str]:
    """What friction does to an angle, in words."""
    if push.limit:
        limit, low = (
            facts.shown.told(float(x), "rad", 3) for x in tidy([push.limit, push.minimum], 1.0)
        )
        below = int(np.sum(push.held))
        yield (
            f"At {push.joint} on {push.output} friction takes {limit} of the angle, which is "
            f"{low} at least: "
            + (f"{told} at up to {below} of {push.held.size} positions." if below else "enough.")
        )


@of_motion
def motion(facts: Facts) -> Iterator[Block]:
    """Positions, all columns over the cycle, ranges of them."""
    moved = facts.moved
    if moved.ended != moved.status or moved.message:
        yield f"{moved.message or moved.status}."
    yield Picture(draw(moved, 0, ghosts=GHOSTS, names=False), "Positions over the cycle")
    curves = plot(moved, over=facts.over)
    yield _plotted(curves, "Coordinates, velocities and accelerations")
    table = summary.table(moved)
    yield Folded("Ranges of all columns", (table._replace(caption=""),))


def _plotted(curves: Plot, caption: str) -> Picture:
    across = 2 if len(curves.panels) > WIDE else curves.across
    return plotted(replace(curves, across=across), caption)


@of_motion
def forces(facts: Facts) -> Iterator[Block]:
    """Largest reactions, what drives do, losses; without and with friction side by side."""
    smooth, rough = facts.forces, None
    try:
        rough = facts.rough
    except KorbaError as error:
        yield Said(str(error))
    acting = (smooth.force, smooth.moment, *smooth.driving.values())
    if rough is None and not any(np.any(each) for each in acting):
        yield "Nothing acts: no body has weight or inertia, and there are no loads."
        return
    yield _largest(facts, smooth, rough)
    if facts.moved.mechanism.drives:
        yield from attempted(lambda: _between(facts, smooth, rough))
    if smooth.drives:
        yield _drives(smooth, rough)
    for note in (smooth if rough is None else rough).notes:
        yield f"Note: {note}."
    yield plotted(_side_by_side(facts, smooth, rough), "Forces over the cycle")
    if rough is not None and rough.balance is not None:
        yield _works(rough.balance, rough.shown)
        efficiency = float(np.mean(rough.efficiency))
        if np.isfinite(efficiency):
            told = f"{efficiency:.4g}" if efficiency > 1e-6 else "none, for no load takes work"
            yield f"Efficiency over the cycle: {told}."


def _largest(facts: Facts, smooth: Reactions, rough: Reactions | None) -> Table:
    """The largest force and moment of every joint, and where."""
    x, at = facts.x
    newtons, moments = (facts.shown.unit(si) for si in ("N", "N m"))
    heads = ["joint", f"largest force, {newtons}", f"at {x}", f"largest moment, {moments}"]
    sizes = [_sizes(smooth)]
    if rough is not None:
        heads += [f"with friction: force, {newtons}", f"at {x}", f"moment, {moments}"]
        sizes.append(_sizes(rough))
    rows = []
    own = {joint.name for joint in facts.m.joints}
    for i, name in enumerate(smooth.joints):
        if name not in own and not sizes[0][0][:, i].any():
            continue  # armature and rotors of no weight
        row: list[Any] = [name]
        for force, moment in sizes:
            k = int(np.nanargmax(force[:, i])) if np.isfinite(force[:, i]).any() else 0
            most = (force[k, i], "N"), (np.nanmax(moment[:, i], initial=0.0), "N m")
            largest = [float(facts.shown.values(each, si)) for each, si in most]
            row += [largest[0], float(at[k]), largest[1]]
        rows.append(tuple(row))
    caption = f"Largest forces of the parent on the child, at {len(at)} positions"
    return Table(caption, tuple(heads), rows)


def _between(facts: Facts, smooth: Reactions, rough: Reactions | None) -> Iterator[Block]:
    """How much larger forces are between those positions."""
    more = []
    for taken, finer in zip((smooth, rough), facts.finer, strict=True):
        if taken is None or finer is None:
            continue
        here, there = (np.nanmax(_sizes(each)[0], axis=0, initial=0.0) for each in (taken, finer))
        some = here > NOTHING * here.max(initial=0.0)
        joints = np.array(taken.joints)[some]
        more += [*zip(there[some] / here[some] - 1.0, there[some], joints, strict=True)]
    if more:
        share, force, joint = max(more, key=lambda each: each[0])
        larger = (
            f"larger by {100 * share:.2g} % at most ({joint}: {facts.shown.told(force, 'N', 5)})"
        )
        told = larger if share > SAME else "the same"
        yield f"At {FINER} times as many positions they are {told}."


def _sizes(forces: Reactions) -> tuple[Array, Array]:
    """Sizes of forces and moments, (positions, joints), without rounding."""
    force, moment = (np.linalg.norm(x, axis=-1) for x in (forces.force, forces.moment))
    return np.asarray(tidy(force)), np.asarray(tidy(moment, np.nanmax(force, initial=0.0)))


def _drives(smooth: Reactions, rough: Reactions | None) -> Table:
    heads = ["drive", "unit", "least", "largest", "rms"]
    given = [smooth.driving] + ([rough.driving] if rough is not None else [])
    if rough is not None:
        heads += ["with friction: least", "largest", "rms"]
    rows = []
    for name in smooth.drives:
        ends = (
            of(each[name])
            for each in given
            for of in (np.nanmin, np.nanmax, lambda x: np.sqrt(np.nanmean(np.square(x))))
        )
        beside = np.nanmax(np.abs(smooth.force), initial=0.0)
        told = tidy([*ends], max(beside, *(np.nanmax(np.abs(each[name])) for each in given)))
        si = smooth.effort_units[name]
        cells = map(float, smooth.shown.values(told, si))
        rows.append((name, smooth.shown.unit(si), *cells))
    return Table("What the drives have to do", tuple(heads), rows)


def _side_by_side(facts: Facts, smooth: Reactions, rough: Reactions | None) -> Plot:
    """Hodographs and sizes without friction at the left, with it at the right; the rest below."""

    def drawn(of: Reactions) -> list[Panel]:
        return [*forces_plot(of, facts.moved, facts.over).panels]

    left = drawn(smooth)
    if rough is None:
        return Plot("Forces in joints", tuple(left), across=2)
    panels, right = [], drawn(rough)
    pairs = [
        (a, b)
        for a, b in zip(left, right, strict=False)
        if a.title == b.title and ("hodograph" in a.title or "size" in a.title)
    ]
    for a, b in pairs:
        limits = None if a.equal else _common(a, b)
        panels += [
            replace(a, limits=limits),
            replace(b, title=f"{b.title}, with friction", limits=limits),
        ]
    shown = {id(b) for _, b in pairs}
    return Plot("Forces in joints", (*panels, *(p for p in right if id(p) not in shown)), across=2)


def _common(*panels: Panel) -> tuple[float, float]:
    """Limits of y that hold both."""
    most = max(float(np.nanmax(line.y, initial=0.0)) for p in panels for line in p.lines)
    return -0.03 * most, 1.06 * most or 1.0


def _works(balance: PowerBalance, shown: DisplayUnits) -> Table:
    """Where work comes from and goes to over the cycle."""
    works = {name: float(np.mean(work)) for name, work in balance.works.items()}
    lost = {f"friction in {name}": p for name, p in balance.friction.items()}
    lost |= {f"damping in {name}": p for name, p in balance.damping.items()}
    taken = {name: -float(np.mean(balance.work(p))) for name, p in lost.items()}
    total = sum(taken.values())
    values = tidy([*works.values(), *taken.values()])
    shares = ["" for _ in works] + [f"{w / total:.1%}" if total else "" for w in taken.values()]
    rows = [
        (name, float(shown.values(value, "J")), share)
        for name, value, share in zip([*works, *taken], values, shares, strict=True)
    ]
    return Table(
        "Work over the cycle", ("", f"gives, {shown.unit('J')}", "share of the losses"), rows
    )
