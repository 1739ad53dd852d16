"""Damaged but loadable mechanisms: structure answers with numbers that balance, or a KorbaError."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from law_counts import some

import korba as kb

TEXTS = [
    path.read_text()
    for path in sorted((Path(__file__).parents[2] / "examples" / "structure").glob("*.toml"))
]
NUMBER = re.compile(r"-?\d+(\.\d+)?")
TYPE = re.compile(r'"(revolute|prismatic|spherical|cylindrical|universal|pin-in-slot)"')
SIZES = ["0", "1e10", "-1", "1e-9", "1e200", "3", "0.5"]


def damaged(rng):
    """A file with one to three of its lines changed, left out or doubled."""
    lines = rng.choice(TEXTS).splitlines()
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(lines))
        chance = rng.random()
        if chance < 0.5:
            lines[i] = NUMBER.sub(lambda m: rng.choice([m.group(), *SIZES]), lines[i])
        elif chance < 0.75:
            lines[i] = TYPE.sub(lambda _: f'"{rng.choice([*kb.JOINT_TYPES])}"', lines[i])
        elif chance < 0.9:
            lines[i] = ""
        else:
            lines.insert(i, rng.choice(lines))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", some(3, 8))
def test_structure_of_damaged_mechanisms(seed):
    """W_R balances, nothing is negative, and no other exception or warning escapes."""
    rng = random.Random(seed)  # noqa: S311
    answered = 0
    for _ in range(40):
        try:
            m = kb.loads(damaged(rng))
            report = kb.mobility(m)
        except kb.KorbaError:
            continue
        answered += 1
        found = report.theoretical - report.local + report.passive - report.blocked
        assert report.actual == found
        assert min(report.actual, report.local, report.passive, report.blocked) >= 0
        assert str(report)
        assert kb.draw(m, graph=True)
        try:
            assert str(kb.groups(m, m.coordinates[:1]))
        except kb.KorbaError as error:
            assert str(error)
    assert answered > 5
