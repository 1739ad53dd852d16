"""A system whose parameters are symbols stands for every design."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program, trace
from korba.dynamics.composite_body import mass_matrix
from korba.dynamics.newton_euler import bias_forces
from korba.kinematics.rows import entries, equations
from korba.kinematics.velocity import body_pose
from korba.system.system import system_of
from korba.verbs.systems import under

FOUR_BAR = """
korba = 1
name = "four-bar"
plane = "xy"
[parameters]
crank = "200 mm"
half = "crank/2"
heavy = "0.5 kg"
stiff = "40 N/m"
[[body]]
name = "crank"
mass = "heavy"
com = ["half", 0]
inertia = "heavy*crank^2/12"
[[body]]
name = "coupler"
mass = "1 kg"
com = ["0.3 + half", "0.1 m"]
inertia = "0.02 kg*m^2"
[[body]]
name = "rocker"
mass = "2*heavy"
inertia = "0.03 kg*m^2"
com = [0.9, 0.2]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
child = "coupler"
at = ["crank", 0]
[[joint]]
name = "C"
type = "revolute"
parent = "coupler"
child = "rocker"
at = ["crank + 0.5 m", "0.5 m"]
[[force]]
name = "spring"
type = "spring"
body_a = "ground"
at_a = [0, 1]
body_b = "rocker"
at_b = ["crank", 0.3]
stiffness = "stiff"
free_length = "half"
"""
CLOSING = """
[[joint]]
name = "D"
type = "revolute"
parent = "rocker"
child = "ground"
at = [0.8, 0]
"""
SIZES = ("crank", "stiff", "heavy")
NOMINAL = (0.2, 40.0, 0.5)


def quantities(system, t=0.0):
    """Poses, M, h with loads, and the rows of the loops, as one function of q and v."""
    tree = system.tree

    def answer(q, v):
        poses = [body_pose(tree, q, body.name).matrix() for body in tree.m.bodies]
        M, h = mass_matrix(system, q), bias_forces(under(system, None, t), q, v)
        rows = equations(tree, q, t, {}, ())
        J = [x for line in entries(rows) for x in line.values()]
        gaps = [x for row in rows for x in row.residual]
        return np.array(poses), M, h, np.array([*J, *gaps, 0.0], dtype=object)

    return answer


@pytest.mark.parametrize("closing", ["", CLOSING], ids=["tree", "loop"])
@pytest.mark.parametrize("seed", range(4))
def test_one_program_serves_every_design(closing, seed):
    """Traced with symbols and given other sizes, it equals the program of the other design."""
    rng = np.random.default_rng(seed)
    m = kb.loads(FOUR_BAR + closing)
    symbolic = system_of(m, parameters=SIZES)
    names = {"q": symbolic.tree.nq, "v": symbolic.tree.nv, "p": len(SIZES)}
    formula = quantities(symbolic)
    program = trace(lambda q, v, p: formula(q, v), names)
    sizes = np.array(NOMINAL) * (rng.uniform(0.5, 2, 3) if seed else 1.0)
    other = kb.redimension(m, **dict(zip(SIZES, sizes.tolist(), strict=True)))
    q, v = rng.normal(size=(2, symbolic.tree.nq))
    expected = quantities(system_of(other))(q, v)
    for one, two in zip(evaluate_program(program, q, v, sizes), expected, strict=True):
        size = max(1.0, np.abs(one).max())
        assert_allclose(one, np.asarray(two, dtype=float), rtol=0, atol=1e-13 * size)


def test_an_unknown_parameter_is_named():
    """A size that the mechanism does not have is refused, with those that it has."""
    with pytest.raises(kb.StructureError, match=r"'rod' in mechanism .*; there are crank, half"):
        system_of(kb.loads(FOUR_BAR), parameters=("rod",))
