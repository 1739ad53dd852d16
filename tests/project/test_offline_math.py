"""Formulas of the pages: what docutils would set wrongly is rewritten first."""

import sys
from pathlib import Path

import pytest

nodes = pytest.importorskip("docutils.nodes")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
mathml = pytest.importorskip("offline_math").mathml


@pytest.mark.parametrize("formula", [r"\dot q_1", r"\ddot\Theta_{jk}", r"\dot{\mathbf p}_k^2"])
def test_indices_of_letters_with_dots(formula):
    """An index stands beside a letter with a dot, not below it."""
    text = mathml(nodes.math(formula, formula))
    assert "<msub" in text
    assert "munder" not in text


@pytest.mark.parametrize(("formula", "mark"), [(r"\ddot O", "¨"), (r"\dot q_1", "˙")])
def test_dots_stand_above_their_letters(formula, mark):
    """Dots are no accents, which browsers lay on the letter without a font for mathematics."""
    text = mathml(nodes.math(formula, formula))
    assert "accent" not in text and f'<mo scriptlevel="0">{mark}</mo>' in text


def test_lines_above_letters_are_as_long_as_these():
    """Of each of two products, and not of all between them."""
    formula = r"\overline{S_{i0}S_{ij}} + \overline{z u}"
    text = mathml(nodes.math(formula, formula))
    assert text.count("border-top") == 2 and "accent" not in text
    plain = text.partition("border-top")[2].partition("border-top")[0]
    assert "<mo>+</mo>" in plain and "<mi>S</mi>" in plain
