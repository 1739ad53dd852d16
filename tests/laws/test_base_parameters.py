"""Base parameters and regressor: forces are linear in as few parameters as can be told apart."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from formula_values import value
from law_counts import seeds
from loaded_linkages import loaded
from numpy.testing import assert_allclose
from random_trees import EXTRAS, SPATIAL, random_state, random_tree

import korba as kb
from korba.system.system import any_system

PUMA = Path(kb.__file__).parent / "cli" / "arm.toml"
ARM = """
name = "arm"
plane = "xy"
parameters = {l = 0.4, r = 0.15, n = 30}
body = [
  {name = "upper", mass = 2, com = [0.2, 0.01], inertia = 0.03},
  {name = "fore", mass = 1, com = ["l + r", 0.02], inertia = 0.01},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0], ROTOR},
  {name = "B", type = "revolute", parent = "upper", child = "fore", at = ["l", 0]},
]
"""
ROTOR = 'rotor = {ratio = "n", mass = 0.1, inertia = 2e-5}'


def some_kinds(seed, case):
    """A few joint types, so that a law is quick; couplings need three joints of one freedom."""
    rng = np.random.default_rng(seed)
    plain = [kind for kind in SPATIAL if kind not in EXTRAS]
    if case == "coupled":
        return ["revolute", "prismatic", "screw", "spherical", "universal"]
    return ["revolute", "prismatic", *rng.choice(plain, size=2, replace=False)]


def stacked(m, parameters, count, seed=1, **options):
    """Regressors of a tree at random states, one below the other, and its forces there."""
    rng, s = np.random.default_rng(seed), any_system(m)
    blocks, forces = [], []
    for _ in range(count):
        q, v, a = random_state(s.tree, int(rng.integers(1 << 30)))
        Y = kb.regressor.formula(s, q, v, a, **options).astype(float)
        assert Y.shape == (m.nv, parameters)
        blocks.append(Y)
        forces.append(kb.inverse_dynamics.formula(s, q, v, a, formulation="newton-euler"))
    return np.concatenate(blocks), np.concatenate(forces).astype(float)


@pytest.mark.parametrize("case", ["plain", "floating", "coupled", "rotors"])
@pytest.mark.parametrize("seed", seeds(0.17))
def test_forces_are_the_regressor_times_the_parameters(case, seed):
    """Y beta and Y p of all standard parameters are inverse dynamics, at every state."""
    kinds = some_kinds(seed, case)
    tree = random_tree(seed, kinds=kinds, **({} if case == "plain" else {case: True}))
    m = replace(tree.m, forces=())
    base = kb.base_parameters(m)
    Y, tau = stacked(m, len(base), 3)
    whole, _ = stacked(m, len(base.standard), 3, standard=True)
    size = np.abs(Y) @ np.abs(base.values)
    assert np.all(np.abs(Y @ base.values - tau) <= 1e-12 * size)
    assert_allclose(whole @ base.standard_values, tau, rtol=0, atol=1e-12 * size.max())
    assert_allclose(base.matrix @ base.standard_values, base.values, rtol=1e-12)


@pytest.mark.parametrize("seed", seeds(0.17))
def test_no_fewer_parameters_would_do(seed):
    """Over many states the columns are independent: each parameter can be told from forces."""
    m = replace(random_tree(seed, kinds=some_kinds(seed, "plain")).m, forces=())
    base = kb.base_parameters(m)
    Y, _ = stacked(m, len(base), 40)
    s = np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)
    assert s[-1] > 1e-7


@pytest.mark.parametrize("kind", ["four-bar", "four-bar in space", "slider-crank", "rsur"])
@pytest.mark.parametrize("seed", seeds(0.17))
def test_with_loops_they_give_the_efforts_of_the_drives(kind, seed):
    """Y beta is what the drives do, along motions that the loops allow."""
    m = replace(loaded(kind, seed), forces=())
    base, motion, s = kb.base_parameters(m), kb.motion(m, np.linspace(0, 0.4, 3)), any_system(m)
    for state in zip(motion.q, motion.v, motion.a, strict=True):
        Y = kb.regressor.formula(s, *state).astype(float)
        tau = kb.inverse_dynamics.formula(s, *state, formulation="multipliers").astype(float)
        assert_allclose(Y @ base.values, tau, rtol=0, atol=1e-11 * np.abs(tau).max())


def test_motions_that_loops_do_not_allow_are_refused():
    """As inverse dynamics refuses them; along one that they allow Y is that of the formula."""
    m = replace(loaded("four-bar", 1), forces=())
    motion = kb.motion(m, np.linspace(0, 0.4, 3))
    tau = kb.regressor(m, motion) @ kb.base_parameters(m).values
    assert_allclose(tau, kb.inverse_dynamics(m, motion), rtol=1e-10, atol=1e-12)
    with pytest.raises(kb.StructureError, match="regressor: the accelerations break the loop"):
        kb.regressor(m, motion.q[2], motion.v[2], motion.a[2] + 1.0)


def test_as_many_as_published():
    """Planar two links 6, without weight 4; Puma 560: 36 (Gautier & Khalil 1990)."""
    two = kb.loads(ARM.replace(", ROTOR", ""))
    assert len(kb.base_parameters(two)) == 6
    assert kb.base_parameters(two, gravity=(0, 0)).names == (
        *("Izz_upper", "mx_fore", "my_fore", "Izz_fore"),
    )
    puma = kb.load(PUMA)
    base = kb.base_parameters(puma)
    assert len(base) == 36
    assert [name for name in base.names if "trunk" in name] == ["Izz_trunk"]
    for body in ("upper_arm", "forearm", "wrist_1", "wrist_2", "hand"):
        own = [name.removesuffix(f"_{body}") for name in base.names if name.endswith(body)]
        assert own == ["mx", "my", "Ixx", "Izz", "Ixy", "Ixz", "Iyz"]  # Iyy, m z and m go inward


@pytest.mark.parametrize("sliding", [(), (2,), (2, 4)])
def test_arms_on_an_upright_axis(sliding):
    """1 of the first link, 7 of each other that turns, 4 of each that slides: a Stanford arm 33."""
    angles = (-90, 90, 0 if 2 in sliding else -90, -90, 90, 90)
    rows = [
        {
            "joint": "prismatic" if i in sliding else "revolute",
            "alpha": f"{alpha} deg",
            "a": 0.1 * (not sliding),
            "d": 0.2,
            "mass": 1.0 + i,
            "inertia": (0.1, 0.1, 0.1),
        }
        for i, alpha in enumerate(angles)
    ]
    base = kb.base_parameters(kb.from_dh(rows))
    assert len(base) == 1 + 7 * (5 - len(sliding)) + 4 * len(sliding)


def test_formulas_of_two_links_and_a_rotor():
    """Sizes stand there by name; a rotor is felt by the square of its gear."""
    base = kb.base_parameters(kb.loads(ARM.replace("ROTOR", ROTOR)))
    assert base.text().splitlines()[1:] == [
        "  β₁ = mx_upper + m_fore l",
        "  β₂ = my_upper",
        "  β₃ = Izz_upper + m_fore l² + Izz_A.rotor n²",
        "  β₄ = mx_fore - m_fore l",
        "  β₅ = my_fore",
        "  β₆ = Izz_fore - m_fore l²",
        "  β₇ = mx_A.rotor",
        "  β₈ = my_A.rotor",
    ]


def test_formulas_of_a_four_bar():
    """The coupler's mass goes to the pins at both its ends."""
    base = kb.base_parameters(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
    assert base.text().splitlines()[1:] == [
        "  β₁ = mx_crank + a (m_coupler - mx_coupler/b)",
        "  β₂ = my_crank",
        "  β₃ = Izz_crank + a² (m_coupler - mx_coupler/b)",
        "  β₄ = my_coupler",
        "  β₅ = Izz_coupler - mx_coupler b",
        "  β₆ = mx_coupler c/b + mx_rocker",
        "  β₇ = my_rocker",
        "  β₈ = mx_coupler c²/b + Izz_rocker",
    ]
    assert base.unidentifiable == ("m_crank", "m_rocker")


def test_cranks_that_turn_alike_are_felt_together():
    """A parallelogram stays on its branch: its coupler does not turn, its cranks turn as one."""
    base = kb.base_parameters(kb.linkages.four_bar(0.3, 0.7, 0.3, 0.7))
    assert base.text().splitlines()[1:4] == [
        "  β₁ = mx_crank + a (m_coupler + mx_rocker/c)",
        "  β₂ = my_crank + my_rocker",
        "  β₃ = Izz_crank + m_coupler a² + Izz_rocker",
    ]
    assert "hold for no others" in base.notes[0]


@pytest.mark.parametrize(
    "m", [kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), kb.loads(ARM.replace("ROTOR", ROTOR))]
)
def test_formulas_hold_for_other_sizes(m):
    """What is printed, with other numbers for sizes and bodies, is what that design has."""
    base = kb.base_parameters(m)
    sizes = {name: 1.03 * x for name, x in m.parameters if isinstance(x, float | int)}
    other = kb.base_parameters(kb.redimension(m, **sizes))
    at = {(name, 0): x for name, x in sizes.items()}
    at |= {(n, 0): x for n, x in zip(other.standard, other.standard_values, strict=True)}
    assert_allclose([value(x.formula, at) for x in base.parameters], other.values, rtol=1e-11)


def test_friction_adds_columns():
    """v and sign v of every joint; damping that the mechanism has is there without asking."""
    m = kb.loads(ARM.replace("ROTOR", "damping = 0.7"))
    assert kb.base_parameters(m).names[-1] == "b_A"
    base = kb.base_parameters(m, friction=True)
    assert base.names[-4:] == ("b_A", "b_B", "c_A", "c_B")
    q, v, a = [0.3, 0.4], [-2.0, 3.0], [1.0, 0.5]
    Y = kb.regressor(m, q, v, a, friction=True)
    assert_allclose(Y[:, -4:], [[-2, 0, -1, 0], [0, 3, 0, 1]])
    assert_allclose(Y @ base.values, kb.inverse_dynamics(m, q, v, a), rtol=1e-13)


def test_what_has_no_parameters_is_refused():
    """Bodies without mass; freedoms that move nothing else."""
    bare = kb.Mechanism("bare", [kb.Body("b")], [kb.Revolute("A", "ground", "b", at=(0, 0, 0))])
    with pytest.raises(kb.StructureError, match="no body has mass or inertia"):
        kb.base_parameters(bare)
    with pytest.raises(kb.StructureError, match="freedoms that move nothing else"):
        kb.base_parameters(loaded("rssr", 1))


def test_it_shows_itself():
    """Formulas and values as a table, LaTeX and SymPy."""
    base = kb.base_parameters(kb.loads(ARM.replace("ROTOR", ROTOR)))
    assert "8 base parameters of 'arm' (of 12)" in str(base)
    assert "Izz_upper + m_fore l² + Izz_A.rotor n²" in str(base)
    assert r"\beta_{1} &= " in base.latex()
    sympy = pytest.importorskip("sympy")
    length, mass = sympy.symbols("l m_fore")
    assert sympy.diff(base.sympy()["Izz_upper"], mass) == length**2
