"""Formulas of the pages: what docutils would set wrongly is rewritten first."""

import sys
from pathlib import Path

import pytest
from docutils import nodes

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
from offline_math import mathml


@pytest.mark.parametrize("formula", [r"\dot q_1", r"\ddot\Theta_{jk}", r"\dot{\mathbf p}_k^2"])
def test_indices_of_letters_with_dots(formula):
    """An index stands beside a letter with a dot, not below it."""
    text = mathml(nodes.math(formula, formula))
    assert "<msub" in text
    assert "munder" not in text
