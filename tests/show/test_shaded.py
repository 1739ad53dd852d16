"""Spatial pictures: forms are closed, what is nearer hides the rest, shapes look as given."""

import re
import warnings

import numpy as np
import pytest
from label_boxes import check_labels, label_boxes

import korba as kb
from korba.errors import FileError
from korba.model.joints import JOINT_TYPES
from korba.show.drawings.draw import scene
from korba.show.schemes import floor, scheme, shaded, space, symbols
from korba.show.schemes.forms import Form, flat_outline, prism, ring, unit
from korba.show.schemes.paper import Paper
from korba.show.schemes.visuals import visuals_of
from korba.solids.surfaces import Surface, read_surface, simplified
from korba.spatial.inertia import enclosed_moments

SQUARE = np.array([[0.0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]])
FORMS = {name: unit(name) for name in ("cylinder", "cone", "ball", "box", "damper", "actuator")}
FORMS["prism"] = prism(SQUARE, np.array([0.0, 0.0, 0.3]))
FORMS["ring"] = ring(SQUARE, 2 * SQUARE - [1, 0.5, 0], np.array([0.0, 0.0, 0.3]))
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.1"/></asset>
<library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse>
<color>1 0.5 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist material="skin"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#s" offset="1"/><vcount>3 3 3 3</vcount>
<p>0 0 2 0 1 0  0 0 1 0 3 0  0 0 3 0 2 0  1 0 2 0 3 0</p></polylist></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w"><node id="n">
<translate>0 0 2</translate><scale>10 10 10</scale>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="skin" target="#m"/></technique_common></bind_material>
</instance_geometry>MORE</node></visual_scene></library_visual_scenes></COLLADA>"""
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def volume(corners, triangles):
    return enclosed_moments(corners[triangles])[3, 3]


@pytest.mark.parametrize("name", FORMS)
def test_forms_are_closed_and_face_outwards(name):
    """Every edge is there twice, in both directions, and the volume inside is positive."""
    form = FORMS[name]
    triangles = form.triangles()
    _, number = np.unique(form.corners.round(12), axis=0, return_inverse=True)
    faces = number.ravel()[triangles]
    faces = faces[[len(set(face)) == 3 for face in faces.tolist()]]
    edges = [tuple(face[[i, (i + 1) % 3]]) for face in faces for i in range(3)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    assert volume(form.corners, triangles) > 0.1


def test_volumes_are_those_of_the_solids():
    """A prism and a box exactly; polygons in place of circles lack a few percent."""
    assert volume(FORMS["prism"].corners, FORMS["prism"].triangles()) == pytest.approx(0.6)
    assert volume(FORMS["ring"].corners, FORMS["ring"].triangles()) == pytest.approx(1.8)
    assert volume(FORMS["box"].corners, FORMS["box"].triangles()) == pytest.approx(1.0)
    assert 0.95 * np.pi < volume(FORMS["cylinder"].corners, FORMS["cylinder"].triangles()) < np.pi
    outline, normal = flat_outline(SQUARE)
    assert len(outline) == 4 and abs(normal[2]) == pytest.approx(1.0)
    assert flat_outline(CORNERS) is None


def test_cut_faces_are_small_and_cover_the_same():
    """No edge of a piece is longer than asked for, and areas add up."""
    quads = np.array([SQUARE, [[0, 0, 0], [3, 0, 0], [0, 1, 2], [0, 1, 2]]])
    pieces, owner = shaded._cut(quads, 0.3)
    sides = np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=2)
    assert sides.max() <= 0.3

    def areas(q):
        return np.linalg.norm(np.cross(q[:, 2] - q[:, 0], q[:, 3] - q[:, 1]), axis=1) / 2

    summed = np.bincount(owner, areas(pieces))
    np.testing.assert_allclose(summed, areas(quads), rtol=1e-12)


def robot(folder, mesh="skin.stl", more=""):
    """Two links, the first a red box, the second a mesh."""
    text = f"""<robot name="r"><link name="base"><visual><geometry><box size="1 1 .2"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
    <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial><visual><origin xyz="0 0 .1"/><geometry><mesh filename="{mesh}"
    scale=".5 .5 2"/></geometry>{more}</visual></link><joint name="A" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    (folder / "r.urdf").write_text(text)
    return folder / "r.urdf"


def write_stl(path, corners=CORNERS, faces=FACES):
    row = np.zeros(len(faces), np.dtype([("n", "<f4", 3), ("p", "<f4", (3, 3)), ("more", "<u2")]))
    row["p"] = corners[faces]
    path.write_bytes(b"k" * 80 + len(faces).to_bytes(4, "little") + row.tobytes())


def colors_of(picture):
    return {tuple(bytes.fromhex(c)) for c in re.findall("color='#(......)'", picture)}


def test_shapes_are_drawn_in_place_of_bars(tmp_path):
    """The red box is red, the mesh is there; without them, or without the file, there are bars."""
    write_stl(tmp_path / "skin.stl")
    m = kb.read_urdf(robot(tmp_path))
    assert not any("meshes" in note for note in m.notes)
    picture = kb.draw(m)
    check_labels(picture)
    reds = [c for c in colors_of(picture) if c[0] > 100 and c[1] < 80]
    assert reds and picture.count("class='grid'") == 1
    bare = kb.draw(m, meshes=False)
    assert "class='grid'" not in bare and "class='hatch'" in bare
    (tmp_path / "skin.stl").unlink()
    lost = kb.read_urdf(robot(tmp_path))
    assert "skin.stl" in lost.notes[-1]
    assert "<desc>skin.stl: there is no such file" in kb.draw(lost)
    with pytest.raises(kb.StructureError, match="meshes are True, False or a count"):
        kb.draw(m, meshes=-1)


def humanoid():
    """A trunk, a head and two arms of boxes; three joints at one place in each shoulder."""
    size = {"trunk": (0.3, 0.4, 0.9), "head": (0.2, 0.2, 0.3)}
    bodies, joints = [], []
    for side, y in (("left", 0.3), ("right", -0.3)):
        for k in range(3):
            before = f"{side}_shoulder_{k - 1}" if k else "trunk"
            last = "arm" if k == 2 else f"shoulder_{k}"
            size[f"{side}_{last}"] = (0.15, 0.15, 0.8) if k == 2 else (0.1, 0.1, 0.1)
            name, axis = f"{side}_shoulder_{k}_joint", tuple(np.eye(3)[k])
            joints.append(kb.Revolute(name, before, f"{side}_{last}", at=(0, y, 1.3), axis=axis))
    joints.append(kb.Revolute("head_yaw_joint", "trunk", "head", at=(0, 0, 1.5), axis=(0, 0, 1)))
    joints.append(kb.Free("root_joint", "ground", "trunk"))
    low = {"trunk": (0, 0, 1.0), "head": (0, 0, 1.65), "left_arm": (0, 0.3, 0.9)}
    low["right_arm"] = (0, -0.3, 0.9)
    for name, sizes in size.items():
        place = low.get(name, (0, 0.3 if "left" in name else -0.3, 1.3))
        shape = kb.Shape("box", sizes, kb.Frame(tuple(map(float, place))))
        bodies.append(kb.Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), shapes=(shape,)))
    return kb.Mechanism("humanoid", bodies, joints)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_stand_beside_shapes(theme):
    """All of them, one below the other where joints are at one place, none over a shape."""
    m = humanoid()
    picture = kb.draw(m, theme=theme)
    check_labels(picture)
    boxes = dict(label_boxes(picture))
    assert set(boxes) == {joint.name for joint in m.joints} - {"root_joint"}
    shown = scene(m)
    visuals, _ = visuals_of(shown.shapes, "", scheme.FACES)
    corners = [*floor.extent(shown, visuals, [0])]
    page = Paper(shown, [*corners, *floor.floor_below(np.concatenate(corners)).lines()])
    covered = shaded.covered(space.space_of(shown, visuals, 1.0), page, "shape")
    assert len(covered) > 200
    for left, top, right, bottom in boxes.values():
        assert not ((covered > [left, top]) & (covered < [right, bottom])).all(axis=1).any()


def test_names_without_room_are_told():
    """Of a crowd of joints in space every one is named, in the picture or below it."""
    names = [f"link_with_a_very_long_name_{i}" for i in range(60)]
    joints = [
        kb.Revolute(f"joint_{name}", before, name, at=(0, 0.001 * i**2, 0), axis=(1, 0, 0))
        for i, (before, name) in enumerate(zip(["ground", *names], names, strict=False))
    ]
    picture = kb.draw(kb.Mechanism("crowd", [kb.Body(name) for name in names], joints))
    check_labels(picture)
    drawn = {name for text, _ in label_boxes(picture) for name in text.split(", ")}
    notes = re.findall("class='note'[^>]*>([^<]+)<", picture)
    width = float(re.search(r"width='([\d.]+)'", picture)[1])
    assert len(notes) > 1 and max(map(len, notes)) * 6.6 < width
    told = {*" ".join(notes).removeprefix("no room for ").split(", ")}
    assert not drawn & told and drawn | told == {joint.name for joint in joints}
    assert ".note {" in picture


def test_what_is_nearer_hides_what_is_farther():
    """Of two boxes in line with the reader only the nearer one is painted, wherever it stands."""
    near = kb.Body("a", shapes=(box((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 1.0)),))
    joint = kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1))
    for side, hidden in ((1.0, False), (-1.0, True)):
        at = side * 3.0 * np.array([1.0, 1.0, 0.8165])
        far = kb.Body("b", shapes=(box(at, (1.0, 0.0, 0.0, 1.0), 0.6),))
        fixed = kb.Fixed("F", "ground", "b")
        m = kb.Mechanism("boxes", (near, far), (joint, fixed))
        reds = [c for c in colors_of(kb.draw(m, names=False)) if c[0] > 100 and c[2] < 90]
        assert bool(reds) is not hidden


def box(at, color, size=1.0):
    frame = kb.Frame(tuple(map(float, at)))
    return kb.Shape("box", (size, size, size), frame, color=color)


def test_every_mark_has_a_solid():
    """Kinds of marks in space are those in the plane, and the joints that no plane has."""
    joints = {cls.picture for cls in JOINT_TYPES.values() if cls.picture}
    assert set(space.SYMBOLS) == set(symbols.SYMBOLS) | joints


def test_files_of_one_surface_say_the_same(tmp_path):
    """A tetrahedron as binary and plain STL, as OBJ and as COLLADA, there scaled and coloured."""
    write_stl(tmp_path / "a.stl")
    points = "".join(f"outer loop {row} endloop " for row in _rows())
    (tmp_path / "b.stl").write_text(f"solid t {points} endsolid")
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += [f"f {a + 1}/1 {b + 1}/1 {c - 4}" for a, b, c in FACES]
    (tmp_path / "c.obj").write_text("\n".join(lines))
    (tmp_path / "d.dae").write_text(DAE.replace("MORE", ""))
    for name in ("a.stl", "b.stl", "c.obj", "d.dae"):
        surface = read_surface(tmp_path / name)
        assert volume(surface.corners, surface.triangles) == pytest.approx(1 / 6)
    assert surface.corners.min(axis=0) == pytest.approx([0, 0, 0.2])
    assert surface.colors.tolist() == [[1.0, 0.5, 0.0]] * 4


def _rows():
    for face in FACES:
        yield " ".join(f"vertex {x} {y} {z}" for x, y, z in CORNERS[face])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.dae", '<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>', "document type"),
        ("a.dae", DAE.replace("MORE", '<instance_node url="#n"/>' * 2), "unfolds"),
        ("a.dae", DAE.replace("0 0 2 0 1 0", "0 0 2 0 9 0"), "be read"),
        ("a.obj", "v 0 0 0\nf 1 2 3", "names corners"),
        ("a.obj", "v 0 0 x", "x"),
        ("a.stl", "", "no triangles"),
    ],
)
def test_files_that_are_wrong_are_refused(tmp_path, name, text, said, monkeypatch):
    """Entities, scenes that use themselves, corners that are not there, words for numbers."""
    monkeypatch.setattr("korba.solids.surfaces.MOST", 1000)
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=said):
        read_surface(tmp_path / name)


def test_small_meshes_keep_their_form():
    """A fine cube on a coarse grid stays a cube; a fine ball loses little of its volume."""
    steps = np.linspace(0.0, 1.0, 21)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    i = np.arange(441).reshape(21, 21)
    quads = np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]], axis=-1).reshape(-1, 4)
    corners, faces = [], []
    for k in range(3):
        for side in (0, 1):
            points = np.roll(np.stack([x, y, np.full_like(x, side)], axis=-1), k, axis=-1)
            faces.append((quads if side else quads[:, ::-1]) + 441 * len(corners))
            corners.append(points.reshape(-1, 3))
    form = Form(np.concatenate(corners), np.concatenate(faces))
    triangles = form.triangles()
    small = simplified(Surface(form.corners, triangles, np.zeros((len(triangles), 3))), 0.23)
    assert len(small.triangles) < len(triangles) / 8
    assert volume(small.corners, small.triangles) == pytest.approx(1.0, rel=0.02)


def test_links_of_no_length_are_left_out():
    """The fictitious links of a biped have both joints at one place: no rod, and no warning."""
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    names = ["ground", "one", "two", "three"]
    joints = [
        kb.Revolute(f"J{i}", names[i], names[i + 1], at=(0, 0, 0), axis=axis)
        for i, axis in enumerate(axes)
    ]
    m = kb.Mechanism("gimbal", [kb.Body(name) for name in names[1:]], joints)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "nan" not in kb.draw(m)


def test_names_of_crowded_robots_do_not_cover_each_other():
    """In space a name that finds no free place is left out, with shapes and without."""
    bodies = [kb.Body(f"link {i}") for i in range(40)]
    joints = [
        kb.Revolute(
            f"right_wrist_joint_number_{i}",
            bodies[i - 1].name if i else "ground",
            body.name,
            on_parent=kb.Frame(origin=(0.02 + 0.4 * (i == 20), 0.01, 0.01)),
        )
        for i, body in enumerate(bodies)
    ]
    check_labels(kb.draw(kb.Mechanism("crowd", bodies, joints)))


def test_a_body_without_shape_that_floats_alone_has_a_picture():
    """Nothing is to be seen of it, and that is no fault."""
    m = kb.Mechanism("drone", [kb.Body("drone", 1)], [kb.Free("J", "ground", "drone", at=(0, 0))])
    assert "<g class='solids'" in kb.draw(m)
