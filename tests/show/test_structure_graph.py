"""Structure graphs: every link and pair is in the picture, whatever the mechanism."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import korba as kb

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "structure").glob("*.toml"))
SVG = "{http://www.w3.org/2000/svg}"


def links_and_pairs(m: kb.Mechanism) -> set[str]:
    return {"ground", *(b.name for b in m.bodies), *(f"{j.name} ({j.symbol})" for j in m.joints)}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_link_and_pair_is_in_the_picture(path):
    """The SVG is well-formed XML with a text for every link and every pair, inside its frame."""
    m = kb.load(path)
    root = ET.fromstring(kb.draw(m, graph=True))
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert links_and_pairs(m) <= texts
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x")) <= width
        assert 0 <= float(element.get("y")) <= height


def test_names_are_escaped():
    """Names with XML characters do not break the picture."""
    m = kb.Mechanism(
        "<&>", [kb.Body("a<b")], [kb.Revolute('J"&', "ground", "a<b", at=(0, 0))], plane="xy"
    )
    texts = {e.text for e in ET.fromstring(kb.draw(m, graph=True)).iter(f"{SVG}text")}
    assert {"a<b", 'J"& (R)'} <= texts


@pytest.mark.parametrize("count", [0, 1, 2, 80])
def test_chains_of_any_length_can_be_drawn(count):
    """Open chains are drawn in rows, also the empty mechanism."""
    names = ["ground", *(f"b{i}" for i in range(count))]
    joints = [kb.Revolute(f"J{i}", names[i], names[i + 1], at=(i, 0)) for i in range(count)]
    m = kb.Mechanism("chain", [kb.Body(n) for n in names[1:]], joints, plane="xy")
    root = ET.fromstring(kb.draw(m, graph=True))
    assert links_and_pairs(m) <= {e.text for e in root.iter(f"{SVG}text")}
