"""Steps of positions: dyads by two circles, and Denavit-Hartenberg chains by their matrices.

The inner pin C of a dyad RRR is where circles about its outer pins P and Q meet; with d = |PQ|, u
from P to Q and n a quarter turn ahead of u

    a = (r_1^2 - r_2^2 + d^2) / (2 d),   h = sqrt(r_1^2 - a^2),   C = P + a u +- h n

Source: Gronowicz (2003), section 2.2, and (2.31), (2.148) of chains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...display import number_told
from ...model.display_units import display_units
from ...solve.configuration import Configuration
from ...spatial.rotation import Array
from ...structure.groups import groups
from ..dh.chain import DHLink, dh_frames, factors_of
from ..plane.instant import instant

DIGITS = 4
"""Digits of numbers that are put in."""


class Step(NamedTuple):
    """One line of a solution: what is looked for, the equation, the numbers, the result."""

    what: str
    equation: str
    numbers: str
    result: str


def dyads(configuration: Configuration) -> Iterator[Step]:
    """The inner pin of every dyad RRR of a position, in the order in which they are solved."""
    now, m = instant(configuration), configuration.m
    shown = display_units(m)
    unit = shown.unit("m")

    def told(x: float) -> str:
        return shown.number(x, "m", DIGITS)

    def pair(p: Array) -> str:
        return f"({told(float(p[0]))}, {told(float(p[1]))})"

    for group in groups(m).groups:
        if group.kind != "dyad" or group.signature != "RRR":
            continue
        names = (*group.outer, *group.inner)
        P, Q, C = (now.place(m.joint(name)) for name in names)
        p, q, c = names
        first, second, d = (float(np.linalg.norm(x)) for x in (C - P, C - Q, Q - P))
        if d == 0:
            continue
        along = (first**2 - second**2 + d**2) / (2 * d)
        across = float(np.sqrt(max(first**2 - along**2, 0.0)))
        u = (Q - P) / d
        n = np.array([-u[1], u[0]])
        side = "+" if (C - P) @ n >= 0 else "-"
        law = f"|{p}{q}| = |r_{q} - r_{p}|"
        yield Step(f"distance of {p} and {q}", law, f"|{pair(Q)} - {pair(P)}|", f"{told(d)} {unit}")
        numbers = f"({told(first)}^2 - {told(second)}^2 + {told(d)}^2) / (2 * {told(d)})"
        law = f"a = (|{p}{c}|^2 - |{q}{c}|^2 + |{p}{q}|^2) / (2 |{p}{q}|)"
        yield Step(f"foot of {c} on {p}{q}", law, numbers, f"{told(along)} {unit}")
        numbers = f"sqrt({told(first)}^2 - {told(along)}^2)"
        yield Step(
            f"height of {c} over {p}{q}",
            f"h = sqrt(|{p}{c}|^2 - a^2)",
            numbers,
            f"{told(across)} {unit}",
        )
        direction, normal = (f"({_plain(x[0])}, {_plain(x[1])})" for x in (u, n))
        numbers = f"{pair(P)} + {told(along)} {direction} {side} {told(across)} {normal}"
        law = f"r_{c} = r_{p} + a u {side} h n"
        yield Step(f"place of {c}", law, numbers, f"{pair(C)} {unit}")


def chain(links: Sequence[DHLink], q: Any) -> Iterator[Step]:
    """The matrix of every link of a chain, and their product."""
    product = ""
    for k, (factors, frame) in enumerate(
        zip(factors_of(links, q), dh_frames(links, q), strict=True)
    ):
        own = reduce(np.matmul, factors)
        name = f"A_{k}{k + 1}"
        yield Step(
            f"matrix of link {k + 1}", f"{name}(a, alpha, theta, d)   (2.31)", "", _rows(own)
        )
        product = f"{product} {name}".strip()
        if k:
            law = f"A_0{k + 1} = {product}   (2.148)"
            yield Step(f"frame of link {k + 1}", law, "", _rows(frame))
        last = frame
    place = ", ".join(_plain(x) for x in last[:3, 3])
    yield Step("place of the last frame", f"column 4 of A_0{len(links)}", "", f"({place}) m")


def _rows(matrix: Array) -> str:
    return "[" + "; ".join(" ".join(_plain(x) for x in row) for row in matrix) + "]"


def _plain(x: Any) -> str:
    value = float(x)
    return number_told(0.0 if abs(value) < 1e-12 else value, DIGITS)
