"""Random valid mechanisms: every field that has a spec may get a value of that spec."""

import itertools
import math
import random
from functools import singledispatch

from korba.expr import parse
from korba.expr.text import name_text
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.curve import Curve, LawOrCurve
from korba.model.drives import DRIVE_TYPES
from korba.model.fields import is_required, specs_of
from korba.model.forces import FORCE_TYPES
from korba.model.frame import Frame, Rotation
from korba.model.joint import Joint, coordinate_names, velocity_names
from korba.model.joint_parts import STANDS_FOR
from korba.model.joints import JOINT_TYPES
from korba.model.joints.prismatic import Prismatic
from korba.model.joints.revolute import Revolute
from korba.model.mechanism import Mechanism
from korba.model.named_pose import coordinate_kinds
from korba.model.solid_field import SolidParts
from korba.model.solid_kinds import Box, Cylinder, Lump, Plate, Rod
from korba.model.specs import (
    Choice,
    Coordinates,
    Flag,
    Formulas,
    Law,
    Laws,
    Matrix6,
    Number,
    Numbers,
    Parts,
    Place,
    Points,
    Tensor,
    Text,
    Vector,
    Ways,
)
from korba.model.specs import Part as PartSpec
from korba.model.validate import single_coordinates

NAMES = ["left-hip", "nan", "Łokieć", 'a "b"', "inf", "pi", "back\\slash", "sin", "a b", "x1", "if"]


AT_MOST_ONE = {"efficiency", "restitution"}


class Maker:
    """Draws values for specs; `names` are the variables that laws may use."""

    def __init__(self, rng: random.Random, planar: bool) -> None:
        self.rng, self.planar = rng, planar
        self.names: list[str] = ["t"]

    def size(self, low=0.01, high=3.0):
        x = self.rng.uniform(low, high)
        return self.rng.choice([x, round(x, 2) or low, float(self.rng.randint(1, 5)), x * 1e-7])

    def signed(self):
        return self.rng.choice([-1, 1]) * self.size()

    def vector(self):
        z = 0.0 if self.planar else self.rng.choice([0.0, self.signed()])
        return (self.signed(), self.rng.choice([0.0, self.signed()]), z)

    def law(self, names):
        name = name_text(self.rng.choice(names)) if names else "1"
        form = self.rng.choice(["{a}", "{a}*{n}", "{a} - sin({n})*{n}", "min({n}, {a})", "{n}"])
        return parse(form.format(a=self.signed(), n=name)).value

    def curve(self):
        start, step = self.signed(), self.size(0.1)
        values = [self.size() for _ in range(self.rng.choice([4, 30]))]
        periodic = self.rng.random() < 0.5
        if periodic:
            values[-1] = values[0]
        x = [start + step * i for i in range(len(values))]
        return Curve(tuple(x), tuple(values), periodic)

    def fields(self, cls, skip=(), always=()):
        """Values for some of the optional fields and all required ones."""
        found = {}
        for key, spec in specs_of(cls).items():
            required = key in always or is_required(cls, key) or isinstance(spec, Place)
            if key not in skip and (required or self.rng.random() < 0.4):
                found[key] = drawn(spec, self, cls)
        for key in AT_MOST_ONE & found.keys():
            found[key] = 1 / (1 + found[key])
        given = [others for key, others in STANDS_FOR.items() if key in found]
        found = {key: x for key, x in found.items() if not any(key in x for x in given)}
        if "low" in found:
            found["low"] = -found["low"]
        return found


@singledispatch
def drawn(spec, maker, owner):
    """A valid value for `spec`."""
    raise NotImplementedError(f"teach random_mechanisms.py to draw a {type(spec).__name__}")


@drawn.register
def _(spec: Text, maker, owner):
    return maker.rng.choice(["plain", "two words", 'quote " and \\', "Żółw 🐢", "a\nb", "del \x7f"])


@drawn.register
def _(spec: Choice, maker, owner):
    return maker.rng.choice(spec.options)


@drawn.register
def _(spec: Flag, maker, owner):
    return maker.rng.random() < 0.5


@drawn.register
def _(spec: Number, maker, owner):
    return maker.size()


@drawn.register
def _(spec: Vector, maker, owner):
    return maker.vector()


@drawn.register
def _(spec: Numbers, maker, owner):
    return tuple(maker.size() for _ in range(maker.rng.choice([1, 3])))


@drawn.register
def _(spec: Coordinates, maker, owner):
    return tuple(maker.size() for _ in owner.coordinate_names)


@drawn.register
def _(spec: Tensor, maker, owner):
    a, b, c = (maker.size() for _ in range(3))
    diagonal = ((b + c, 0.0, 0.0), (0.0, a + c, 0.0), (0.0, 0.0, a + b))
    full = ((b * b + c * c, -a * b, -a * c), (-a * b, a * a + c * c, -b * c))
    full += ((-a * c, -b * c, a * a + b * b),)
    return maker.rng.choice([diagonal, full])


@drawn.register
def _(spec: Law, maker, owner):
    own = sorted(getattr(owner, "law_names", ()))
    return maker.law(maker.names + own if spec.allow is None else list(spec.allow))


@drawn.register
def _(spec: Matrix6, maker, owner):
    return tuple(maker.size() for _ in range(6))


@drawn.register
def _(spec: Formulas, maker, owner):
    return (
        {name: maker.law(maker.names) for name in ("I", "two words")} if spec.allow is None else {}
    )


@drawn.register
def _(spec: Laws, maker, owner):
    x, y = maker.law(maker.names), maker.law(maker.names)
    if maker.planar:
        return (x, y, 0.0) if spec.kind == "force" else (0.0, 0.0, x)
    return (x, y, 0.0) if maker.rng.random() < 0.5 else (x, y, maker.law(maker.names))


@drawn.register
def _(spec: LawOrCurve, maker, owner):
    if spec.variable != "t":  # the profile of a cam
        wave = parse(f"2 + 0.1*cos(3*{spec.variable})").value
        return maker.rng.choice([wave, parse("1.5").value])
    return maker.curve() if maker.rng.random() < 0.5 else maker.law([spec.variable])


@drawn.register
def _(spec: Points, maker, owner):
    return {name: maker.vector() for name in maker.rng.sample(["tip", "a b", "ż", " x"], 2)}


@drawn.register
def _(spec: SolidParts, maker, owner):
    rng, sizes = maker.rng, [maker.size() for _ in range(4)]
    triangle = Plate([(0, 0), (sizes[0], 0), (0, sizes[1])], sizes[2], at=maker.vector())
    rod = Rod(maker.vector(), (9.0, 0.0, 0.0), sizes[3], density=maker.size())
    whole = [Box(*sizes[:3], density=maker.size(), rotation=maker.signed()), triangle, rod]
    bore = Cylinder(sizes[3] / 9, 0.01, hole=True, density=1e-9)
    return rng.choice([whole[0], [*whole, bore], [whole[2], Lump(mass=sizes[0])]])


@drawn.register
def _(spec: Ways, maker, owner):
    return {}


@drawn.register
def _(spec: Rotation, maker, owner):
    if maker.planar:
        return maker.signed()
    angles = [maker.signed() for _ in range(3)]
    return maker.rng.choice([angles, [1.0, *angles], angles[0]])


@drawn.register
def _(spec: PartSpec, maker, owner):
    values = maker.fields(spec.cls)
    if values.get("flank_angle"):
        values["flank_angle"] = math.atan(values["flank_angle"])
    return spec.cls(**values)


@drawn.register
def _(spec: Parts, maker, owner):
    return tuple(spec.cls(**maker.fields(spec.cls)) for _ in range(maker.rng.randint(1, 3)))


def random_mechanism(rng, planar, kinds=()):
    """A valid mechanism with a joint of each of `kinds`, and a force and drive of every type."""
    maker = Maker(rng, planar)
    names = rng.sample(NAMES, len(NAMES))
    bodies, joints = chain(maker, kinds, names)
    bare = Mechanism(bodies=bodies, joints=joints, plane="xy" if planar else None)
    maker.names += [name for joint in bare.joints for name in coordinate_names(joint)]
    maker.names += [f"v_{name}" for joint in bare.joints for name in velocity_names(joint)]
    coupled = couplings(maker, bare)
    free = [
        name for name in single_coordinates(bare) if name not in {c.coordinate for c in coupled}
    ]
    return Mechanism(
        **maker.fields(Mechanism, skip=("plane",)),
        plane=bare.plane,
        bodies=bodies,
        joints=joints,
        couplings=coupled,
        forces=[load(maker, cls, bare, free, i) for i, cls in enumerate(FORCE_TYPES.values())],
        drives=[load(maker, cls, bare, free, i) for i, cls in enumerate(DRIVE_TYPES.values())],
        poses=poses(maker, bare, coupled),
        parameters={"L1": "60 mm", "L2": "2*L1", "n": 3},
        notes=rng.choice([(), ("left out: sensors", 'a "note"\nin two lines')]),
    )


def chain(maker, kinds, names):
    """Bodies hung one on another by a revolute joint and joints of `kinds`, and one loop."""
    rng = maker.rng
    bodies, joints, by_frames = [], [], {"ground": False}
    for i, cls in enumerate([Revolute, *kinds]):
        parent = rng.choice(["ground", *(body.name for body in bodies)])
        framed = by_frames[parent] or rng.random() < 0.3
        name = f"body {i}" if i % 2 else f"b{i}"
        by_frames[name] = framed
        skip = ("name", "frame") if framed else ("name",)
        bodies.append(Body(name=name, **maker.fields(Body, skip=skip)))
        joints.append(
            joint(maker, cls, f"{names[i % len(names)]}{i or ''}", (parent, name), framed)
        )
    drawn_bodies = [name for name, framed in by_frames.items() if not framed]
    if len(drawn_bodies) > 1:
        parent, child = rng.sample(drawn_bodies, 2)
        cls = Prismatic if any(j.wheels for j in joints) else Revolute  # a pin would bear wheels
        joints.append(joint(maker, cls, "closing", (parent, child), False))
    return bodies, joints


def joint(maker, cls, name, ends, framed):
    """A joint in the drawing, or by frames."""
    if "to" in specs_of(cls):
        values = {key: drawn(PartSpec(Frame), maker, cls) for key in ("on_parent", "on_child")}
        values["length"] = maker.size()
        values = values if framed else {"at": maker.vector(), "to": (7.0, maker.signed(), 0.0)}
        return cls(name=name, parent=ends[0], child=ends[1], **values)
    base = {*specs_of(Joint)}
    extra = [key for key in specs_of(cls) if key not in base]
    skip = ["name", "parent", "child", "at", "axis", "x_axis", "on_parent", "on_child", "upper"]
    values = maker.fields(cls, skip=(*skip, "armature", "rotor", "elastic", "lower"), always=extra)
    if "swing" in specs_of(cls):
        values = shaped(values, maker.rng)
    if "s" in cls.coordinate_names:
        values["x"] = parse("2*s").value
    if "slots" in specs_of(cls):
        values |= {"slots": float(maker.rng.randint(3, 9)), "pins": 1.0}
    if "lean" in cls.coordinate_names and "drawn" in values:  # no wheel lies down
        lean = cls.coordinate_names.index("lean")
        values["drawn"] = tuple(
            math.atan(x) if i == lean else x for i, x in enumerate(values["drawn"])
        )
    if cls.velocity_names and maker.rng.random() < 0.5:
        values["lower"] = tuple(maker.signed() for _ in cls.coordinate_names)
        values["upper"] = tuple(x + maker.size() for x in values["lower"])
    for key in ("pressure_angle", "shaft_angle"):
        if key in values:
            values[key] = math.atan(values[key])
    if values.get("inner") and "parent_radius" in values:
        values["parent_radius"] += values["child_radius"]
    turns = not (maker.planar and cls.axis_in_plane)
    if len(cls.velocity_names) == 1 and turns and maker.rng.random() < 0.5:
        values |= maker.fields(cls, skip={*specs_of(cls)} - {"rotor", "armature"})
        if "rotor" in values:
            values |= maker.fields(cls, skip={*specs_of(cls)} - {"elastic"})
    if framed:
        values |= {key: drawn(PartSpec(Frame), maker, cls) for key in ("on_parent", "on_child")}
    else:
        values["at"] = maker.vector()
    if maker.planar and cls.axis_in_plane:
        values["axis"] = (maker.signed(), maker.signed(), 0.0)
    elif not maker.planar and maker.rng.random() < 0.6:
        values["axis"] = (maker.signed(), 0.0, 1.0)
        values["x_axis"] = (0.0, -1.0, 0.0)
    return cls(name=name, parent=ends[0], child=ends[1], **values)


def couplings(maker, m):
    """A coordinate as a function of one before it."""
    single = [item for item in single_coordinates(m).items() if item[1].elastic is None]
    for (before, _), (name, joint) in itertools.pairwise(single):
        if joint.drawn is None:
            return (Coupling("mimic", name, maker.law(["t", before])),)
    return ()


def poses(maker, m, coupled):
    """Poses that give some of the independent coordinates, or all of a joint."""
    dependent = {coupling.coordinate for coupling in coupled}
    kinds = {n: kind for n, kind in coordinate_kinds(m).items() if n not in dependent}
    named = maker.rng.sample(list(kinds), min(3, len(kinds)))
    sizes = {name: tuple(maker.signed() for _ in kinds[name]) for name in named}
    values = {name: x if len(x) > 1 else x[0] for name, x in sizes.items()}
    return maker.rng.choice([{}, {"home": values}, {"a b": {}, "home": values}])


def load(maker, cls, m, free, i):
    """A force or a drive of the class, on one of the `free` coordinates."""
    names = ["ground", *(body.name for body in m.bodies)]
    values = dict(zip(cls.bodies, [maker.rng.choice(names[1:]), "ground"], strict=False))
    values |= {key: maker.rng.choice(free) for key in cls.joints}
    skip = ("name", *values, *(["z"] if m.plane else []))
    always = getattr(cls, "motions", ("stiffness",) * (cls.type == "bushing"))[:1]
    values |= maker.fields(cls, skip=skip, always=always)
    if "at_b" in values:
        values["at_b"] = (100.0, maker.signed(), 0.0)  # the two ends never coincide
    return cls(name=f"load {i}", **values)


def shaped(values, rng):
    """Fields of a cam with one shape of those that it may have."""
    shapes = {
        "profile": {"profile": values["profile"]},
        "points": {
            "profile_x": parse("2*cos(beta)").value,
            "profile_y": parse("1.5*sin(beta)").value,
        },
        "lift": {"lift": parse("2 + 0.1*cos(3*phi)").value, "base": 20.0},
    }
    others = {"profile", "profile_x", "profile_y", "lift", "swing", "base", "distance"}
    return {key: x for key, x in values.items() if key not in others} | rng.choice(
        [*shapes.values()]
    )


def joint_types(planar):
    """The types that may stand in the plane, or in space."""
    return [cls for cls in JOINT_TYPES.values() if (cls.planar if planar else cls.spatial)]


def seeded(seed):
    """The same random numbers for the same seed."""
    return random.Random(seed)  # noqa: S311
