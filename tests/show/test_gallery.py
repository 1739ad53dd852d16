"""The gallery of the docs: every mechanism loads, moves and is drawn; its commands are right."""

from __future__ import annotations

import re
import shlex
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from korba.cli.commands import app, loaded

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
import gallery
from moving_picture import HUES as SOLID
from moving_picture import moving_picture, shade

SVG = "{http://www.w3.org/2000/svg}"
every = pytest.mark.parametrize("shown", gallery.EVERY, ids=lambda shown: shown.key)


def test_there_are_many_of_all_kinds():
    """At least 24, each once, from all formats, and every file of the folder is shown."""
    keys = [shown.key for shown in gallery.EVERY]
    assert len(set(keys)) == len(keys) >= 24
    files = {shown.file for shown in gallery.EVERY if shown.own}
    assert files == {path.name for path in gallery.FOLDER.iterdir()}
    assert {Path(name).suffix for name in files} == {".toml", ".urdf", ".xml"}


@every
def test_each_loads_moves_and_draws(shown):
    """A motion that is one, and a picture whose parts move, light enough for a page of many."""
    m = shown.mechanism()
    motion = shown.motion(m)
    assert motion.status == "finished"
    assert np.ptp(motion.q, axis=0).max() > 1e-3
    text = moving_picture(motion, "dark", shown.path)
    root = ET.fromstring(text)
    moves = [
        each for each in root.iter() if each.tag in (f"{SVG}animate", f"{SVG}animateTransform")
    ]
    assert sum(len(set(each.get("values").split(";"))) > 5 for each in moves) >= 1
    assert "nan" not in text
    assert len(text) < 80_000
    if not m.plane:
        assert "class='solids'" in text and "class='link" not in text  # shaded as elsewhere
        assert any(shade(color, light) in text for color in SOLID for light in (0.9, 1.0))
    if m.plane:
        low, high = [0, 0], [float(x) for x in root.get("viewBox").split()[2:]]
        for each in moves:
            if each.get("attributeName") == "d":
                points = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", each.get("values")), float)
                assert np.all(points >= low) and np.all(points <= high)


@every
def test_its_card_says_what_it_is(shown):
    """Two lines, the freedom, the file, and commands with options that the tool has."""
    assert 60 < len(shown.about) < 260
    card = gallery.card(shown)
    assert re.search(r"\d+ freedoms?, \d+ bodies, \d+ joints", card)
    assert f"href='gallery/{shown.name}' download" in card
    for line in shown.commands():
        program, name, *words = shlex.split(line)
        known = {opt for param in loaded(name).params for opt in param.opts}
        assert program == "korba"
        assert {word for word in words if word.startswith("--")} <= known


def test_a_command_makes_the_page(tmp_path, monkeypatch):
    """That of the gymnast, as the card has it."""
    monkeypatch.chdir(tmp_path)
    shown = next(each for each in gallery.EVERY if each.key == "gymnast")
    Path(shown.name).write_text(shown.text(), "utf-8")
    for line in shown.commands():
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, result.output
    assert "gymnast</title>" in Path("gymnast.html").read_text("utf-8")
