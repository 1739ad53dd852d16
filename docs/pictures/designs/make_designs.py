"""Draws the pictures of docs/best_design.md from the four-bars of examples 25 and 26."""

import re
from pathlib import Path

import numpy as np

import korba as kb
from korba.show.schemes.svg_sheet import line, picture, words

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
LENGTHS = np.linspace(0.45, 0.95, 26)
BEST = {
    "a": 0.223344847,
    "b": 0.404396612,
    "c": 0.432008941,
    "d": 0.599997834,
    "u": -0.325510692,
    "w": 0.409380192,
    "x": -0.0996780762,
    "y": 0.377071982,
    "turn": 2.9762505,
}
"""The best design of example 26, in SI."""
TARGETS = [(0.2, y) for y in np.linspace(0.2, 0.45, 6)]
INK, BLUE, PURPLE = "#111827", "#2563eb", "#a21caf"


def four_bar(example):
    """The mechanism of an example."""
    text = (EXAMPLES / example).read_text("utf-8")
    return kb.loads(re.search(r'"""\n(name.*?)"""', text, re.DOTALL)[1])


def swept():
    sizes = {"b": LENGTHS, "c": LENGTHS}
    return kb.sweep(four_bar("25_sweep.py"), sizes, ["transmission angle", "stroke"])


def parallel():
    return swept().draw("transmission angle")


def contour():
    return swept().draw("transmission angle", over=("b", "c"))


def six_points():
    """The curve of the tip, the points, and the linkage where it meets the third of them."""
    m = kb.redimension(four_bar("26_optimise.py"), **BEST)
    moved = kb.motion(m, np.linspace(0, 2 * np.pi, 361))
    tip = moved.point("coupler", "tip").position[:, :2]
    k = int(np.argmin(np.linalg.norm(tip - TARGETS[2], axis=1)))
    bodies = {"A": "crank", "B": "crank", "C": "coupler", "D": "rocker", "tip": "coupler"}
    pins = {name: moved.point(body, name).position[k, :2] for name, body in bodies.items()}
    seen = np.vstack([tip, *pins.values(), TARGETS])
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = 420 / max(high - low)
    width, height = (high - low) * scale + 80

    def at(p):
        return 40 + (p[0] - low[0]) * scale, height - 40 - (p[1] - low[1]) * scale

    def path(points, rest):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, points))
        return f"<polyline points='{places}' {rest}/>"

    def dot(p, rest):
        x, y = at(p)
        return f"<circle cx='{x:.1f}' cy='{y:.1f}' {rest}/>"

    triangle = [pins[name] for name in ("B", "C", "tip", "B")]
    parts = [
        path([*tip[::3], tip[0]], f"fill='none' stroke='{BLUE}' stroke-width='1.8'"),
        path(triangle, "fill='#dbeafe' fill-opacity='.7' stroke='#374151' stroke-width='2'"),
        line(at(pins["A"]), at(pins["B"]), INK, 4),
        line(at(pins["D"]), at(pins["C"]), INK, 4),
    ]
    for name, p in pins.items():
        parts.append(dot(p, f"r='4' fill='white' stroke='{INK}' stroke-width='2'"))
        parts.append(words((at(p)[0] + 8, at(p)[1] - 6), name, INK))
    parts += [dot(p, f"r='3.5' fill='{PURPLE}'") for p in TARGETS]
    title = "a four-bar whose coupler point passes six points on a line"
    return picture(title, width, height, parts)


PICTURES = {"parallel.svg": parallel, "contour.svg": contour, "line.svg": six_points}

if __name__ == "__main__":
    for name, drawn in PICTURES.items():
        (HERE / name).write_text(drawn(), "utf-8")
