"""Mass properties: Steiner, axes, point masses, with the book's constructed numbers (4.2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

LINK = kb.mass_properties(kb.Body("link", 2, (0.3, 0), 0.06))


def test_two_masses_stand_for_a_link():
    """With one mass in A the other lies in the centre of percussion (book, 4.2)."""
    model = LINK.point_masses([(0, 0)], dynamic=True)
    assert_allclose(model.masses, [0.5, 1.5], rtol=1e-14)
    assert_allclose(model.points[1], [0.4, 0, 0], rtol=1e-14, atol=1e-16)
    assert_allclose(LINK.percussion((0, 0)), [0.4, 0, 0])


def test_three_masses_stand_for_a_link():
    """Masses in both ends and in S (book, 4.2)."""
    model = LINK.point_masses([(0, 0), (0.3, 0), (0.6, 0)], dynamic=True)
    assert_allclose(model.masses, [1 / 3, 4 / 3, 1 / 3], rtol=1e-13)


def test_static_masses_keep_the_centre():
    """Two masses divide the mass by their distances from S."""
    assert_allclose(LINK.point_masses([(0.1, 0), (0.9, 0)]).masses, [1.5, 0.5])


def test_a_shifted_tensor():
    """Every entry of the tensor about another point (book, 4.3)."""
    body = kb.mass_properties(kb.Body("link", 3, inertia=(0.02, 0.03, 0.04)))
    tensor = [[0.41, 0.06, -0.09], [0.06, 0.33, 0.18], [-0.09, 0.18, 0.19]]
    assert_allclose(body.about((0.1, -0.2, 0.3)), tensor, atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_point_masses_in_space_are_the_body(seed):
    """Masses at ten points and more have mass, centre and tensor of any body."""
    rng = np.random.default_rng(seed)
    box = kb.solids.Box(*rng.uniform(0.1, 0.3, 3), density=2700, at=rng.normal(size=3))
    body = kb.mass_properties(box).turned(rng.normal(size=3))
    model = body.point_masses(body.com + rng.normal(size=(14, 3)), dynamic=True, plane=None)
    assert_allclose(model.properties.inertia, body.inertia, atol=1e-11 * body.mass)
    assert_allclose(model.properties.com, body.com, atol=1e-11)


def test_principal_axes_turn_with_the_body():
    """Moments stay, axes are those of the box, and are right-handed."""
    box = kb.mass_properties(kb.solids.Box(0.3, 0.2, 0.1, density=1000))
    moments, axes = box.turned([0.1, 0.2, 0.3]).principal
    assert_allclose(moments, sorted(np.diag(box.inertia)))
    assert_allclose(np.linalg.det(axes), 1.0)
    turned = box.turned([0.1, 0.2, 0.3])
    assert_allclose(axes @ np.diag(moments) @ axes.T, turned.inertia, atol=1e-15)


def test_properties_add_like_solids():
    """Of two bodies together, and of what is left without one."""
    a, b = kb.solids.Sphere(0.1, density=1000), kb.solids.Rod((0, 0), (1, 1), 0.1, density=500)
    both = kb.mass_properties(a) + kb.mass_properties(b)
    assert_allclose(both.inertia, (a + b).inertia, atol=1e-13)
    assert_allclose((both - kb.mass_properties(b)).com, [0, 0, 0], atol=1e-14)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LINK.point_masses([(0, 0.1), (1, 0)]), "no 2 masses at these points"),
        (lambda: LINK.point_masses([(0, 0), (0.6, 0)], dynamic=True), "moments of inertia"),
        (lambda: LINK.point_masses([]), "expected points"),
        (lambda: LINK.point_masses([(0, 0)], plane="xz"), "'xz'"),
        (lambda: LINK.percussion((0.3, 0)), "centre of mass"),
        (lambda: LINK.turned("3 kg"), "turned: "),
        (lambda: LINK.about((1, 2, 3, 4)), "two or three components"),
        (lambda: kb.mass_properties("link"), "mass_properties: of"),
        (lambda: kb.mass_properties(kb.Body("b", "3 m")), "expected a mass"),
    ],
)
def test_what_cannot_be_is_told(call, words):
    """A sentence for what makes no sense."""
    with pytest.raises(kb.KorbaError, match=words):
        call()
