"""The table of common units says what pint says, and pint is loaded for other units only."""

import subprocess
import sys

import pytest

from korba.expr.common_units import COMMON
from korba.expr.units import unit, unusual

IN_PINT = {"°": "degree", "%": "percent", "rev": "turn"}
"""Names that pint has in another spelling."""
ROUNDING = 1e-15
"""pint multiplies factors one by one: 1 ft is 0.30479999999999996 m there."""


@pytest.mark.parametrize("name", sorted(COMMON.keys() - {"Nm"}))
def test_a_common_unit_is_that_of_pint(name):
    """Factor and dimension."""
    factor, dimension = unusual(IN_PINT.get(name, name))
    assert COMMON[name][0] == pytest.approx(factor, rel=ROUNDING)
    assert COMMON[name][1] == dimension


def test_newton_metres_are_moments():
    """Nm is no unit of pint as it is written here."""
    assert COMMON["Nm"] == unit("N*m")


def test_pint_waits_for_an_unusual_unit():
    """A mechanism in millimetres moves without it; a furlong asks for it."""
    text = """
import sys
import korba as kb

m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
kb.assemble(m, {"A": "60 deg"})
print("pint" in sys.modules)
kb.linkages.four_bar("1 furlong", "3 furlong", "2 furlong", "2.5 furlong")
print("pint" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "True"]
