"""Cost of mobility and groups over chains of N four-bar loops, and how it grows with N.

Every rocker is the crank of the next loop, so all loops are one part of the graph. The planar chain
is regular; the same chain in space has three passive constraints in every loop.
"""

from __future__ import annotations

import math
import time

import korba as kb

SIZES = (100, 200, 500, 1000)


def chain(count: int, plane: str | None) -> kb.Mechanism:
    bodies = [kb.Body("b0")]
    joints = [kb.Revolute("J0", "ground", "b0", at=(0, 0))]
    for i in range(count):
        bodies += [kb.Body(f"c{i}"), kb.Body(f"b{i + 1}")]
        left, right = (i + 0.1, 0.5 + 0.1 * (i % 3)), (i + 1.15, 0.55 + 0.05 * (i % 2))
        joints += [
            kb.Revolute(f"A{i}", f"b{i}", f"c{i}", at=left),
            kb.Revolute(f"B{i}", f"c{i}", f"b{i + 1}", at=right),
            kb.Revolute(f"D{i}", "ground", f"b{i + 1}", at=(i + 1, 0)),
        ]
    return kb.Mechanism(f"chain {count}", bodies, joints, plane=plane)


def seconds(question: object, *args: object) -> tuple[float, object]:
    start = time.perf_counter()
    answer = question(*args)  # type: ignore[operator]
    return time.perf_counter() - start, answer


def measured(count: int, plane: str | None) -> dict[str, float]:
    make, m = seconds(chain, count, plane)
    moves, report = seconds(kb.mobility, m)
    splits, groups = seconds(kb.groups, m, "J0")
    assert report.actual == 1
    assert report.passive == (0 if plane else 3 * count)
    assert len(groups.groups) == count + 1
    return {"make": make, "mobility": moves, "groups": splits, "both": moves + splits}


def table() -> str:
    lines = ["## Chain of N four-bar loops, seconds", ""]
    lines += [
        "| chain | N | make | mobility | groups | mobility + groups |",
        "|---|---|---|---|---|---|",
    ]
    for plane in ("xy", None):
        name = "planar" if plane else "in space"
        runs = {n: measured(n, plane) for n in SIZES}
        for n, t in runs.items():
            cells = " | ".join(f"{t[key]:.2f}" for key in ("make", "mobility", "groups", "both"))
            lines.append(f"| {name} | {n} | {cells} |")
        ratio = runs[SIZES[-1]]["both"] / runs[SIZES[0]]["both"]
        power = math.log(ratio) / math.log(SIZES[-1] / SIZES[0])
        lines.append(f"| {name} | growth {SIZES[0]} -> {SIZES[-1]} | | | | N^{power:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
