"""Pages in which mechanisms live: their own programs give what kb.assemble gives."""

import re

import numpy as np
import pytest
from node_program import data_of, in_node

import korba as kb

FOUR = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
MECHANISMS = {
    "four-bar": FOUR,
    "slider-crank": kb.linkages.slider_crank(0.1, 0.4),
    "quick return": kb.linkages.quick_return(0.1, 0.25, 0.5, 0.2),
    "jansen": kb.linkages.jansen(),
}


def places(page, value, sizes):
    """Points of the page in pixels, as its own script finds them; None if loops stay open."""
    code = f"""
    const controls = {{ value: {value}, dataset: {{}}, addEventListener() {{}},
      parentElement: {{ querySelector: () => ({{}}) }} }};
    const element = {{ classList: {{ toggle() {{}} }}, setAttribute() {{}}, addEventListener() {{}},
      querySelectorAll: () => [] }};
    const root = {{
      querySelector: (name) => name === "[data-input]" ? controls : element,
      querySelectorAll: () => {sizes}.map((value) => ({{ ...controls, value }})),
    }};
    console.log(JSON.stringify(live(root, data, assemble, places).at({value}, {sizes})));
    """
    points = in_node(page, code)
    if points is None:
        return None
    data = data_of(page)
    return (np.array(points) - data["shift"]) / data["scale"] * [1, -1]


@pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS)
def test_the_page_computes_what_korba_computes(m):
    """Every pin at another input and other sizes, against the redimensioned mechanism."""
    page = kb.live(m)
    names = re.findall(r"data-size='([^']*)'", page)
    lead = re.search(r"data-input='([^']*)'", page).group(1)
    own = [float(x) for x in re.findall(r"data-size=.*? value='([^']*)'", page)]
    sizes = [x * (1.02 if i % 2 else 0.99) for i, x in enumerate(own)]
    value = data_of(page)["low"] + 0.4
    shown = places(page, value, sizes)
    other = kb.redimension(m, **dict(zip(names, sizes, strict=True)))
    at = kb.assemble(other, {lead: value})
    pins = [at.point(body.name, name)[:2] for body in other.bodies for name, _ in body.points] or [
        at.point(other.bodies[0].name)[:2]
    ]
    for pin in pins:
        assert np.min(np.linalg.norm(shown - pin, axis=1)) < 1e-9


def test_what_does_not_close_is_said():
    """A rocker that is too short: the page's routine says so."""
    page = kb.live(FOUR)
    assert places(page, 1.0, [0.2, 0.6, 0.5, 0.7]) is not None
    assert places(page, 1.0, [0.2, 0.6, 0.005, 0.7]) is None


def test_sizes_that_change_curves_have_no_slider():
    """A pitch circle is drawn once; asked for by name its size is refused."""
    gear = kb.linkages.planetary(0.05, 0.03)
    page = kb.live(gear)
    assert "data-size='" not in page
    assert places(page, 1.0, []) is not None
    with pytest.raises(kb.StructureError, match="changes a curve"):
        kb.live(gear, sizes=("sun",))


def test_what_cannot_live_is_said():
    """Spatial mechanisms, and points that are not there."""
    with pytest.raises(kb.StructureError, match="spatial"):
        kb.live(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35))
    with pytest.raises(kb.StructureError, match="no point 'Z'"):
        kb.live(FOUR, path="coupler.Z")


def test_nothing_is_loaded():
    """The page stands alone."""
    assert not re.findall(r"(?:src|href)=|import ", kb.live(FOUR))
