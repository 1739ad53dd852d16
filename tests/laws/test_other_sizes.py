"""Other sizes of a mechanism, and dyads closed without a search: what the long way gives."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.files.lines import Lines
from korba.files.reading import mechanism_of
from korba.files.writing import document_of
from korba.linkages.ready import ready
from korba.model.drawing import drawing
from korba.positions.sketch import _Sketch

READY = ready()


def whole(m, sizes):
    """The mechanism with other sizes, its whole document read again."""
    error = partial(kb.ModelError.of_faults, f"mechanism {m.name!r}")
    return mechanism_of(document_of(m), sizes, Lines(), error, m.text, near=m)


def outcome(make):
    """A mechanism, or the error in its place."""
    try:
        return make()
    except kb.ModelError as error:
        return str(error)


@pytest.mark.parametrize("name", READY)
@pytest.mark.parametrize("seed", seeds(0.1))
def test_only_what_changes_is_read_again(name, seed):
    """Redimensioned is what the whole document gives with the new sizes: values, notes, texts."""
    rng = np.random.default_rng(seed)
    m = READY[name][1]()
    for _ in range(2):
        texts = [key for key, raw in m.parameters if isinstance(raw, str) and raw[0].isdigit()]
        chosen = rng.choice(texts, min(2, len(texts)), replace=False).tolist()
        raw = dict(m.parameters)
        sizes = {key: f"{rng.uniform(0.98, 1.02)!r}*({raw[key]})" for key in chosen}
        new = outcome(partial(kb.redimension, m, **sizes))
        expected = outcome(partial(whole, m, sizes))
        if isinstance(expected, str):
            assert new == expected
            continue
        assert new == expected
        assert new.notes == expected.notes
        assert dict(new.formulas) == dict(expected.formulas)
        assert kb.dumps(new) == kb.dumps(expected)
        m = new


def test_a_formula_that_holds_no_more_is_no_formula():
    """A value that was replaced stays, whatever its text said."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    heavy = kb.Body("coupler", mass=7.0, points=m.body("coupler").points)
    bodies = [heavy if body.name == "coupler" else body for body in m.bodies]
    other = kb.redimension(replace(m, bodies=bodies), b=0.62)
    assert other.body("coupler").mass == 7.0
    assert dict(other.body("coupler").points)["C"] == (0.62, 0.0, 0.0)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"bolt": 1.0}, "no parameter 'bolt'"),
        ({"b": "3 kg"}, "expected a length"),
        ({"b": -1.0}, "mass is negative"),
        ({"b": "c +"}, "cannot read"),
        ({"b": 3.0}, r"joint 'C': cannot be closed.*'coupler' \(3 m from B to C\) by about 1.4"),
    ],
)
def test_sizes_that_make_no_mechanism_are_refused_in_words(sizes, message):
    """A design that is none tells why, as a file does."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8)
    with pytest.raises(kb.ModelError, match=message):
        kb.redimension(m, **sizes)


def random_dyads(rng):
    """A crank and random dyads through random points: bodies, joints, sides, and the points.

    Links are given by lengths alone; a slide moves on the ground.
    """
    points = {"A": np.zeros(2), "B": rng.uniform(0.5, 1.0, 2)}
    where = {"A": ("ground", "A"), "B": ("crank", "B")}
    ground, sides, joints = {"A": (0, 0)}, {}, []
    bodies = {"crank": {"A": (0, 0), "B": points["B"]}}
    for i in range(rng.integers(1, 4)):
        inner, corner, new = f"P{i}", f"Q{i}", rng.uniform(-2, 2, 2)
        first = str(rng.choice([key for key in where if where[key][0] != "ground"]))
        base, angle = rng.uniform(-2, 2, 2), rng.uniform(0, 2 * np.pi)
        u = np.array([np.cos(angle), np.sin(angle)])
        length = np.linalg.norm(new - points[first])
        bodies[f"rod{i}"] = {first: (0, 0), inner: (length, 0), corner: rng.uniform(-1, 1, 2)}
        joints.append(kb.Revolute(f"{first}{i}", ".".join(where[first]), f"rod{i}.{first}"))
        e = (new - points[first]) / length
        turned = np.array([[e[0], -e[1]], [e[1], e[0]]]) @ bodies[f"rod{i}"][corner]
        if rng.random() < 0.6:
            ground[f"D{i}"] = tuple(base)
            bodies[f"arm{i}"] = {f"D{i}": (0, 0), inner: (np.linalg.norm(new - base), 0)}
            joints.append(kb.Revolute(f"D{i}", f"ground.D{i}", f"arm{i}.D{i}"))
            area = np.linalg.det([base - points[first], new - points[first]])
        else:
            ground[f"D{i}"] = tuple(new - rng.uniform(-1, 1) * u)
            bodies[f"arm{i}"] = {inner: (0, 0)}
            joints.append(kb.Prismatic(f"D{i}", f"ground.D{i}", f"arm{i}.{inner}", axis=(*u, 0)))
            area = -u @ (new - points[first])
        joints.append(kb.Revolute(inner, f"rod{i}.{inner}", f"arm{i}.{inner}"))
        sides[inner] = "left" if area >= 0 else "right"
        points |= {inner: new, corner: points[first] + turned}
        where |= {inner: (f"rod{i}", inner), corner: (f"rod{i}", corner)}
    links = [kb.Body(name, points=own) for name, own in bodies.items()]
    joints = [kb.Revolute("A", "ground.A", "crank.A", drawn=0.0), *joints]
    return links, joints, ground, sides, points


@pytest.mark.parametrize("seed", seeds())
def test_a_drawing_is_found_again_from_its_lengths_and_sides(seed, monkeypatch):
    """Pins lie where they were when only lengths, sides and the crank's angle are told."""
    bodies, joints, ground, sides, points = random_dyads(np.random.default_rng(seed))
    monkeypatch.setattr(_Sketch, "_starts", None)  # nothing is searched
    m = kb.Mechanism("dyads", bodies, joints, plane="xy", points=ground, assembly=sides)
    X_WF = drawing(m).X_WF
    for name in sides:
        assert_allclose(X_WF[name].p[:2], points[name], rtol=0, atol=1e-9)


def test_what_does_not_reach_is_named():
    """A later dyad that cannot be closed is told with its links, not with the pin before it."""
    bodies = [
        kb.Body("crank", points={"P": (0, 0), "Q": (0.5, 0)}),
        kb.Body("coupler", points={"P": (0, 0), "Q": (2, 0), "E": (0.6, 0.5)}),
        kb.Body("rocker", points={"P": (0, 0), "Q": (2, 0)}),
        *(kb.Body(name, points={"P": (0, 0), "Q": (1.14, 0)}) for name in ("rod", "arm")),
    ]
    pins = {
        "A": ("ground.A", "crank.P"),
        "B": ("crank.Q", "coupler.P"),
        "C": ("coupler.Q", "rocker.Q"),
        "D": ("ground.D", "rocker.P"),
        "E": ("coupler.E", "rod.P"),
        "F": ("rod.Q", "arm.Q"),
        "G": ("ground.G", "arm.P"),
    }
    joints = [kb.Revolute(k, *x, drawn=1.0 if k == "A" else None) for k, x in pins.items()]
    points = {"A": (0, 0), "D": (2.2, 0), "G": (2.7, 1.0)}

    def made(**more):
        return kb.Mechanism("six-bar", bodies, joints, plane="xy", points=points, **more)

    assert "'C' right" in made().notes[0]  # the left one does not close
    with pytest.raises(kb.ModelError) as caught:
        made(assembly={"C": "left"})
    message = str(caught.value)
    assert "joint 'F': cannot be closed: 'E' and 'G' are 2.40987 m apart" in message
    assert "'rod' (1.14 m from E to F) by about 0.04725 m" in message
