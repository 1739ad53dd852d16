"""MJCF, the files of MuJoCo, read through MuJoCo's own compiler.

MuJoCo resolves defaults, units of angles, frames, includes and attachments, and infers masses from
geometry; what is read here is its compiled model. The drawing position is MuJoCo's reference pose
(`qpos0`), and joint coordinates are those of `qpos`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import FileError, ModelError
from ..model.mechanism import Mechanism
from .limits import read_bytes
from .mjcf_loops import closing_joints, couplings
from .mjcf_names import Named, named, numbers, switched_on
from .mjcf_notes import notes
from .mjcf_tree import armature, bodies, joints, springs

UNNAMED = "MuJoCo Model"
ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s*+(?><\?.*?\?>|<!--.*?-->))*+\s*+<([^\s/>!?]+)", re.DOTALL
)
"""The first element, past a byte order mark, the declaration and comments."""


def read_mjcf(path: str | Path) -> Mechanism:
    """The mechanism of an MJCF file; needs the extra `korba[mujoco]`.

    Bodies, joints, springs, limits, damping, dry friction and gravity are carried over as they are;
    `connect` and `weld` become exact joints that close loops, `equality/joint` a coupling. Armature
    becomes a body '<joint>.armature' on the ground that turns with the joint, which adds exactly
    armature * a to the joint's equation. `notes` counts what was left out.
    """
    file = Path(path)
    _check(file)
    spec, model = _compiled(file)
    try:
        title = file.stem if spec.modelname == UNNAMED else spec.modelname
        return _mechanism(title, named(model, file.parent))
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


def _compiled(file: Path) -> tuple[Any, Any]:
    """MuJoCo's specification of the file, and the model compiled from it."""
    try:
        import mujoco
    except ImportError as error:
        message = "reading MJCF needs the extra: pip install 'korba[mujoco]'"
        raise FileError(f"{file}: {message}") from error
    try:
        spec = mujoco.MjSpec.from_file(str(file))
        return spec, spec.compile()
    except Exception as error:  # MuJoCo documents no narrower class for what it finds in a file
        reason = " ".join(str(error).split())
        raise FileError(f"{file}: MuJoCo cannot read it: {reason}") from error


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
        gravity=numbers(source.model.opt.gravity * switched_on(source.model, "GRAVITY")),
    )
    closing, faults = closing_joints(source, tree)
    if faults:
        raise ModelError.of_faults(f"mechanism {title!r}", faults)
    discs = list(armature(source))
    return replace(
        tree,
        bodies=(*tree.bodies, *(disc for disc, _, _ in discs)),
        joints=(*tree.joints, *closing, *(shaft for _, shaft, _ in discs)),
        couplings=(*laws, *(coupling for _, _, coupling in discs)),
        forces=tuple(springs(source)),
        notes=tuple(notes(source)),
    )
