"""A loosened system: every body free, every joint a tie."""

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.kinematics.rows import Moving, coupled, entries, tied
from korba.model.drawing import drawing
from korba.structure.placement import drawn_placement
from korba.system.system import loosened

sys.path.append(str(Path(__file__).parents[1] / "structure"))
from test_constraint_rows import closed_chain, four_bar, slider_crank

MECHANISMS = [four_bar(), slider_crank("xy"), slider_crank(None)]
MECHANISMS += [closed_chain(seed, planar) for seed in range(6) for planar in (True, False)]


def written(loose):
    """Residuals and J of all ties and couplings at the drawing."""
    placed = drawing(loose.m)
    q = np.concatenate([placed.q[joint.name] for joint in loose.m.joints])
    at = Moving(loose.tree, q)
    rows = [tied(at, tie) for tie in loose.ties]
    rows += [coupled(at, coupling) for coupling in loose.couplings]
    lines = entries(rows)
    J = np.zeros((len(lines), loose.tree.nv))
    for i, line in enumerate(lines):
        J[i, list(line)] = list(line.values())
    return np.concatenate([row.residual for row in rows]).astype(float), J


@pytest.mark.parametrize("m", MECHANISMS)
def test_every_body_hangs_on_the_base(m):
    """Links are the bodies, each on the base; ties are all joints; the drawing is closed."""
    loose = loosened(m)
    assert [link.name for link in loose.tree.links] == [body.name for body in m.bodies]
    assert all(link.parent == -1 for link in loose.tree.links)
    assert [tie.joint.name for tie in loose.ties] == [joint.name for joint in m.joints]
    assert_allclose(written(loose)[0], 0, atol=1e-12)


@pytest.mark.parametrize("m", MECHANISMS)
def test_its_freedoms_are_those_of_structure(m):
    """What the rows of a loosened system leave free is what the ranks of structure leave."""
    _, J = written(loosened(m))
    A = np.asarray(drawn_placement(m).matrix())  # dense, as of all that are not large
    free = J.shape[1] - np.linalg.matrix_rank(J, tol=1e-8)
    assert free == A.shape[1] - np.linalg.matrix_rank(A, tol=1e-8)


def test_couplings_are_rows():
    """A coupling takes a freedom as a row; the dependent coordinate stays an unknown."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0), drawn=0.3),
        kb.Revolute("B", "a", "b", at=(1, 0)),
    ]
    bodies = [kb.Body("a"), kb.Body("b")]
    m = kb.Mechanism("pair", bodies, joints, plane="xy", couplings=[kb.Coupling("c", "B", "2*A")])
    residual, J = written(loosened(m))
    assert_allclose(residual, 0, atol=1e-12)
    assert J.shape == (7, 8)
    assert_allclose(J[-1], [0, 0, 0, 0, 0, 0, -2, 1], atol=1e-15)
