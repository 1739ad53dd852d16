"""A design that collapses is refused in a sentence that names it, wherever it is given."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import korba as kb
from korba.design.optimise import _problem

SIZES = {"four_bar": "abc", "watt": "ab", "slider_crank": ("crank", "rod"), "rssr": "abc"}
"""Lengths of links between points, of ready mechanisms."""
GIVEN = {
    "four_bar": (0.2, 0.6, 0.6, 0.8),
    "watt": (0.2, 0.6, 0.5, 0.7, 0.4, 0.6, 0.5, 0.9),
    "slider_crank": (0.05, 0.15),
    "rssr": (0.2, 0.9, 0.6, 0.8),
}
CRANK = """
plane = "xy"
parameters.r = "50 mm"
parameters.l = "150 mm"
body = [{name = "crank"}, {name = "rod"}, {name = "slider"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + l", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "t"}]
"""


@pytest.fixture(scope="module", params=SIZES)
def ready(request):
    """A ready mechanism and the names of its lengths."""
    return getattr(kb.linkages, request.param)(*GIVEN[request.param]), SIZES[request.param]


def test_no_link_has_length_0(ready):
    """A builder, `redimension`, a verb, and a motion of designs refuse each, by name."""
    m, sizes = ready
    for size in sizes:
        with pytest.raises(kb.KorbaError, match="has no length between its joints"):
            kb.redimension(m, **{size: 0.0})
        for ask in (kb.poses, kb.centre_of_mass):
            with pytest.raises(kb.StructureError, match=rf"design \[1\].* {size} = 0"):
                ask(m, np.zeros(m.nq) + 1.0, parameters={size: [0.1, 0.0]})
        with pytest.raises(kb.StructureError, match=rf"design \[1\].* {size} = 0"):
            kb.motion(m, [0.0, 0.1], parameters={size: [0.1, 0.0]})


def test_the_body_is_named():
    """Not only the size: the link, its joints and the way out."""
    with pytest.raises(kb.FileError) as caught:
        kb.loads(CRANK.replace('r = "50 mm"', "r = 0"))
    message = str(caught.value)
    assert "body 'crank': has no length between its joints 'A' and 'B', with r = 0" in message
    assert "give it a length above 0" in message


def test_a_sweep_marks_what_collapses():
    """Lanes of no length and of negative mass have their reasons; the others are answered."""
    m = kb.linkages.four_bar(*GIVEN["four_bar"])
    sizes = {"a": [0.0, 0.2], "density": [1.0, -1.0]}
    sweep = kb.sweep(m, sizes, "transmission angle", [0.0, 0.1])
    assert_array_equal(sweep.ok, [False, False, True, False])
    assert "body 'crank': has no length" in sweep.reasons[0]
    assert "mass is negative" in sweep.reasons[3]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"a": (0.0, 0.3)}, "'a': there is no mechanism at the lower end of its range, 0: with a"),
        ({"density": (-1.0, 1.0)}, "'density': there is no mechanism at the lower end"),
    ],
)
def test_ends_without_a_mechanism_are_refused(bounds, message):
    """Bounds of `kb.optimise` at which the design collapses are named."""
    m = kb.linkages.four_bar(*GIVEN["four_bar"])
    with pytest.raises(kb.StructureError, match=message):
        kb.optimise(m, "transmission angle", bounds)


def test_what_collapses_within_bounds_costs_nothing_else():
    """Designs inside the box that no mechanism has are passed over."""
    text = CRANK.replace('{name = "crank"}', '{name = "crank", mass = "(r + l - 0.19)*1 kg/m"}')
    m = kb.loads(text)
    problem = _problem(m, "-size", {"r": (0.042, 0.05), "l": (0.145, 0.17)}, (), [0.0, 0.1])
    x = np.array([[0.0, 0.0], [0.5, 0.5], [0.1, 0.1], [1.0, 1.0]])
    total = problem.sizes(x).sum(axis=1)
    assert_array_equal(np.isfinite(problem.costs(x)), total > 0.19)


def test_pins_on_one_axis_may_be_meant():
    """Without a size in their places they are no collapse: shafts in one line, three on one pin."""
    m = kb.loads(CRANK.replace('at = ["r", 0]', "at = [0, 0]").replace('"r + l"', '"l"'))
    assert [joint.name for joint in m.joints if joint.joins("crank")] == ["A", "B"]


def test_many_designs_are_judged_as_few(monkeypatch):
    """Machine code and NumPy mark the same designs, nan and collapsed ones too."""
    from korba.verbs import designs

    m, names = kb.linkages.four_bar(*GIVEN["four_bar"]), ("a", "b", "c", "d")
    p = np.random.default_rng(0).normal(size=(200, 4))
    p[::7, 1], p[3, 0] = 0.0, np.nan
    few = designs.fit(m, names, p)
    monkeypatch.setattr(designs, "MANY", 1)
    assert_array_equal(designs.fit(m, names, p), few)
    assert 0 < few.sum() < len(p)
