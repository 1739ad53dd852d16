"""URDF files with loops: a link with two parents, and a root that another link holds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from urdf_cases import read_text

import korba as kb
from korba.errors import FileError

LINK = (
    '<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="{2}"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4} 0 0"/>'
    '<axis xyz="0 0 1"/></joint>'
)


def four_bar(*more, last=("tip", "fixed", "rocker", "end", 0.4)):
    """AB 0.3, BC 0.5, DC 0.4, AD 0.6 m; C is a small link that coupler and rocker both carry."""
    links = [LINK.format(*row) for row in (("crank", 0.15, 1), ("coupler", 0.25, 2))]
    links += [LINK.format("rocker", 0.2, 1.5), '<link name="world"/>', '<link name="end"/>', *more]
    joints = [
        ("A", "continuous", "world", "crank", 0),
        ("B", "continuous", "crank", "coupler", 0.3),
        ("D", "continuous", "world", "rocker", 0.6),
        ("C", "continuous", "coupler", "end", 0.5),
        last,
    ]
    text = "\n".join([*links, *(JOINT.format(*joint) for joint in joints)])
    return f'<robot name="four-bar">{text}</robot>'


def meeting(angle):
    """Where C is, above the line from B to D, by two circles."""
    B, D = 0.3 * np.exp(1j * angle), 0.6
    d = abs(D - B)
    along = (D - B) / d
    x = (0.5**2 - 0.4**2 + d**2) / (2 * d)
    return B + along * (x + 1j * np.sqrt(0.5**2 - x**2))


def test_a_link_with_two_parents_is_a_loop(tmp_path):
    """The four-bar moves as four lengths say; that it was assembled is noted."""
    m = read_text(tmp_path, four_bar())
    assert kb.mobility(m).actual == 1
    assert any(note.startswith("drawing: assembled") for note in m.notes)
    for angle in (0.5, 1.2):
        q = kb.assemble(m, {"A": angle})
        C = q.point("end")
        sides = [abs(complex(*C[:2]) - meeting(angle)), abs(complex(*C[:2]) - _mirrored(angle))]
        assert min(sides) < 1e-12


def _mirrored(angle):
    """The other place of C: below the line."""
    B = 0.3 * np.exp(1j * angle)
    along = (0.6 - B) / abs(0.6 - B)
    return B + along * np.conj((meeting(angle) - B) / along)


def test_loops_survive_merging(tmp_path):
    """With fixed links merged the same four-bar is left: four pins, three bodies."""
    whole, m = (read_text(tmp_path, four_bar(), merge_fixed=merge) for merge in (False, True))
    assert [joint.type for joint in m.joints] == ["revolute"] * 4
    assert len(m.bodies) == 3
    q = kb.assemble(m, {"A": 0.7})
    assert_allclose(
        q.point("rocker", "end"), kb.assemble(whole, {"A": 0.7}).point("end"), atol=1e-9
    )
    run = kb.simulate(m, 0.5, q={"A": 0.7}, times=3)
    assert run.audit.residual < 1e-10


def test_a_root_that_a_loop_holds_is_no_second_root(tmp_path):
    """A rocker that is nobody's child, but the parent of a post of the base, moves as before."""
    text = four_bar('<link name="post"/>')
    text = text.replace(JOINT.format("D", "continuous", "world", "rocker", 0.6), "")
    more = JOINT.format("foot", "fixed", "world", "post", 0.6)
    more += JOINT.format("D", "continuous", "rocker", "post", 0)
    m = read_text(tmp_path, text.replace("</robot>", f"{more}</robot>"))
    assert kb.mobility(m).actual == 1
    C = kb.assemble(m, {"A": 0.5}).point("end")
    assert abs(abs(complex(*C[:2]) - 0.6) - 0.4) < 1e-12


def test_a_loop_that_cannot_close_is_told(tmp_path):
    """A rocker of 3 m reaches no coupler: one error that names the joint."""
    with pytest.raises(FileError, match=r"joint '(C|tip)'"):
        read_text(tmp_path, four_bar(last=("tip", "fixed", "rocker", "end", 3.0)))
