"""Instantaneous centres by the theorem of Aronhold and Kennedy, on homogeneous points.

A relative motion (w, v_x, v_y), velocity taken at the origin, has its centre at

    S = (-v_y, v_x, w)                                                                      (1)

a point of the plane, or at infinity where w = 0. A joint with one freedom gives the point, one
with two freedoms only a line that S lies on: the common normal of its profiles. Of three links the
three centres are in line, so with the centres to two other links known

    S_ij = (S_ik x S_jk) x (S_il x S_jl)                                                    (2)

where x is the cross product of 3-vectors: the line through two points, or the point on two lines.
Source: Gronowicz (2003), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...spatial.rotation import Array

SAME = 1e-9
"""Sine of the angle below which two points, or two lines, are the same one."""
CLEAR = 1e-7
"""Least sine of the angle of two lines whose intersection counts."""

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Known:
    """What the joint of two links says about their centre: a point, or only a line."""

    joint: str
    point: Array | None
    line: Array | None


@dataclass(frozen=True, eq=False)
class Found:
    """A centre, and how it was found."""

    point: Array
    step: int
    """0 for centres of joints, then in the order of construction."""
    joint: str
    """The joint whose centre, or whose normal, it is."""
    through: tuple[str, ...]
    """The links that its lines belong to."""


def centre_of(V: Array) -> Array:
    """(1), of unit length."""
    return unit(np.array([-V[2], V[1], V[0]]))


def unit(p: Array) -> Array:
    """A homogeneous point or line of unit length; it and its opposite are the same."""
    return np.asarray(p / np.linalg.norm(p))


def joined(p: Array, q: Array) -> Array | None:
    """The line through two points, or the point on two lines; None where they are the same."""
    found = np.cross(p, q)
    length = float(np.linalg.norm(found))
    return None if length < SAME else np.asarray(found / length)


def pair(i: str, j: str) -> Pair:
    """A pair of links, in one order."""
    return (i, j) if i < j else (j, i)


def kennedy(links: list[str], known: Mapping[Pair, Known], skip: set[Pair]) -> dict[Pair, Found]:
    """All centres that constructions (2) reach, those of joints first; `skip` has none."""
    found = {
        key: Found(each.point, 0, each.joint, ())
        for key, each in known.items()
        if each.point is not None
    }
    wanted = [
        key
        for key in (pair(*ends) for ends in combinations(links, 2))
        if key not in found and key not in skip
    ]
    while wanted:
        left = []
        for key in wanted:
            centre = _constructed(links, known, found, key)
            if centre is None:
                left.append(key)
            else:
                found[key] = centre
        if len(left) == len(wanted):
            break
        wanted = left
    return found


def _constructed(
    links: list[str], known: Mapping[Pair, Known], found: Mapping[Pair, Found], key: Pair
) -> Found | None:
    """(2) with the two lines that cross at the largest angle."""
    step = 1 + max((each.step for each in found.values()), default=0)
    lines: list[tuple[str, str, Array]] = []
    if key in known and known[key].line is not None:
        lines.append((known[key].joint, "", np.asarray(known[key].line)))
    for k in (name for name in links if name not in key):
        one, two = found.get(pair(key[0], k)), found.get(pair(key[1], k))
        if one is None or two is None:
            lines += _carried(known, found, key, k)
            continue
        line = joined(one.point, two.point)
        if line is None:
            return Found(one.point, step, "", (k,))
        lines.append(("", k, line))
    return _crossing(lines, step)


def _carried(
    known: Mapping[Pair, Known], found: Mapping[Pair, Found], key: Pair, k: str
) -> list[tuple[str, str, Array]]:
    """The normal that S_ik lies on holds S_ij as well if it goes through S_jk (a roller's pin)."""
    lines = []
    for i, j in (key, key[::-1]):
        normal, pin = known.get(pair(i, k)), found.get(pair(j, k))
        if normal is None or normal.line is None or pin is None:
            continue
        if abs(normal.line @ pin.point) < SAME:
            lines.append((normal.joint, "", normal.line))
    return lines


def _crossing(lines: list[tuple[str, str, Array]], step: int) -> Found | None:
    best: tuple[float, Found] | None = None
    for (joint, k, one), (other, n, two) in combinations(lines, 2):
        product = np.cross(one, two)
        sine = float(np.linalg.norm(product))
        if sine > CLEAR and (best is None or sine > 1.5 * best[0]):
            through = tuple(name for name in (k, n) if name)
            best = sine, Found(product / sine, step, joint or other, through)
    return best[1] if best else None
