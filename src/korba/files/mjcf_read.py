"""MJCF, the files of MuJoCo, read through MuJoCo's own compiler.

MuJoCo resolves defaults, units of angles, frames, includes and attachments, and infers masses from
geometry; what is read here is its compiled model. The drawing position is MuJoCo's reference pose
(`qpos0`), and joint coordinates are those of `qpos`.

Equality constraints close loops (mjcf_loops.py) or couple joints; the compiled data of these say

    joint     y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4,  a = data[0:5]

MuJoCo holds them by soft forces; in Korba they hold exactly. Loops that are open in `qpos0` are
closed near it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..disk import read_bytes
from ..door import public
from ..errors import FileError, ModelError
from ..expr import Expr, constant, variable
from ..model.coupling import Coupling
from ..model.mechanism import Mechanism
from ..model.named_pose import NamedPose
from .mesh_files import read_from
from .mjcf_loops import closing_joints
from .mjcf_model import compiled
from .mjcf_notes import notes
from .mjcf_tree import (
    JOINT,
    Named,
    bodies,
    is_carried,
    joints,
    named,
    numbers,
    springs,
    switched_on,
    unique,
)

ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s*+(?><\?.*?\?>|<!--.*?-->))*+\s*+<([^\s/>!?]+)", re.DOTALL
)
"""The first element, past a byte order mark, the declaration and comments."""


@public
def read_mjcf(path: str | Path) -> Mechanism:
    """The mechanism of an MJCF file; needs the extra `korba[mujoco]`.

    Bodies, joints, springs, limits, damping, armature, dry friction and gravity are carried over as
    they are; `connect` and `weld` become exact joints that close loops, `equality/joint` becomes a
    coupling, keyframes become `poses`. `notes` counts what was left out.
    """
    file = Path(path)
    _check(file)
    try:
        model = compiled(file)
        return read_from(_mechanism(model.title, named(model, file.parent)), file)
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: a name is not text in utf-8 ({error})") from error
    except ModelError as error:
        raise FileError(f"{file}: {error}", error.faults) from error


def _check(file: Path) -> None:
    """Refuse what is not a plain MJCF text of sensible size before MuJoCo sees it."""
    data = read_bytes(file)
    if re.search(rb"<!(?:DOCTYPE|ENTITY)", data, re.IGNORECASE):
        raise FileError(f"{file}: has a DOCTYPE or entities, which MJCF does not need; remove them")
    tag = ROOT.match(data)
    root = tag[1][:40].decode("utf-8", "replace") if tag else "nothing"
    if root != "mujoco":
        hint = "; use read_urdf" if root == "robot" else ""
        raise FileError(f"{file}: expected the root element <mujoco>, found {root}{hint}")


def _mechanism(title: str, source: Named) -> Mechanism:
    """The tree with its couplings first, then the joints that close its loops, then the rest."""
    laws = couplings(source)
    dependent = {coupling.coordinate for coupling in laws}
    tree = Mechanism(
        title,
        tuple(bodies(source)),
        tuple(
            replace(joint, drawn=None) if joint.name in dependent else joint
            for joint in joints(source)
        ),
        tuple(laws),
        gravity=numbers(source.model.gravity * switched_on(source.model, "GRAVITY")),
    )
    closing, faults = closing_joints(source, tree)
    try:
        return replace(
            tree,
            joints=(*tree.joints, *closing),
            forces=tuple(springs(source)),
            poses=poses(source, dependent),
            notes=tuple(notes(source)),
        )
    except ModelError:
        if faults:  # it is open there, and cannot be closed nearby
            raise ModelError.of_faults(f"mechanism {title!r}", faults) from None
        raise


def poses(source: Named, dependent: set[str]) -> tuple[NamedPose, ...]:
    """The keyframes: `qpos` by the names of joints, without those that a coupling moves."""
    model = source.model
    names = unique({f"key{k}": model.name("key", k) for k in range(model.nkey)})
    ends = [*model.jnt_qposadr[1:], model.nq][: model.njnt]
    places = {
        name: slice(first, end)
        for name, first, end in zip(source.joints, model.jnt_qposadr, ends, strict=True)
        if name not in dependent
    }
    rows = [{name: numbers(q[place]) for name, place in places.items()} for q in model.key_qpos]
    whole: Any = [{name: x if len(x) > 1 else x[0] for name, x in row.items()} for row in rows]
    return tuple(NamedPose(*pair) for pair in zip(names, whole, strict=True))


def couplings(source: Named) -> list[Coupling]:
    """Couplings of `equality/joint`; with one joint it is held at a constant."""
    model, laws = source.model, []
    for e in range(model.neq):
        if is_carried(model, e) and model.eq_type[e] == JOINT:
            y, x = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (y, x))
            law = constant(y0 + float(model.eq_data[e][0]))
            if x >= 0:
                law = law + _polynomial(model.eq_data[e][1:5], variable(source.joints[x]) - x0)
            laws.append(Coupling(source.equalities[e], source.joints[y], law))
    return laws


def _polynomial(a: Any, x: Expr) -> Expr:
    """x (a1 + x (a2 + x (a3 + x a4)))."""
    value = constant(0.0)
    for factor in reversed(a):
        value = x * (value + float(factor))
    return value
