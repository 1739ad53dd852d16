"""Whatever elements are called, every text that Korba writes stays in its language."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from bad_names import BAD, four_bar
from law_counts import some

import korba as kb
from korba.errors import FileError
from korba.export.fmu import build

TURNS = some(2, len(BAD))
ODD = (
    " a",
    "a ",
    "a  b",
    "a\nb",
    "$(find x)",
    "root",
    "robot",
    "x.y",
    "fixed: a",
    "a.fixed",
    "free0",
)
FOREIGN = {"script", "img", "b", "l"}
COMMANDS = frozenset(
    re.findall(
        r"\w+",
        "textbackslash textasciicircum textasciitilde text noindent begin end quad ddot dot frac "
        "cos sin left right lambda tau",
    )
)
"""Of LaTeX, that equations of motion have; those of texts come first."""
turned = pytest.mark.parametrize("turn", TURNS)


def names_of(m):
    """All names of elements, and of the mechanism."""
    elements = (*m.bodies, *m.joints, *m.drives, *m.forces)
    return {m.name, *(each.name for each in elements)}


def parsed(text):
    """XML, without an element that a name brought in."""
    root = ET.fromstring(text)
    assert not FOREIGN & {each.tag.rpartition("}")[2] for each in root.iter()}
    return root


def open_chain(m):
    """Its first two bodies."""
    return replace(m, bodies=m.bodies[:2], joints=m.joints[:2], drives=(), forces=())


@turned
def test_pictures(turn, tmp_path):
    """Drawings, graphs and plots are SVG in which the names stand as they are."""
    m = four_bar(turn)
    moved = kb.motion(m, np.linspace(0, 1, 13))
    shown = {"names": "all", "velocities": True, "reactions": True}
    (tmp_path / "drawn.svg").write_text(str(kb.draw(moved, **shown)), "utf-8")
    moved.plot().save(tmp_path / "plot.svg")
    drawn, plot, graph = (
        {"".join(each.itertext()).strip() for each in parsed(text).iter()}
        for text in (
            (tmp_path / "drawn.svg").read_text("utf-8"),
            (tmp_path / "plot.svg").read_text("utf-8"),
            kb.draw(m, graph=True),
        )
    )
    assert m.joints[0].name in " ".join(drawn)
    assert any(m.joints[1].name in text for text in plot)
    assert {f"{each.name} (R)" for each in m.joints} <= graph


@turned
def test_files(turn, tmp_path):
    """TOML gives the same mechanism again; MJCF and URDF are XML."""
    m = four_bar(turn)
    kb.save(m, tmp_path / "m.toml")
    again = kb.load(tmp_path / "m.toml")
    assert names_of(again) == names_of(m)
    assert again.description == m.description
    kb.write_mjcf(replace(m, drives=()), tmp_path / "m.xml")
    root = parsed((tmp_path / "m.xml").read_text("utf-8"))
    told = {each.get("name") for each in root.iter("body")}
    assert {body.name for body in m.bodies} <= told


def chain(names, at=""):
    """Bodies, joints and points of these names, one behind the other, every second joint fixed."""
    ends = ["ground", *names]
    bodies = [kb.Body(x, 1, (0, 0, 0.1), (1, 1, 1), points={x: (0, 1, 0)}) for x in names]
    joints = [
        kb.Revolute(x, ends[k], x, at=(k, 0, 0), axis=(0, 0, 1))
        if k % 2
        else kb.Fixed(x, ends[k], x)
        for k, x in enumerate(names)
    ]
    return kb.Mechanism(at or names[0], bodies, joints)


@pytest.mark.parametrize("ending", ["toml", "xml", "urdf"])
def test_names_are_the_same_in_every_file(ending, tmp_path):
    """What is written is read again with its names, of bodies, joints, points and the whole."""
    if ending == "xml":
        pytest.importorskip("mujoco")
    m = chain([name for name in (*BAD, *ODD) if ending != "urdf" or "${" not in name])
    kb.save(m, tmp_path / f"m.{ending}")
    again = kb.load(tmp_path / f"m.{ending}")
    assert again.name == m.name
    assert [body.name for body in again.bodies] == [body.name for body in m.bodies]
    assert [joint.name for joint in again.joints] == [joint.name for joint in m.joints]
    if ending != "urdf":  # it has none
        assert [body.points for body in again.bodies] == [body.points for body in m.bodies]


@pytest.mark.parametrize(
    ("ending", "names"),
    [
        ("urdf", ("${x}", "`${hacked=1}`", "\ud800")),
        ("xml", ("world", "\ufffe")),
        ("toml", ("\ud800",)),
    ],
)
def test_names_that_a_file_cannot_have_are_refused(ending, names, tmp_path):
    """Before anything is written, wherever the name stands, in a sentence with the name in it."""
    for name in names:
        for m in (chain([name]), chain(["a", name]), *([chain(["a"], name)] * (name != "world"))):
            with pytest.raises(FileError, match=re.escape(repr(name))):
                kb.save(m, tmp_path / f"m.{ending}")
            assert not (tmp_path / f"m.{ending}").exists()


@turned
def test_code(turn, tmp_path):
    """C is taken by compilers of C and C++ without a warning, Python by its own."""
    m = open_chain(four_bar(turn))
    body = m.bodies[1].name
    texts = {t: kb.generate(kb.pose, m, t, body=body) for t in ("c", "c-float", "numpy", "sympy")}
    for target in ("numpy", "sympy"):
        compile(texts[target], "made.py", "exec")
    gcc = build.compiler()
    if gcc is None:
        pytest.fail("no C compiler (cc, gcc, clang or ziglang) was found: install one")
    for target in ("c", "c-float"):
        (tmp_path / "made.c").write_text(texts[target])
        for kind in (("-std=c99", "-x", "c"), ("-std=c99", "-trigraphs", "-x", "c"), ("-x", "c++")):
            command = [*gcc, *kind, "-c", "-Wall", "-Werror", "made.c", "-o", "made.o"]
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert not done.returncode, done.stderr


@turned
def test_formulas(turn):
    """LaTeX has no command, sign, brace or comment of a name; MathML is XML."""
    equations = kb.equations(replace(four_bar(turn), drives=()))
    latex = equations.latex()
    assert not re.search(r"(?<!\\)[#%$]", latex)
    words = set(re.findall(r"\\([A-Za-z]+)", latex))
    assert words <= COMMANDS
    signs = re.sub(r"\\[{}]", "", latex)
    assert signs.count("{") == signs.count("}")
    parsed(f"<all>{equations.mathml()}</all>")


@turned
def test_paper(turn, tmp_path):
    """Typst sets equations and reports."""
    typst = pytest.importorskip("typst")
    m = four_bar(turn)
    (tmp_path / "e.typ").write_text(kb.equations(replace(m, drives=())).typst(), "utf-8")
    assert typst.compile(str(tmp_path / "e.typ")).startswith(b"%PDF")
    kb.report(m, tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_units(tmp_path):
    """The description of an FMU is XML that holds the names."""
    m = open_chain(four_bar(0))
    made = kb.export_fmu(m, tmp_path / "unit.fmu", platforms=[])
    texts = build.zipfile.ZipFile(made.path)
    root = parsed(texts.read("modelDescription.xml").decode())
    assert root.get("modelName") == m.name
    assert m.joints[0].name in {each.get("name") for each in root.iter("Float64")}
