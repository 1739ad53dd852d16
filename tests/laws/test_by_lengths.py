"""Mechanisms by their lengths are drawn where the closed forms say."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.model.drawing import drawing
from korba.system.system import system_of

SEEDS = list(seeds())
FOUR_BAR = """
plane = "xy"
points = { A = [0, 0], D = ["d", 0] }

[parameters]
a = 1
b = 3
c = 2.5
d = 3.2

[[body]]
name = "crank"
points = { A = [0, 0], B = ["a", 0] }

[[body]]
name = "coupler"
points = { B = [0, 0], C = ["b", 0], P = ["b/2", 0.5] }

[[body]]
name = "rocker"
points = { D = [0, 0], C = ["c", 0] }

[[joint]]
name = "A"
type = "revolute"
parent = "ground.A"
child = "crank.A"
drawn = "40 deg"

[[joint]]
name = "B"
type = "revolute"
parent = "crank.B"
child = "coupler.B"

[[joint]]
name = "C"
type = "revolute"
parent = "coupler.C"
child = "rocker.C"

[[joint]]
name = "D"
type = "revolute"
parent = "ground.D"
child = "rocker.D"
"""


def random_sizes(rng):
    """Lengths of a crank-rocker, which closes at any angle of its crank (Grashof)."""
    a, b, c = rng.uniform(0.3, 0.9), *rng.uniform(1.5, 2.5, 2)
    low, high = abs(b - c) + a, b + c - a
    return {"a": a, "b": b, "c": c, "d": rng.uniform(max(low, a) + 0.1, high - 0.1)}


def closed_form(p_B, p_D, b, c, side):
    """C of a dyad: at b from B and c from D, left or right of the line from B to D."""
    d = p_D - p_B
    distance = np.hypot(*d)
    along = (distance**2 + b**2 - c**2) / (2 * distance)
    across = np.sqrt(b**2 - along**2) * (1 if side == "left" else -1)
    u = d / distance
    return p_B + along * u + across * np.array([-u[1], u[0]])


def place(m, name):
    """Where a joint is drawn."""
    return np.asarray(drawing(m).X_WF[name].p[:2], dtype=float)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", ["left", "right", None])
def test_a_four_bar_is_drawn_where_its_lengths_say(seed, side):
    """C is the point of two circles on the side asked for, the left one where nobody asks."""
    rng = np.random.default_rng(seed)
    sizes, angle = random_sizes(rng), rng.uniform(-np.pi, np.pi)
    text = FOUR_BAR.replace('"40 deg"', repr(angle))
    m = kb.loads((f'assembly = {{ C = "{side}" }}\n' if side else "") + text, **sizes)
    p_B = sizes["a"] * np.array([np.cos(angle), np.sin(angle)])
    expected = closed_form(p_B, np.array([sizes["d"], 0]), sizes["b"], sizes["c"], side or "left")
    assert_allclose(place(m, "B"), p_B, atol=1e-12)
    assert_allclose(place(m, "C"), expected, atol=1e-9)
    assert any("left" in note for note in m.notes) == (side is None)
    assert kb.loads(kb.dumps(m)) == m


@pytest.mark.parametrize("seed", SEEDS)
def test_other_sizes_are_assembled_on_the_same_branch(seed):
    """Redimensioned is what is assembled afresh with the new sizes on the same side."""
    rng = np.random.default_rng(seed)
    side = rng.choice(["left", "right"])
    before = kb.loads(f'assembly = {{ C = "{side}" }}\n{FOUR_BAR}')
    bare = replace(before, assembly=None)
    assert_allclose(place(bare, "C"), place(before, "C"), atol=1e-12)
    sizes = random_sizes(rng)
    after = kb.redimension(bare, **sizes)
    fresh = kb.loads(f'assembly = {{ C = "{side}" }}\n{FOUR_BAR}', **sizes)
    again = kb.loads(kb.dumps(after))
    for joint, other in zip(after.joints, fresh.joints, strict=True):
        assert_allclose(np.sin(joint.drawn), np.sin(other.drawn), atol=1e-9)
        assert_allclose(again.joint(joint.name).drawn, joint.drawn, atol=1e-9)


def test_frames_are_formulas_of_the_points():
    """With sizes as symbols the frames of joints on links are the points, and nothing else."""
    system = system_of(kb.loads(FOUR_BAR), parameters=("a", "b", "d"))
    links = {link.name: str(link.X_PF.p[0]) for link in system.tree.links}
    assert links == {"crank": "0.0", "rocker": "'p[2]'", "coupler": "'p[0]'"}
    assert str(system.ties[0].X_LF.p[0]) == "'p[1]'"
