"""The verbs `velocity_plan` and `acceleration_plan`: vectors from one pole, as the book draws them.

The end points of the vectors of a link's points form its image, a figure similar to the link: in
the velocity plan turned by 90 deg in the sense of w and scaled by |w|, in the acceleration plan
scaled by sqrt(w^4 + e^2). A link with points M, N contributes the relative vectors

    v_NM = w x r_MN                     a^n_NM = -w^2 r_MN,   a^t_NM = e x r_MN       (3.6-3.10)

and a prismatic pair, with points J of the guide and K of the slider at one place,

    v_KJ along the guide                a^c_KJ = 2 w_j x v_KJ,   a^t_KJ along it     (3.11-3.17)

A guide that is an arc about O is a pin at O: with w = w_k - w_j, e = e_k - e_j and rho from O to K

    v_KJ = w x rho        a^c_KJ = 2 w_j x v_KJ,   a^n_KJ = -w^2 rho,   a^t_KJ = e x rho (3.12-3.16)

Vectors that are zero are in a plan too: those of fixed points, of points of a guide that stands
still, and terms such as a^c of a guide that does not turn; then every equation above can be read.

The motion is solved group by group (groups_in_motion.py); further points come by similarity.
Source: Gronowicz (2003), section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ...display import Displayed, Drawn, tidy
from ...door import public
from ...errors import StructureError
from ...expr.display_units import IN_SI, DisplayUnits
from ...model.body import GROUND
from ...model.display_units import display_units
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...model.points import place_named, points_of
from ...spatial.rotation import Array
from ...verbs.options import place_on_body
from ..construction import turned
from .groups_in_motion import GroupwiseMotion, solved_groups
from .standing import Source, standing

SMALL = 1e-12
"""Part of the largest vector below which one is zero."""

Points = Mapping[str, tuple[str, Sequence[float] | str] | str] | Sequence[str]
"""Further points: name -> body and place on it, or `"coupler.P"`; or such names alone."""

Arcs = Mapping[str, str]
"""Point of a slider -> the pin that its guide is an arc about."""


@dataclass(frozen=True, eq=False)
class PlanVector(Displayed):
    """A vector of a plan with its two end points."""

    name: str
    """`v_B`, `v_CB`, `a^n_CB`, `a^t_CB`; with the point of a guide `a^c_B,B(rocker)`."""
    kind: str
    """`absolute`, `relative`, `sliding`, `normal`, `tangential` or `coriolis`."""
    start: Array
    end: Array
    link: str = ""
    """The link that it is about, of what slides the slider; none of absolute ones."""

    @property
    def vector(self) -> Array:
        """The vector itself."""
        return self.end - self.start


@dataclass(frozen=True, eq=False)
class Plan(Drawn):
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
    residual: float
    """Largest distance of the images of one point that two links share."""
    notes: tuple[str, ...]
    bodies: tuple[str, ...] = ()
    """All moving links, in the order of the mechanism."""
    shown: DisplayUnits = IN_SI
    """The units that people read, those of the mechanism; its arrays are in SI."""

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
        title = f"{self.quantity.capitalize()} plan of {self.mechanism or 'the mechanism'!r}"
        lines = [f"{title} at t = {self.t:g} s [{self.shown.unit(self.unit)}]", ""]
        wide = max((len(v.name) for v in self.vectors), default=0)
        for v in self.vectors:
            own = np.where(np.abs(v.vector) < _small(self.images), 0.0, v.vector)
            x, y = self.shown.values(own, self.unit)
            size = float(np.hypot(x, y))
            lines.append(f"  {v.name:<{wide}}  ({x:.6g}, {y:.6g})  {size:.6g}  {v.kind}")
        symbol, si = ("w", "rad/s") if self.quantity == "velocity" else ("e", "rad/s^2")
        most = max((abs(value) for value in self.angular.values()), default=0.0)
        lines.append("")
        for body, value in self.angular.items():
            told = self.shown.told(float(tidy(value, most)), si, 6)
            lines.append(f"  {symbol}({body}) = {told}  by {self.methods[body]}")
        return "\n".join([*lines, *self.notes])


@public
def velocity_plan(
    source: Source, at: Any = None, points: Points | None = None, arcs: Arcs | None = None
) -> Plan:
    """The velocity plan of a planar motion at the index `at`; `points` adds points of bodies.

    Of a mechanism it is at a position of its drives, `{"A": "60 deg"}`, with their constant speeds.
    `arcs` names a point of a slider and the pin that its guide is an arc about: {"K": "O"}.

    >>> plan = kb.course.velocity_plan(motion, 0, {"M": ("coupler", (0.06, 0.03))})
    >>> plan.points["M"].round(6)
    array([0.078674, 0.070608])
    """
    return _plan(
        solved_groups(*standing("velocity_plan", source, at)), "velocity", points or {}, arcs or {}
    )


@public
def acceleration_plan(
    source: Source, at: Any = None, points: Points | None = None, arcs: Arcs | None = None
) -> Plan:
    """The acceleration plan, Coriolis terms included; arguments are those of the velocity plan."""
    return _plan(
        solved_groups(*standing("acceleration_plan", source, at)),
        "acceleration",
        points or {},
        arcs or {},
    )


def _plan(solved: GroupwiseMotion, quantity: str, points: Points, arcs: Arcs) -> Plan:
    maker = _maker(solved, quantity[0], points, arcs)
    rates = {body: rate for body, rate in solved.rates.items() if body != GROUND}
    return Plan(
        quantity,
        solved.at.m.name,
        solved.at.t,
        maker.places,
        maker.images,
        maker.links,
        tuple(maker.vectors()),
        {body: rate.w if quantity == "velocity" else rate.e for body, rate in rates.items()},
        {body: step.method for step in solved.steps for body in step.bodies},
        maker.residual(),
        solved.notes,
        tuple(body.name for body in solved.at.m.bodies),
        display_units(solved.at.m),
    )


def _maker(solved: GroupwiseMotion, letter: str, points: Points, arcs: Arcs) -> _Maker:
    """Where the points of a mechanism are, and which links have them."""
    at = solved.at
    pins = [joint for joint in at.m.joints if joint.turns_only]
    places = {pin.name: at.place(pin) for pin in pins}
    owners = {pin.name: [pin.parent, pin.child] for pin in pins}
    slides: list[_Slide] = []
    for joint in (each for each in at.m.joints if each.shifts_only):
        K, k, J, j = _coincident(pins, joint)
        places[J] = places.setdefault(K, at.place(joint))
        owners.setdefault(K, []).append(k)
        owners.setdefault(J, []).append(j)
        slides.append(_Slide(K, k, J, j))
    for step in solved.steps:
        if step.special is not None and "H" not in places:
            places["H"], owners["H"] = step.special[1].r, [step.special[0]]
    located = _located(at.m, points)
    for name, (body, where) in located.items():
        if name in places or body not in at.X_WB:
            why = "is a joint already" if name in places else f"is on no link: {body!r}"
            raise StructureError(f"points: {name!r} {why}; links are {', '.join(at.bodies)}")
        p = np.zeros(3)
        p[: len(where)] = where
        places[name] = np.asarray(at.X_WB[body].point(p)[:2], dtype=float)
        owners[name] = [body]
    given = {name: body for name, (body, _) in located.items()}
    for name, pin in arcs.items():
        slides.append(arc := _arc(pins, owners, name, pin))
        places[arc.J] = places[name]
        owners[arc.J] = [arc.j]
    return _Maker(solved, letter, places, owners, slides, given)


def _located(m: Mechanism, points: Points) -> dict[str, tuple[str, Sequence[float]]]:
    """The points with their bodies and places; a point named alone keeps its name."""
    named = points if isinstance(points, Mapping) else {text: text for text in points}
    located: dict[str, tuple[str, Sequence[float]]] = {}
    for name, given in named.items():
        body, where = place_named(given, points_of(m)) if isinstance(given, str) else given
        if where is None:
            raise StructureError(
                f"points: {given!r} is no point; name one with its body, such as 'coupler.P'"
            )
        alone = name == given and isinstance(where, str)
        if isinstance(where, str) and body in points_of(m):
            located[where if alone else name] = (body, place_on_body(m, body, where))
        else:
            located[name] = (body, where)  # type: ignore[assignment]
    return located


class _Slide(NamedTuple):
    """Point K, its link, the point J of the guide at the same place, its link."""

    K: str
    k: str
    J: str
    j: str
    centre: str = ""
    """The pin at the centre of a guide that is an arc."""


def _arc(pins: list[Joint], owners: Mapping[str, list[str]], K: str, name: str) -> _Slide:
    """A pin as an arc on which the point K of one of its links slides."""
    pin = next((each for each in pins if each.name == name), None)
    if pin is None or K not in owners:
        known = ", ".join(owners if pin else (each.name for each in pins))
        what = f"no point {K!r}" if pin else f"no pin {name!r}"
        raise StructureError(f"arcs: there is {what}; there are {known}")
    own = [body for body in (pin.child, pin.parent) if body in owners[K]]
    if len(own) != 1:
        raise StructureError(
            f"arcs: {K!r} is on {' and '.join(owners[K])}; a point that slides about {name!r} is "
            f"on one of its links, {pin.parent!r} or {pin.child!r}"
        )
    j = pin.other(own[0])
    return _Slide(K, own[0], f"{K}({j})", j, name)


def _coincident(pins: list[Joint], joint: Joint) -> tuple[str, str, str, str]:
    """K on a link of a prismatic pair at a pin of it, J on the other link at the same place."""
    ends = joint.child, joint.parent
    own = [
        (pin.joins(GROUND), body != joint.child, pin.name, body)
        for body in ends
        for pin in pins
        if pin.joins(body) and body != GROUND
    ]
    if not own:
        return f"{joint.name}({ends[0]})", ends[0], f"{joint.name}({ends[1]})", ends[1]
    _, _, name, body = min(own)
    return name, body, f"{name}({joint.other(body)})", joint.other(body)


@dataclass(frozen=True, eq=False)
class _Maker:
    """The vectors of one plan."""

    solved: GroupwiseMotion
    letter: str
    """v or a."""
    places: dict[str, Array]
    owners: dict[str, list[str]]
    """The links that have a point."""
    slides: list[_Slide]
    """Prismatic pairs, and pins as arcs."""
    given: dict[str, str]
    """Points that the user asked for, and their links."""

    @cached_property
    def links(self) -> dict[str, tuple[str, ...]]:
        """Points of every moving link, in the order in which they become known."""
        steps = enumerate(self.solved.steps)
        number = {GROUND: -1} | {body: i for i, step in steps for body in step.bodies}
        order = sorted(self.owners, key=lambda name: min(number[b] for b in self.owners[name]))
        return {
            body: tuple(name for name in order if body in self.owners[name])
            for body in self.solved.rates
            if body != GROUND
        }

    @cached_property
    def fixed(self) -> tuple[str, ...]:
        """Points of the base."""
        return tuple(name for name, bodies in self.owners.items() if GROUND in bodies)

    def of(self, body: str, name: str) -> Array:
        """The vector of a point of a body."""
        point = self.solved.rates[body].at(self.places[name])
        return point.v if self.letter == "v" else point.a

    @cached_property
    def images(self) -> dict[str, Array]:
        """End points of all absolute vectors; asked points by similarity where a link has two."""
        images = {"pole": np.zeros(2)} | {name: np.zeros(2) for name in self.fixed}
        for body, names in self.links.items():
            for name in names:
                if name not in images and name not in self.given:
                    images[name] = self.of(body, name)
        for name, body in self.given.items():
            images[name] = self._similar(name, body, images)
        return images

    def _similar(self, name: str, body: str, images: dict[str, Array]) -> Array:
        """m = b + z (c - b) with z = (M - B) / (C - B), in complex numbers."""
        known = [each for each in self.links.get(body, ()) if each in images]
        M, far = complex(*self.places[name]), 1e-6 * self.solved.at.scale
        for one, two in permutations(known, 2):
            B, C, b, c = (
                complex(*where[point]) for where in (self.places, images) for point in (one, two)
            )
            if abs(C - B) > far:
                m = b + (M - B) / (C - B) * (c - b)
                return np.array([m.real, m.imag])
        return self.of(body, name)

    def residual(self) -> float:
        """How far the images of shared points are apart."""
        gaps = [
            float(np.linalg.norm(self.of(body, name) - self.images[name]))
            for body, names in self.links.items()
            for name in names
        ]
        return max(gaps, default=0.0)

    def vectors(self) -> Iterator[PlanVector]:
        """Absolute vectors, then those of links and of prismatic pairs."""
        for name, end in self.images.items():
            if name != "pole":
                yield PlanVector(f"{self.letter}_{name}", "absolute", np.zeros(2), end)
        for body, names in self.links.items():
            for name in names[1:]:
                yield from self._between(body, names[0], name)
        for slide in self.slides:
            yield from self._sliding(slide)

    def _between(self, body: str, M: str, N: str) -> Iterator[PlanVector]:
        """Relative vectors of two points of a link."""
        rate, r = self.solved.rates[body], self.places[N] - self.places[M]
        start = self.images[M]
        if self.letter == "v":
            yield PlanVector(f"v_{_both(N, M)}", "relative", start, self.images[N], body)
            return
        middle = start - rate.w**2 * r
        end = middle + rate.e * turned(r)
        yield PlanVector(f"a^n_{_both(N, M)}", "normal", start, middle, body)
        yield PlanVector(f"a^t_{_both(N, M)}", "tangential", middle, end, body)

    def _sliding(self, slide: _Slide) -> Iterator[PlanVector]:
        """Relative vectors of coincident points K of a slider and J of its guide."""
        K, k, J, j, centre = slide
        start, end = self.images[J], self.images[K]
        if self.letter == "v":
            yield PlanVector(f"v_{_both(K, J)}", "sliding", start, end, k)
            return
        v_K, v_J = (self.solved.rates[body].at(self.places[K]).v for body in (k, j))
        middle = start + 2 * self.solved.rates[j].w * turned(v_K - v_J)
        yield PlanVector(f"a^c_{_both(K, J)}", "coriolis", start, middle, k)
        if centre:
            w = self.solved.rates[k].w - self.solved.rates[j].w
            along = middle - w**2 * (self.places[K] - self.places[centre])
            yield PlanVector(f"a^n_{_both(K, J)}", "normal", middle, along, k)
            middle = along
        yield PlanVector(f"a^t_{_both(K, J)}", "sliding", middle, end, k)


def _small(images: Mapping[str, Array]) -> float:
    """Length below which a vector is zero."""
    return SMALL * max((float(np.abs(p).max()) for p in images.values()), default=0.0)


def _both(N: str, M: str) -> str:
    """Two points as an index: `CB`, and `C,C(rocker)` where names are longer than a letter."""
    return f"{N}{M}" if len(N) == len(M) == 1 else f"{N},{M}"
