"""Sizes by name in elements that are made in Python: what a file with the same texts gives."""

import dataclasses

import numpy as np
import pytest

import korba as kb

FILE = """
korba = 1
name = "block"
plane = "xy"

[parameters]
l = "60 mm"
c = "2 kN/m"
mu = 0.1

[[body]]
name = "block"
mass = "1 kg"
com = ["l/2", 0]
points = { P = ["2*l", 0] }
shapes = [{ kind = "box", size = ["l", "10 mm", "10 mm"] }]

[[joint]]
name = "J"
type = "prismatic"
parent = "ground"
child = "block"
at = [0, 0]
axis = [1, 0]
friction = { coefficient = "mu", half_height = "l" }

[[force]]
name = "spring"
type = "spring"
body_a = "ground"
at_a = ["-l", 0]
body_b = "block"
at_b = "P"
stiffness = "c"
free_length = "l"

[[force]]
name = "push"
type = "joint"
joint = "J"
law = "-c*J + 3*l*c*cos(2*pi*t)"

[[drive]]
name = "drive"
joint = "J"
position = "l*sin(2*pi*t)"
"""


def in_python(**sizes):
    """The same mechanism, by its classes."""
    return kb.Mechanism(
        name="block",
        plane="xy",
        parameters={"l": "60 mm", "c": "2 kN/m", "mu": 0.1, **sizes},
        bodies=[
            kb.Body(
                "block",
                mass="1 kg",
                com=("l/2", 0),
                points={"P": ("2*l", 0)},
                shapes=[kb.Shape("box", size=("l", "10 mm", "10 mm"))],
            )
        ],
        joints=[
            kb.Prismatic(
                "J",
                "ground",
                "block",
                at=(0, 0),
                axis=(1, 0),
                friction=kb.Friction(coefficient="mu", half_height="l"),
            )
        ],
        forces=[
            kb.Spring("spring", "ground", ("-l", 0), "block", "P", stiffness="c", free_length="l"),
            kb.JointForce("push", "J", law="-c*J + 3*l*c*cos(2*pi*t)"),
        ],
        drives=[kb.JointDrive("drive", "J", position="l*sin(2*pi*t)")],
    )


def test_texts_in_python_mean_what_they_mean_in_a_file():
    """A mechanism of classes whose texts name its parameters equals the one of its file."""
    assert in_python() == kb.loads(FILE)


def test_sizes_in_python_can_be_changed():
    """Another size of a parameter makes anew what was written in terms of it, as with a file."""
    sizes = {"l": "80 mm", "c": "1 kN/m"}
    assert kb.redimension(in_python(), **sizes) == kb.redimension(kb.loads(FILE), **sizes)
    assert kb.loads(kb.dumps(in_python())) == kb.loads(FILE)
    assert 'stiffness = "c"' in kb.dumps(in_python())


def test_a_field_that_is_replaced_keeps_its_new_value():
    """What was given in a text before does not come back when a field has a value of its own."""
    m = in_python()
    stiff = dataclasses.replace(m.forces[0], stiffness=5.0)
    other = dataclasses.replace(m, forces=[stiff, m.forces[1]])
    assert other.forces[0].stiffness == 5.0
    assert kb.redimension(other, c="1 kN/m").forces[0].stiffness == 5.0


def test_unknown_and_unfit_sizes_are_faults():
    """A name that is no parameter is refused, and so is one of another kind."""
    with pytest.raises(kb.ModelError, match="unknown name 'd'"):
        kb.Mechanism(
            parameters={"c": "2 kN/m"},
            bodies=[kb.Body("block", mass=1)],
            joints=[kb.Prismatic("J", "ground", "block", at=(0, 0, 0))],
            forces=[kb.JointForce("f", "J", stiffness="d")],
        )
    with pytest.raises(kb.ModelError, match=r"expected a mass .*got 'c'"):
        kb.Mechanism(parameters={"c": "2 kN/m"}, bodies=[kb.Body("block", mass="c")])
    with pytest.raises(kb.ModelError, match="goes in a circle"):
        kb.Mechanism(parameters={"c": "2*c"}, bodies=[kb.Body("block", mass="c")])


def test_it_moves_as_its_file_does():
    """Its motion is that of the file."""
    times = np.linspace(0, 1, 7)
    np.testing.assert_array_equal(
        kb.motion(in_python(), times).q, kb.motion(kb.loads(FILE), times).q
    )
