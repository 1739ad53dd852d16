"""MJCF, the files of MuJoCo, read through MuJoCo's own compiler.

MuJoCo resolves defaults, units of angles, frames, includes and attachments, and infers masses from
geometry; what is read here is its compiled model. The drawing position is MuJoCo's reference pose
(`qpos0`), and joint coordinates are those of `qpos`.

Equality constraints close loops (`connect`, `weld`) or couple joints (`joint`). MuJoCo holds them
by soft forces; in Korba they hold exactly. Its compiled data say

    connect   p_1A = data[0:3] on body 1 meets p_2A = data[3:6] on body 2
    weld      p_1A = data[3:6], R_1A = data[6:10] on body 1 meets p_2A = data[0:3] on body 2
    joint     y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4,  a = data[0:5]

and with sites the frames are those of the sites. Loops that are open in `qpos0` are closed near it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..disk import read_bytes
from ..door import public
from ..errors import Fault, FileError, ModelError
from ..expr import Expr, constant, variable
from ..model.coupling import Coupling
from ..model.drawing import MEETS, drawing
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.joints.spherical import Spherical
from ..model.mechanism import Mechanism
from ..model.named_pose import NamedPose
from ..spatial.pose import Pose, rotation, translation
from .mesh_files import read_from
from .mjcf_model import compiled
from .mjcf_notes import notes
from .mjcf_tree import (
    CONNECT,
    JOINT,
    Named,
    bodies,
    is_carried,
    joints,
    named,
    numbers,
    pose,
    springs,
    switched_on,
    unique,
)

SITE = 6
"""MuJoCo's number for sites as objects of a constraint."""
OPEN = (
    "its two sides are {:.3g} apart (m, rad) in the reference pose qpos0, and cannot be closed "
    "from there; MuJoCo pulls them together softly, but here they must meet: change the bodies' "
    "pos and quat, or the constraint's anchor, sites or relpose, or leave it out"
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


def closing_joints(source: Named, tree: Mechanism) -> tuple[list[Joint], list[Fault]]:
    """Joints that close loops, and the faults of those that do not meet in the drawing position."""
    placed = drawing(tree)
    closing: list[Joint] = []
    faults: list[Fault] = []
    for e, name in enumerate(source.equalities):
        if not is_carried(source.model, e) or source.model.eq_type[e] == JOINT:
            continue
        (parent, X_PF), (child, X_BM) = _ends(source, e)
        X_FM = (placed.X_WB[parent] @ X_PF).inverse() @ placed.X_WB[child] @ X_BM
        cls: type[Joint] = Fixed
        if source.model.eq_type[e] == CONNECT:
            cls, X_BM, X_FM = Spherical, X_BM @ rotation(X_FM.R.T), translation(*X_FM.p)
        turn = np.linalg.norm(X_FM.R - np.eye(3)) / np.sqrt(2)  # the angle, for a small one
        if (gap := max(float(np.linalg.norm(X_FM.p)) / placed.scale, float(turn))) > MEETS:
            faults.append(Fault(("equality", name), OPEN.format(gap)))
        on_parent, on_child = Frame.of_pose(X_PF), Frame.of_pose(X_BM)
        closing.append(cls(name, parent, child, on_parent=on_parent, on_child=on_child))
    return closing, faults


def _ends(source: Named, e: int) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Body and frame on each side; the ground comes first."""
    model, data = source.model, source.model.eq_data[e]
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if model.eq_objtype[e] == SITE:
        frames = [pose(model.site_pos[s], model.site_quat[s]) for s in (one, two)]
        one, two = int(model.site_bodyid[one]), int(model.site_bodyid[two])
    elif model.eq_type[e] == CONNECT:
        frames = [translation(*data[:3]), translation(*data[3:6])]
    else:
        frames = [pose(data[3:6], data[6:10]), translation(*data[:3])]
    ends = ((source.bodies[one], frames[0]), (source.bodies[two], frames[1]))
    return ends if two else (ends[1], ends[0])
