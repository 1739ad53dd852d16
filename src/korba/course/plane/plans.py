"""The verbs `velocity_plan` and `acceleration_plan`: vectors from one pole, as the book draws them.

The end points of the vectors of a link's points form its image, a figure similar to the link: in
the velocity plan turned by 90 deg in the sense of w and scaled by |w|, in the acceleration plan
scaled by sqrt(w^4 + e^2). A link with points M, N contributes the relative vectors

    v_NM = w x r_MN                     a^n_NM = -w^2 r_MN,   a^t_NM = e x r_MN       (3.6-3.10)

and a prismatic pair, with points J of the guide and K of the slider at one place,

    v_KJ along the guide                a^c_KJ = 2 w_j x v_KJ,   a^t_KJ along it     (3.11-3.17)

The motion is solved group by group (groups_in_motion.py); further points come by similarity.
Source: Gronowicz (2003), section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...model.body import GROUND
from ...model.joint import Joint
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from .groups_in_motion import GroupwiseMotion, groupwise_motion
from .instant import turned
from .rates import image, similar, sliding

SMALL = 1e-12
"""Part of the largest vector below which one is not drawn or named."""

Points = Mapping[str, tuple[str, Sequence[float]]]
"""Further points: name -> body, place in the body's frame."""


@dataclass(frozen=True, eq=False)
class PlanVector(Displayed):
    """A vector of a plan with its two end points."""

    name: str
    """`v_B`, `v_CB`, `a^n_CB`, `a^t_CB`; with the point of a guide `a^c_B,B(rocker)`."""
    kind: str
    """`absolute`, `relative`, `sliding`, `normal`, `tangential` or `coriolis`."""
    start: Array
    end: Array

    @property
    def vector(self) -> Array:
        """The vector itself."""
        return self.end - self.start


@dataclass(frozen=True, eq=False)
class Plan(Displayed):
    """A velocity or acceleration plan; `plan["v_CB"]` is a vector of it, `print` shows all."""

    quantity: str
    """`velocity` or `acceleration`."""
    mechanism: str
    t: float
    points: dict[str, Array]
    """Places of the mechanism's points in the world."""
    images: dict[str, Array]
    """End points of their vectors from the pole (0, 0)."""
    links: dict[str, tuple[str, ...]]
    """Points of every moving link: their images are its image."""
    vectors: tuple[PlanVector, ...]
    angular: dict[str, float]
    """Angular velocity, or angular acceleration, of every moving link."""
    methods: dict[str, str]
    """How the group of every link was solved."""
    gap: float
    """Largest distance of the images of one point that two links share."""
    notes: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Unit of the vectors."""
        return "m/s" if self.quantity == "velocity" else "m/s^2"

    def __getitem__(self, name: str) -> Array:
        """A vector by name."""
        for vector in self.vectors:
            if vector.name == name:
                return vector.vector
        names = ", ".join(vector.name for vector in self.vectors)
        raise StructureError(f"the plan has no vector {name!r}; there are {names}")

    def __str__(self) -> str:
        """The vectors in the order they are drawn, then the links."""
        lines = [
            f"{self.quantity.capitalize()} plan of {self.mechanism or 'the mechanism'!r} at "
            f"t = {self.t:g} s [{self.unit}]",
            "",
        ]
        wide = max((len(v.name) for v in self.vectors), default=0)
        for v in self.vectors:
            x, y = np.where(np.abs(v.vector) < SMALL * _largest(self.images), 0.0, v.vector)
            size = float(np.hypot(x, y))
            lines.append(f"  {v.name:<{wide}}  ({x:.6g}, {y:.6g})  {size:.6g}  {v.kind}")
        symbol = "w" if self.quantity == "velocity" else "e"
        lines.append("")
        for body, value in self.angular.items():
            lines.append(f"  {symbol}({body}) = {value + 0.0:.6g}  by {self.methods[body]}")
        return "\n".join([*lines, *self.notes])


def velocity_plan(motion: Trajectory, k: int = 0, points: Points | None = None) -> Plan:
    """The velocity plan of a planar motion at the index `k`; `points` adds points of bodies.

    >>> kb.course.velocity_plan(motion, 0, {"M": ("coupler", (0.15, 0.08))})    # doctest: +SKIP
    """
    return _plan(groupwise_motion(motion, k), "velocity", points or {})


def acceleration_plan(motion: Trajectory, k: int = 0, points: Points | None = None) -> Plan:
    """The acceleration plan of a planar motion at the index `k`, Coriolis terms included."""
    return _plan(groupwise_motion(motion, k), "acceleration", points or {})


def _plan(solved: GroupwiseMotion, quantity: str, points: Points) -> Plan:
    figure = _figure(solved, points)
    maker = _Maker(solved, quantity, figure)
    vectors = maker.vectors()
    methods = {body: step.method for step in solved.steps for body in step.bodies}
    rates = {body: rate for body, rate in solved.rates.items() if body != GROUND}
    return Plan(
        quantity,
        solved.at.m.name,
        solved.at.t,
        figure.places,
        maker.images,
        figure.links,
        vectors,
        {body: rate.w if quantity == "velocity" else rate.e for body, rate in rates.items()},
        methods,
        maker.gap(),
        solved.notes,
    )


@dataclass(frozen=True, eq=False)
class _Figure:
    """Points of the mechanism, and which links have them."""

    places: dict[str, Array]
    links: dict[str, tuple[str, ...]]
    """Points of every moving link, those known first in front."""
    slides: tuple[tuple[str, str, str, str], ...]
    """Prismatic pairs: point K, its link, point J at the same place, its link."""
    given: dict[str, str]
    """Points that the user asked for, and their links."""


def _figure(solved: GroupwiseMotion, points: Points) -> _Figure:
    at = solved.at
    places: dict[str, Array] = {}
    owners: dict[str, list[str]] = {}
    for joint in at.m.joints:
        if joint.role == "pin":
            places[joint.name] = at.place(joint)
            owners[joint.name] = [joint.parent, joint.child]
    slides = []
    for joint in at.m.joints:
        if joint.role == "slide":
            K, k, J, j = _coincident(solved, joint)
            place = places[K] if K in places else at.place(joint)
            for name, body in ((K, k), (J, j)):
                places[name] = place
                owners.setdefault(name, []).append(body)
            slides.append((K, k, J, j))
    for step in solved.steps:
        if step.special is not None and "H" not in places:
            places["H"], owners["H"] = step.special[1].r, [step.special[0]]
    given = {}
    for name, (body, where) in points.items():
        if name in places or body not in at.X_WB:
            why = "is a joint already" if name in places else f"is on no link: {body!r}"
            raise StructureError(f"points: {name!r} {why}; links are {', '.join(at.bodies)}")
        p = np.zeros(3)
        p[: len(where)] = where
        places[name] = np.asarray(at.X_WB[body].point(p)[:2], dtype=float)
        owners[name], given[name] = [body], body
    return _Figure(places, _of_links(solved, owners), tuple(slides), given)


def _coincident(solved: GroupwiseMotion, joint: Joint) -> tuple[str, str, str, str]:
    """K on a link of a prismatic pair at a pin of it, J on the other link at the same place."""
    pins = [
        (pin.joins(GROUND), body != joint.child, pin.name, body)
        for body in (joint.child, joint.parent)
        for pin in solved.at.m.joints
        if pin.role == "pin" and pin.joins(body) and body != GROUND
    ]
    if not pins:
        ends = joint.child, joint.parent
        return f"{joint.name}({ends[0]})", ends[0], f"{joint.name}({ends[1]})", ends[1]
    _, _, name, body = min(pins)
    other = joint.other(body)
    return name, body, f"{name}({other})", other


def _of_links(
    solved: GroupwiseMotion, owners: Mapping[str, list[str]]
) -> dict[str, tuple[str, ...]]:
    """Points of every moving link, in the order in which they become known."""
    number = {GROUND: -1} | {body: i for i, step in enumerate(solved.steps) for body in step.bodies}
    found = {}
    for body in solved.rates:
        if body != GROUND:
            own = [name for name, bodies in owners.items() if body in bodies]
            found[body] = tuple(sorted(own, key=lambda n: min(number[b] for b in owners[n])))
    return found


@dataclass(frozen=True, eq=False)
class _Maker:
    """The vectors of one plan."""

    solved: GroupwiseMotion
    quantity: str
    figure: _Figure

    @property
    def letter(self) -> str:
        """v or a."""
        return self.quantity[0]

    def of(self, body: str, name: str) -> Array:
        """The vector of a point of a body."""
        rate, r = self.solved.rates[body], self.figure.places[name]
        return rate.velocity(r) if self.letter == "v" else rate.acceleration(r)

    @property
    def images(self) -> dict[str, Array]:
        """End points of all absolute vectors; asked points by similarity where a link has two."""
        found = {"pole": np.zeros(2)}
        for body, names in self.figure.links.items():
            for name in names:
                if name not in found and name not in self.figure.given:
                    found[name] = self.of(body, name)
        for name, body in self.figure.given.items():
            found[name] = self._similar(name, body, found)
        return found

    def _similar(self, name: str, body: str, found: dict[str, Array]) -> Array:
        places = self.figure.places
        known = [n for n in self.figure.links.get(body, ()) if n in found]
        far = 1e-6 * self.solved.at.scale
        for B in known:
            for C in known:
                if np.linalg.norm(places[C] - places[B]) > far:
                    z = similar(places[name], places[B], places[C])
                    return image(z, found[B], found[C])
        return self.of(body, name)

    def gap(self) -> float:
        """How far the images of shared points are apart."""
        images = self.images
        gaps = [
            float(np.linalg.norm(self.of(body, name) - images[name]))
            for body, names in self.figure.links.items()
            for name in names
        ]
        return max(gaps, default=0.0)

    def vectors(self) -> tuple[PlanVector, ...]:
        """Absolute vectors, then those of links and of prismatic pairs."""
        images = self.images
        still = {"pole"} | {
            n for n, p in images.items() if np.abs(p).max() <= SMALL * _largest(images)
        }
        found = [
            PlanVector(f"{self.letter}_{name}", "absolute", np.zeros(2), end)
            for name, end in images.items()
            if name not in still
        ]
        for body, names in self.figure.links.items():
            if len(names) > 1:
                for name in names[1:]:
                    found += self._between(body, names[0], name, images)
        for K, k, J, j in self.figure.slides:
            found += self._sliding(K, J, j, images) if GROUND not in (j, k) else []
        return tuple(found)

    def _between(self, body: str, M: str, N: str, images: dict[str, Array]) -> list[PlanVector]:
        """Relative vectors of two points of a link."""
        rate, r = self.solved.rates[body], self.figure.places[N] - self.figure.places[M]
        if np.linalg.norm(r) <= 1e-12 * self.solved.at.scale:
            return []
        if self.letter == "v":
            if np.abs(images[M]).max() <= SMALL * _largest(images):
                return []
            return [PlanVector(f"v_{_both(N, M)}", "relative", images[M], images[N])]
        middle = images[M] - rate.w**2 * r
        return [
            PlanVector(f"a^n_{_both(N, M)}", "normal", images[M], middle),
            PlanVector(f"a^t_{_both(N, M)}", "tangential", middle, middle + rate.e * turned(r)),
        ]

    def _sliding(self, K: str, J: str, j: str, images: dict[str, Array]) -> list[PlanVector]:
        """Relative vectors of coincident points of a guide and its slider."""
        if self.letter == "v":
            return [PlanVector(f"v_{_both(K, J)}", "sliding", images[J], images[K])]
        k = next(pair[1] for pair in self.figure.slides if pair[0] == K and pair[2] == J)
        rates = self.solved.rates
        middle = images[J] + sliding(rates[j], rates[k], self.figure.places[K]).coriolis
        return [
            PlanVector(f"a^c_{_both(K, J)}", "coriolis", images[J], middle),
            PlanVector(f"a^t_{_both(K, J)}", "sliding", middle, images[K]),
        ]


def _largest(images: Mapping[str, Array]) -> float:
    return max((float(np.abs(p).max()) for p in images.values()), default=0.0)


def _both(N: str, M: str) -> str:
    """Two points as an index: `CB`, and `C,C(rocker)` where names are longer than a letter."""
    return f"{N}{M}" if len(N) == len(M) == 1 else f"{N},{M}"
