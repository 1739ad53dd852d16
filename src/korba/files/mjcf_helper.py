"""MuJoCo as a process: the path of an MJCF file in, its compiled model as plain arrays out.

Run by path, with nothing of Korba imported, so that it starts quickly. MuJoCo trusts its files: one
that names itself as an asset ends the process, a `replicate` of millions never ends. Here that
hurts nobody, the process limits its own memory, and crowds are refused before MuJoCo sees them.
Arguments: the folders of numpy and MuJoCo, the most bytes, the file. Standard output: a line
"model" and an archive of NumPy, or a line "refused" and the reason.
"""

import ctypes
import glob
import io
import math
import os
import re
import sys
from contextlib import suppress
from types import ModuleType
from typing import Any

FIELDS = """
nbody njnt ngeom nsite neq nu nq npair nexclude ntendon nsensor nkey nflex nskin nplugin ncam nlight
nnumeric ntext ntuple names paths name_bodyadr name_jntadr name_siteadr name_eqadr name_keyadr
name_textadr text_adr text_data qpos0 qpos_spring key_qpos
body_parentid body_jntnum body_jntadr body_pos body_quat body_mass body_ipos body_iquat body_inertia
body_mocapid body_gravcomp jnt_type jnt_qposadr jnt_dofadr jnt_pos jnt_axis jnt_stiffness
jnt_stiffnesspoly jnt_springyield jnt_limited jnt_range jnt_actfrclimited jnt_actfrcrange
dof_armature dof_damping dof_dampingpoly dof_frictionloss geom_type geom_bodyid geom_dataid
geom_matid geom_contype geom_conaffinity geom_size geom_pos geom_quat geom_rgba geom_group mat_rgba
mesh_pathadr mesh_pos mesh_quat mesh_scale site_bodyid site_pos site_quat eq_type eq_objtype
eq_obj1id eq_obj2id eq_active0 eq_data actuator_biasprm actuator_biastype actuator_dyntype
actuator_gaintype opt.gravity opt.density opt.viscosity opt.wind
"""
"""What of MuJoCo's model is handed over, where this version of it has it."""
WORLD = "world"
MOST_COPIES = 10_000
"""Elements that a file may ask for by counts: MuJoCo's time grows with their square."""
TAG = re.compile(r"""<!--.*?-->|<(/?)([\w:-]+)((?:"[^"]*"|'[^']*'|[^<>"'])*?)(/?)>""", re.DOTALL)
COUNT = re.compile(r"""\bcount\s*=\s*["']([\d\s]+)["']""")


def limit_memory(most: int) -> None:
    """Let this process have no more than so many bytes, where the system can see to it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def bindings(folder: str) -> tuple[Any, Any]:
    """MuJoCo's specifications and enumerations.

    They are taken out of the package, because `import mujoco` loads renderers and windows first,
    which takes longer than most files; MuJoCo's own plugins, which it loads too, are loaded here.
    """
    package = ModuleType("mujoco")
    package.__path__ = [os.path.join(folder, "mujoco")]  # noqa: PTH118
    sys.modules["mujoco"] = package
    try:
        from mujoco import _enums, _specs
    except ImportError:
        del sys.modules["mujoco"]
        import mujoco

        return mujoco, mujoco
    for entry in sorted(glob.glob(os.path.join(*package.__path__, "plugin", "*"))):  # noqa: PTH118, PTH207
        if os.path.splitext(entry)[1] in {".so", ".dylib", ".dll"}:  # noqa: PTH122
            ctypes.CDLL(entry)
    return _specs, _enums


def refuse_odd_files(file: str, seen: set[str]) -> None:
    """An error where a file, or one that it names, is no plain file: a pipe would never end."""
    seen.add(os.path.realpath(file))
    with open(file, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
        text = stream.read()
    refuse_crowds(text)
    here = os.path.dirname(file)  # noqa: PTH120
    folders = ["", *re.findall(r"""(?:mesh|texture|asset)dir\s*=\s*["']([^"']*)["']""", text)]
    for name in re.findall(r"""\bfile\w*\s*=\s*["']([^"']+)["']""", text):
        for path in {os.path.join(here, folder, name) for folder in folders}:  # noqa: PTH118
            plain = os.path.isfile(path)  # noqa: PTH113
            if not plain and os.path.exists(path):  # noqa: PTH110
                raise KeyError(f"the file {name!r} that it names is no plain file")
            if plain and name.endswith(".xml") and os.path.realpath(path) not in seen:
                refuse_odd_files(path, seen)


def refuse_crowds(text: str) -> None:
    """An error where `replicate`, `composite` or `flexcomp` make more elements than one waits for.

    Each element is counted as often as those around it ask for together.
    """
    copies, often = 0, [1]
    for closes, tag, words, empty in TAG.findall(text):
        if closes:
            often = often[:-1] or [1]
        elif tag:
            count = COUNT.search(words)
            times = math.prod(map(int, count[1].split())) if count else 1
            own = often[-1] * times
            copies += own if own > 1 else 0
            if copies > MOST_COPIES:
                raise KeyError(
                    f"<{tag}> brings the elements that it makes by count to {copies} or more, the "
                    f"most is {MOST_COPIES}, as MuJoCo's time grows with their square; ask for less"
                )
            often += [] if empty else [own]


def compiled(specs: Any, file: str) -> tuple[Any, Any, list[str]]:
    """The specification, the model, and the files of meshes and pictures that are not there.

    What shows them is taken out: geoms of such meshes, and the textures of materials.
    """
    refuse_odd_files(file, set())
    spec = specs.MjSpec.from_file(file)
    missing: list[str] = []
    while True:
        try:
            return spec, spec.compile(), missing
        except ValueError as error:
            quoted = re.findall(r"'([^']+)'", str(error))
            absent = {os.path.basename(path) for path in quoted if not os.path.exists(path)}  # noqa: PTH110, PTH119
            found = drop(spec, absent)
            if not found:
                raise
            missing += found


def drop(spec: Any, absent: set[str]) -> list[str]:
    """Take out meshes, height fields and textures by the names of their files; those files."""
    dropped = []
    for item in [*spec.meshes, *spec.hfields, *spec.textures]:
        if os.path.basename(item.file) not in absent:  # noqa: PTH119
            continue
        dropped.append(item.file)
        name = item.name or os.path.splitext(os.path.basename(item.file))[0]  # noqa: PTH119, PTH122
        if item in spec.textures:
            for material in spec.materials:
                material.textures = ["" if own == name else own for own in material.textures]
        else:
            for geom in [g for g in spec.geoms if name in (g.meshname, g.hfieldname)]:
                refuse_weight(spec, geom, item.file)
                delete(spec, geom)
        delete(spec, item)
    return dropped


def refuse_weight(spec: Any, geom: Any, file: str) -> None:
    """An error where the mass of a body comes from a mesh that is not there."""
    rules, body = spec.compiler, geom.parent
    from_geoms = "TRUE" in str(rules.inertiafromgeom) or not body.explicitinertial
    first, last = rules.inertiagrouprange
    mass = geom.density if math.isnan(geom.mass) else geom.mass
    if body.name != WORLD and from_geoms and first <= geom.group <= last and mass:
        raise KeyError(
            f"the file {file!r} is not there, and body {body.name!r} has its mass from it; bring "
            "the file, or give the body an <inertial>"
        )


def delete(spec: Any, item: Any) -> None:
    """Delete an element; the way differs between versions of MuJoCo."""
    spec.delete(item) if hasattr(spec, "delete") else item.delete()


def answer(folders: list[str], file: str) -> bytes:
    """The model as an archive, behind a line that says so."""
    sys.path[:0] = folders
    import numpy as np

    specs, enums = bindings(folders[-1])
    spec, model, missing = compiled(specs, file)
    content: dict[str, Any] = {}
    for name in FIELDS.split():
        with suppress(AttributeError):
            own: Any = model
            for part in name.split("."):
                own = getattr(own, part)
            content[name] = np.frombuffer(own, np.uint8) if isinstance(own, bytes) else own
    bits = enums.mjtDisableBit.__members__.items()
    disabled = [name for name, bit in bits if int(model.opt.disableflags) & int(bit)]
    texts = {
        "title": spec.modelname,
        "disabled": "\n".join(disabled),
        "missing": "\n".join(missing),
        "meshdir": spec.compiler.meshdir,
    }
    for name, text in texts.items():
        content[name] = np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
    stream = io.BytesIO(b"model\n")
    stream.seek(0, io.SEEK_END)
    np.savez(stream, **content)
    return stream.getvalue()


def main() -> None:
    """Compile the file named in the arguments."""
    *folders, most, file = sys.argv[1:]
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever MuJoCo prints is no part of the answer
    limit_memory(int(most))
    try:
        content = answer(folders, file)
    except MemoryError:
        content = b"refused\nmemory"
    except Exception as error:  # MuJoCo documents no narrower class for what it finds in a file
        reason = error.args[0] if isinstance(error, KeyError) else error
        content = f"refused\n{reason}".encode("utf-8", "replace")
    with output:
        output.write(content)


if __name__ == "__main__":
    main()
