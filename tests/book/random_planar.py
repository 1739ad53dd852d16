"""Random planar mechanisms, closed as drawn: cranks and groups without freedoms added to them."""

from dataclasses import replace

import numpy as np
from engine_by_numpy import by_numpy

import korba as kb
from korba.course import absolute_system

TURNED = (kb.Revolute, kb.CamRoller, kb.CamFlat, kb.GearMesh)
"""Pairs whose axis is the normal of the plane, or its opposite."""
BETA = np.linspace(0, 2 * np.pi, 25)


class Drawing:
    """A mechanism that grows: every group hangs on bodies that are there and leaves no freedom."""

    def __init__(self, rng):
        self.rng, self.names, self.joints = rng, [], []

    def body(self):
        self.names.append(f"b{len(self.names) + 1}")
        return self.names[-1]

    def any_body(self):
        return str(self.rng.choice(["ground", *self.names]))

    def two_bodies(self):
        one = str(self.rng.choice(self.names))
        return one, str(self.rng.choice([name for name in ["ground", *self.names] if name != one]))

    def place(self, size=1.0):
        return self.rng.uniform(-size, size, 2)

    def join(self, cls, one, two, **more):
        """A joint with its ends in any order, where the pair allows it."""
        if cls in (kb.Revolute, kb.Prismatic) and self.rng.random() < 0.5:
            one, two = two, one
        if cls in TURNED and self.rng.random() < 0.3:
            more["axis"] = (0, 0, -1)
        name = f"{cls.type}{len(self.joints)}"
        self.joints.append(cls(name, one, two, **more))
        return name

    def direction(self):
        angle = self.rng.uniform(0, 2 * np.pi)
        return np.array([np.cos(angle), np.sin(angle)])

    def crank(self):
        body = self.body()
        return self.join(kb.Revolute, "ground", body, at=self.place())

    def rrr(self):
        one, two = self.two_bodies()
        u, w = self.body(), self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        self.join(kb.Revolute, u, w, at=self.place())
        return self.join(kb.Revolute, two, w, at=self.place())

    def rrt(self):
        one, two = self.two_bodies()
        u, w = self.body(), self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        at = self.place()
        self.join(kb.Revolute, u, w, at=at)
        return self.join(kb.Prismatic, two, w, at=at, axis=self.direction())

    def rtr(self):
        one, two = self.two_bodies()
        u, w = self.body(), self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        self.join(kb.Revolute, two, w, at=self.place())
        return self.join(kb.Prismatic, u, w, at=self.place(), axis=self.direction())

    def yoke(self):
        one, two = self.two_bodies()
        u = self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        ends = (two, u) if self.rng.random() < 0.5 else (u, two)
        name = self.join(kb.PinInSlot, *ends, at=self.place(), axis=self.direction())
        return f"{name}.{self.rng.choice(['stroke', 'angle'])}"

    def profile(self):
        a, b = self.rng.uniform(0.02, 0.06, 2)
        form = self.rng.choice(["text", "points", "disc"])
        if form == "disc":
            return "0.3"
        if form == "text":
            return f"0.3 + {a!r}*cos(beta) + {b!r}*sin(2*beta)".replace("np.float64", "")
        rho = 0.3 + a * np.cos(BETA) + b * np.sin(2 * BETA)
        return kb.Curve(tuple(BETA), (*rho[:-1], rho[0]), periodic=True)

    def cam_roller(self):
        one, two = self.two_bodies()
        u = self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        radius = float(self.rng.choice([0.0, 0.1]))
        more = {"x_axis": self.direction(), "profile": self.profile(), "radius": radius}
        drawn = tuple(self.rng.uniform(-3, 3, 2))
        return self.join(kb.CamRoller, two, u, at=self.place(), drawn=drawn, **more) + ".beta"

    def cam_flat(self):
        one, two = self.two_bodies()
        u = self.body()
        self.join(kb.Revolute, one, u, at=self.place())
        drawn = (self.rng.uniform(-3, 3), self.rng.uniform(-0.3, 0.3))
        more = {"x_axis": self.direction(), "profile": self.profile()}
        return self.join(kb.CamFlat, two, u, at=self.place(), drawn=drawn, **more) + ".beta"

    def mesh(self, one, centre, two, other, angle=0.0):
        """A mesh between wheels about two centres, at times inside a ring."""
        d = np.linalg.norm(other - centre)
        r = self.rng.uniform(0.3, 0.7) * d
        radii, x, inner = (r, d - r), (other - centre) / d, False
        if self.rng.random() < 0.4:
            radii, inner = (d + r, r), True
        more = {"parent_radius": radii[0], "child_radius": radii[1], "inner": inner}
        more["pressure_angle"] = angle
        return self.join(kb.GearMesh, one, two, at=centre + radii[0] * x, x_axis=x, **more)

    def gear(self):
        """A wheel beside a crank, both on the ground."""
        crank = next(
            j for j in self.joints if j.type == "revolute" and "ground" in (j.parent, j.child)
        )
        wheel = crank.child if crank.parent == "ground" else crank.parent
        u, at = self.body(), self.place()
        name = self.join(kb.Revolute, "ground", u, at=at)
        self.mesh(wheel, np.array(crank.at[:2]), u, at)
        return name

    def planet(self):
        """A planet on a crank, rolling on a sun that is the ground."""
        crank = next(
            j for j in self.joints if j.type == "revolute" and "ground" in (j.parent, j.child)
        )
        carrier = crank.child if crank.parent == "ground" else crank.parent
        u, at = self.body(), self.place()
        name = self.join(kb.Revolute, carrier, u, at=at)
        self.mesh("ground", np.array(crank.at[:2]), u, at)
        return name

    def free_gear(self):
        """A wheel on one body that meshes with a wheel on another: centres part."""
        one, two = self.two_bodies()
        u, at = self.body(), self.place()
        name = self.join(kb.Revolute, one, u, at=at)
        wheel = self.body()
        self.join(kb.Fixed, two, wheel)
        self.mesh(wheel, self.place(), u, at, angle=float(self.rng.choice([0.0, 0.35, -0.35])))
        return name

    def weld(self):
        u = self.body()
        self.join(kb.Fixed, str(self.rng.choice(self.names[:-1])), u)

    def mechanism(self, drives):
        bodies = []
        for name in self.names:
            frame = kb.Frame((*self.place(), 0.0), float(self.rng.uniform(-3, 3)))
            bodies.append(kb.Body(name, frame=frame))
        return kb.Mechanism("random", bodies, self.joints, plane="xy", drives=drives)


GROUPS = (
    "rrr",
    "rrt",
    "rtr",
    "yoke",
    "cam_roller",
    "cam_flat",
    "gear",
    "planet",
    "free_gear",
    "weld",
)
DRIVES = ("crank", "joint", "angle", "x", "y", "difference", "length", "point")


def law_from(value, size):
    """A smooth law that has `value` at t = 0."""
    return f"{float(value)!r} + {float(size)!r}*sin(2*t) - {float(size)!r}*t**2/3"


def random_mechanism(seed, groups, drive, cranks=1):
    """A mechanism of the named groups with a drive of the named kind, well conditioned."""
    for attempt in range(200):
        rng = np.random.default_rng([seed, attempt])
        drawing = Drawing(rng)
        first = [drawing.crank() for _ in range(cranks)]
        last = [getattr(drawing, group)() for group in groups][-1]
        drives = [kb.JointDrive(f"motor {name}", name, law_from(0, 0.08)) for name in first[1:]]
        m = drawing.mechanism(drives)
        m = replace(m, drives=[*drives, chosen_drive(m, drive, rng, first[0], last or first[0])])
        if conditioned(m):
            return m
    raise AssertionError("no well conditioned mechanism found")


def conditioned(m):
    system = absolute_system(m)
    with by_numpy():
        s = np.linalg.svd(system.rows(system.start).phi_q, compute_uv=False)
    return len(s) == len(system.start) and s[-1] > 0.02 * s[0]


def chosen_drive(m, kind, rng, crank, last):
    """A drive that has the value of the drawing at t = 0."""
    system = absolute_system(m)
    names = [body.name for body in m.bodies]
    k = int(rng.integers(len(names)))
    body, q = names[k], system.start[3 * k : 3 * k + 3]
    at = rng.uniform(-1, 1, 2)
    c, s = np.cos(q[2]), np.sin(q[2])
    point = q[:2] + np.array([[c, -s], [s, c]]) @ at
    if kind in ("crank", "joint"):
        name = crank if kind == "crank" else last
        joint = next(j for j in m.joints if name in j.coordinates())
        value = joint.drawn_coordinates[joint.coordinates().index(name)]
        return kb.JointDrive("drive", name, law_from(value, 0.08))
    if kind == "angle":
        return kb.BodyDrive("drive", body, angle=law_from(q[2], 0.08))
    if kind == "difference":
        i = (k + 1) % len(names)
        other = system.start[3 * i : 3 * i + 3] if i != k else np.zeros(3)
        relative = names[i] if i != k else "ground"
        value = q[2] - other[2]
        return kb.BodyDrive("drive", body, relative_to=relative, angle=law_from(value, 0.08))
    if kind in ("x", "y"):
        return kb.BodyDrive("drive", body, **{kind: law_from(q["xy".index(kind)], 0.04)})
    if kind == "point":
        return kb.PointDrive("drive", body, at, y=law_from(point[1], 0.04))
    base = rng.uniform(-2, 2, 2)
    length = law_from(np.linalg.norm(point - base), 0.04)
    return kb.LengthDrive("drive", "ground", base, body, at, length)
