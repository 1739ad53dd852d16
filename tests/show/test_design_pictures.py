"""The pictures of docs/best_design.md are those that Korba draws today."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "designs"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(FOLDER / "make_designs.py"))


def test_every_picture_is_made(script):
    """No picture is there that nothing makes."""
    assert {path.name for path in FOLDER.glob("*.svg")} == set(script["PICTURES"])


@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("name", ["parallel.svg", "contour.svg", "line.svg"])
def test_pictures_are_as_drawn_now(script, name):
    """The same words and shapes, and the same numbers but for the last digit."""
    now, kept = script["PICTURES"][name](), (FOLDER / name).read_text("utf-8")
    assert NUMBER.sub("#", now) == NUMBER.sub("#", kept)
    one, two = (np.array([float(x) for x in NUMBER.findall(text)]) for text in (now, kept))
    assert_allclose(one, two, rtol=0, atol=0.11)
