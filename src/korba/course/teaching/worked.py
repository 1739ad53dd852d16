"""The verb `worked`: an answer of the course step by step, as one writes it on paper.

A step is what is looked for, the equation with its number in the book, the numbers put in, and the
result with its unit. Nothing is computed anew but sums and lengths of what the answer holds, so the
last line of a solution is the answer itself.

Source: Gronowicz (2003): (1.5), (1.9) counting, (3.5) centres, (3.6)-(3.17) plans, (4.135) lever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from ...display import Displayed, Page, number_told
from ...door import public
from ...model.body import GROUND
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...solve.configuration import Configuration
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ..plane.centres import InstantCentres
from ..plane.plans import Plan, PlanVector
from ..statics.lever import Lever
from .by_hand import Step, chain, dyads

DIGITS = 4
"""Digits of numbers that are put in."""
CSS = """body {font: 16px/1.5 Helvetica, Arial, sans-serif; max-width: 60rem; margin: 1.5rem auto;
  padding: 0 1rem; color: #1f2937; background: #fff}
table {border-collapse: collapse; width: 100%} td, th {text-align: left; vertical-align: top;
  padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #cbd5e1}
.sum {font-family: Menlo, Consolas, monospace; font-size: .92em} .wide {overflow-x: auto}
@media (prefers-color-scheme: dark) {body {color: #e5e7eb; background: #111827}
  td, th {border-color: #475569}}
@media print {body {color: #000; background: #fff; max-width: none}}"""


@dataclass(frozen=True, eq=False)
class Worked(Displayed):
    """A solution step by step; `print` shows it, `page()` is a page to read or to print."""

    title: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [self.title]
        for k, step in enumerate(self.steps, 1):
            lines += ["", f"{k}. {step.what}", f"     {step.equation}"]
            lines += [f"     = {step.numbers}"] * bool(step.numbers)
            lines += [f"     = {step.result}"]
        return "\n".join(lines)

    def page(self) -> Page:
        """The same as a page that needs nothing else."""
        heads = "".join(
            f"<th>{each}</th>" for each in ("", "step", "equation", "numbers", "result")
        )
        rows = "".join(
            f"<tr><td>{k}</td><td>{escape(step.what)}</td>"
            + "".join(f"<td class='sum'>{escape(each)}</td>" for each in step[1:])
            + "</tr>"
            for k, step in enumerate(self.steps, 1)
        )
        title = escape(self.title)
        return Page(
            "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
            f"<title>{title}</title>\n<style>\n{CSS}\n</style>\n"
            f"<main><h1>{title}</h1>\n"
            f"<div class='wide'><table><tr>{heads}</tr>{rows}</table></div></main>\n</html>\n"
        )


@public
def worked(
    answer: Plan | InstantCentres | Lever | Mechanism | Configuration | tuple[Any, Any],
) -> Worked:
    """A plan, centres or a lever step by step; of a mechanism its mobility and Grashof's rule.

    Of a position (`kb.assemble`) the pins of its dyads, of links of a chain and their coordinates,
    `(links, q)`, the Denavit-Hartenberg matrices.

    >>> m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    >>> print(str(kb.course.worked(kb.course.velocity_plan(m, {"A": "90 deg"})))[:133])
    Velocity plan of 'four-bar'
    <BLANKLINE>
    1. velocity of B on crank
         v_B = w(crank) |AB|   (3.6)
         = 6.283 rad/s * 0.04 m
         = 0.2513 m/s
    """
    if isinstance(answer, Plan):
        name = answer.mechanism or "the mechanism"
        return Worked(f"{answer.quantity.capitalize()} plan of {name!r}", (*_plan(answer),))
    if isinstance(answer, InstantCentres):
        title = f"Instantaneous centres of {answer.m.name or 'the mechanism'!r}"
        return Worked(title, (*_centres(answer),))
    if isinstance(answer, Lever):
        title = f"Virtual work on {answer.mechanism or 'the mechanism'!r}, by Zhukovsky's lever"
        return Worked(title, (*_lever(answer),))
    if isinstance(answer, Configuration):
        title = f"Dyads of {answer.m.name or 'the mechanism'!r}"
        return Worked(title, (*dyads(answer),))
    if isinstance(answer, tuple):
        links, q = answer
        return Worked("Denavit-Hartenberg chain", (*chain(links, q),))
    title = f"Mobility of {answer.name or 'the mechanism'!r}"
    return Worked(title, (*_mobility(answer), *_grashof(answer)))


def _sum(values: list[float]) -> str:
    """Numbers as a sum: `0.2 - 0.05`."""
    text = " ".join(f"{'-' if x < 0 else '+'} {_told(abs(x))}" for x in values)
    return text.removeprefix("+ ") or "0"


def _told(x: float, unit: str = "", digits: int = DIGITS) -> str:
    return f"{number_told(float(x) + 0.0, digits)} {unit}".rstrip()


def _pair(x: Array) -> str:
    size = float(np.abs(x).max(initial=0.0)) or 1.0
    small = np.where(np.abs(x) < 1e-12 * size, 0.0, x)
    return f"({_told(small[0])}, {_told(small[1])})"


def _plan(plan: Plan) -> Iterator[Step]:
    """Vectors in the order in which they become known, and what the links turn with."""
    known = {name for name, p in plan.images.items() if not np.any(p)} & plan.points.keys()
    parts: dict[str, list[PlanVector]] = {}
    for vector in plan.vectors:
        if vector.kind != "absolute":
            parts.setdefault(vector.name.partition("_")[2], []).append(vector)
    fixed = [body for body, names in plan.links.items() if known & {*names}]
    order = sorted(plan.links, key=lambda body: (body in fixed[1:], body not in fixed[:1]))
    for body, names in ((body, plan.links[body]) for body in order):
        for M, N in ((names[0], name) for name in names[1:]):
            index = f"{N}{M}" if len(N) == len(M) == 1 else f"{N},{M}"
            yield from _on_link(plan, body, (M, N), parts.get(index, []), known)
            known |= {M, N}
    for name, vectors in parts.items():
        if all(vector.kind in ("sliding", "coriolis") for vector in vectors):
            for each in vectors:
                law = "2 w x v" if each.kind == "coriolis" else "along the guide"
                size = float(np.linalg.norm(each.vector))
                yield Step(
                    f"{each.kind} part {name}",
                    f"{each.name} ({law})   (3.11-3.17)",
                    _pair(each.vector),
                    _told(size, plan.unit),
                )


def _on_link(
    plan: Plan, body: str, ends: tuple[str, str], parts: list[PlanVector], known: set[str]
) -> Iterator[Step]:
    """The velocity or acceleration of one point of a link by another, and what the link turns."""
    M, N = ends
    r = float(np.linalg.norm(plan.points[N] - plan.points[M]))
    if r == 0 or not parts:
        return
    letter, turn, unit = plan.quantity[0], plan.angular[body], plan.unit
    rate = "rad/s" if letter == "v" else "rad/s^2"
    held = M in known and not np.any(plan.images[M]) and letter == "v"
    size = float(np.linalg.norm(plan.images[N]))
    if held and N not in known:
        yield Step(
            f"velocity of {N} on {body}",
            f"v_{N} = w({body}) |{M}{N}|   (3.6)",
            f"{_told(abs(turn), rate)} * {_told(r, 'm')}",
            _told(size, unit),
        )
        return
    if not held or letter == "a":
        terms = " + ".join([f"{letter}_{M}", *(each.name for each in parts)])
        numbers = " + ".join([_pair(plan.images[M]), *(_pair(each.vector) for each in parts)])
        yield Step(
            f"{plan.quantity} of {N} on {body}",
            f"{letter}_{N} = {terms}   (3.6-3.10)",
            f"{numbers} = {_pair(plan.images[N])}",
            _told(size, unit),
        )
    tangent = parts[-1]
    own, symbol = float(np.linalg.norm(tangent.vector)), "w" if letter == "v" else "e"
    sense = "" if turn == 0 else ", anticlockwise" if turn > 0 else ", clockwise"
    yield Step(
        f"angular {plan.quantity} of {body}",
        f"|{symbol}({body})| = |{tangent.name}| / |{M}{N}|",
        f"{_told(own, unit)} / {_told(r, 'm')}",
        _told(abs(turn), rate) + sense,
    )


def _centres(centres: InstantCentres) -> Iterator[Step]:
    """Every centre: in a joint, or where two lines meet (3.5)."""
    n = len(centres.at.bodies)
    yield Step(
        "number of centres", "n (n - 1) / 2   (3.5)", f"{n} * {n - 1} / 2", str(n * (n - 1) // 2)
    )
    for centre in centres.centres:
        i, j = centre.bodies
        lines = " and ".join(f"P({i}, {k}) P({k}, {j})" for k in centre.through)
        equation = f"P({i}, {j}) on the lines {lines}" if lines else f"P({i}, {j}) by {centre.how}"
        h = centre.homogeneous
        if h is None:
            place = "none: " + centre.method
        else:
            place = f"{_pair(h[:2])} m" if h[2] else f"at infinity along {_pair(h[:2])}"
        yield Step(f"centre of {i} and {j}", equation, "", place)


def _lever(lever: Lever) -> Iterator[Step]:
    """The moment of every force about the pole, and the balance: the sum of powers is zero."""
    total = 0.0
    for each in lever.forces:
        size = float(np.linalg.norm(each.force))
        numbers = f"{_told(size, 'N')} * {_told(each.arm)}" if size else "moment times w"
        yield Step(f"power of {each.name}", f"h F({each.name})", numbers, _told(each.moment))
        total += each.moment
    terms = _sum([each.moment for each in lever.forces])
    yield Step(
        f"balance by {lever.drive!r}",
        "effort + sum of h F = 0   (virtual powers)",
        f"-({terms})",
        _told(lever.effort, lever.unit),
    )


def _mobility(m: Mechanism) -> Iterator[Step]:
    """The count (1.9), loops (1.5), and what the geometry leaves (1.14)."""
    own = mobility(m)
    s, k = own.space, own.links
    terms = [(i, p) for i, p in sorted(own.classes.items()) if p]
    law = " - ".join([f"{s} k", *(f"{s - i} p_{i}" for i, _ in terms)])
    numbers = " - ".join([f"{s} * {k}", *(f"{s - i} * {p}" for i, p in terms)])
    numbers += f" - {own.couplings} (couplings)" * bool(own.couplings)
    yield Step("theoretical mobility", f"W_T = {law}   (1.9)", numbers, str(own.theoretical))
    p = sum(own.classes.values())
    yield Step(
        "loops, the outer one too", "l = p - k + 1   (1.5)", f"{p} - {k} + 1", str(p - k + 1)
    )
    if own.local or own.passive or own.blocked:
        numbers = f"{own.theoretical} - {own.local} + {own.passive} - {own.blocked}"
        law = "W = W_T - W_L + W_B - blocked   (1.14)"
        yield Step("actual mobility", law, numbers, str(own.actual))


def _grashof(m: Mechanism) -> Iterator[Step]:
    """Whether one of four links with four pins in a loop turns fully."""
    lengths = _four_lengths(m)
    if lengths is None:
        return
    (short, s), *middle, (long, most) = sorted(lengths.items(), key=lambda pair: pair[1])
    p, q = (x for _, x in middle)
    law = "s + l <= p + q (Grashof)"
    sums = (_told(s), _told(most), _told(s + most)), (_told(p), _told(q), _told(p + q))
    numbers = ", ".join(f"{one} + {two} = {both} m" for one, two, both in sums)
    same = abs(s + most - p - q) <= 1e-12 * (s + most)
    if s + most > p + q and not same:
        told = "it does not hold: no link turns fully"
    else:
        edge = ", at the edge: all links come in line" if same else ""
        told = f"it holds: {short!r} turns fully beside its neighbours{edge}"
    yield Step(f"shortest {short!r}, longest {long!r}", law, numbers, told)


def _four_lengths(m: Mechanism) -> dict[str, float] | None:
    """Lengths of four links that four pins join in a loop; None of others."""
    if not m.plane or len(m.bodies) != 3 or len(m.joints) != 4:
        return None
    if not all(joint.turns_only for joint in m.joints):
        return None
    X = drawing(m).X_WM
    lengths = {}
    for body in (GROUND, *(each.name for each in m.bodies)):
        ends = [X[joint.name].p[:2] for joint in m.joints if joint.joins(body)]
        if len(ends) != 2:
            return None
        lengths[body] = float(max(np.linalg.norm(a - b) for a, b in pairwise(ends)))
    return lengths
