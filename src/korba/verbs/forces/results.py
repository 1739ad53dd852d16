"""What `kb.reactions` returns: force and moment of every joint, efforts of drives, friction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...display import Plotted, Tabled, columns, number_told, parted_columns, tidy
from ...errors import StructureError, refuse_unknown, unknown
from ...expr.display_units import IN_SI, DisplayUnits
from ...spatial.rotation import Array
from .balance import PowerBalance
from .joint_wrench import JOINT, WORLD, JointWrench, Turns, turned
from .stretches import Stretch

ARRAYS = ("force", "moment", "point", "efforts", "undriven", "open", "open_drives")
"""Fields that a program computes, the first three always."""
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")
OPEN = 1e-10
"""The share of a component in what balances itself, squared, below which it is unique."""
ROUGH, GUIDE, PUSHING = "joint with friction", "guide with friction", "contact that cannot pull"
ROD = "rod"
"""What results by name are of."""


V = TypeVar("V")


class Named(dict[str, V]):
    """Results by names of one kind of element; one that is not there is answered with those."""

    def __init__(self, kind: str, values: Any = ()) -> None:
        super().__init__(values)
        self.kind = kind

    def __missing__(self, name: object) -> V:
        if not self:
            raise StructureError(f"there is no {self.kind} {name!r} here, nor any other")
        raise StructureError(unknown(self.kind, name, self, " here"))

    def __reduce__(self) -> Any:
        return type(self), (self.kind, dict(self))


@dataclass(frozen=True)
class Jam(Stretch):
    """Positions one after the other at which friction leaves no solution.

    The joint is the one in which friction grew most.
    """

    reached: float
    """Part of the friction that there is a solution for."""


@dataclass(frozen=True)
class LiftOff(Stretch):
    """Positions one after the other at which a contact would have to pull, so that it lifts off."""

    pull: float
    """The largest force with which it would have to pull."""


@dataclass(frozen=True, eq=False)
class Reactions(Plotted, Tabled):
    """Forces, moments and the points they are about, (..., joints, 3) each, in world axes.

    `reactions["elbow"]` gives those of one joint, `reactions.driving["crank"]` the force or moment
    of a drive. Where constraints or drives are to spare, `.unique` and `.not_unique` name what the
    equations tell and what the distribution decides.
    """

    joints: tuple[str, ...]
    """Names of the joints, those of rotors and elastic joints written out."""
    force: Array
    moment: Array
    point: Array
    drives: tuple[str, ...] = ()
    """Names of the drives; one that prescribes several motions stands there with each."""
    efforts: Array = field(default_factory=lambda: np.zeros(0))
    """Forces or moments of the drives, (..., drives)."""
    notes: tuple[str, ...] = ()
    """What they leave out, and where it jams."""
    friction: Mapping[str, Array] = field(default_factory=lambda: Named(ROUGH))
    """Efforts of friction in the velocities of each joint that has it, (..., nv of the joint)."""
    losses: Mapping[str, Array] = field(default_factory=lambda: Named(ROUGH))
    """Power that friction takes in each joint, (...)."""
    contacts: Mapping[str, Array] = field(default_factory=lambda: Named(GUIDE))
    """Of each guide with friction the forces of its two contacts on the child, (..., 2, 3)."""
    jammed: Array = field(default_factory=lambda: np.zeros((), dtype=bool))
    """Where friction leaves no solution, (...)."""
    jams: tuple[Jam, ...] = ()
    """The same as ranges of positions, each with the joint that jams."""
    pressing: Mapping[str, Array] = field(default_factory=lambda: Named(PUSHING))
    """Of contacts that cannot pull (cams, flanks of teeth) the force that presses, (...)."""
    pulls: Mapping[str, Array] = field(default_factory=lambda: Named(ROD))
    """Force along each rod, (...): positive where it pulls its ends together."""
    lift_offs: tuple[LiftOff, ...] = ()
    """Where contacts lift off, as ranges of positions."""
    self_locking: Array = field(default_factory=lambda: np.zeros((), dtype=bool))
    """Where loads would drive it without friction, and with friction cannot, (...)."""
    balance: PowerBalance | None = None
    """With friction=True: where power comes from and goes to."""
    frictionless: Reactions | None = None
    """With friction=True: the same motion without friction."""
    open: Array = field(default_factory=lambda: np.zeros(0))
    """Projectors of every joint's (moment in typical lengths, force) on what balances itself,
    (..., joints, 6, 6); empty where everything is unique."""
    open_drives: Array = field(default_factory=lambda: np.zeros(0))
    """The same of the drives' efforts, (..., drives)."""
    undriven: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    """What is told of freedoms without drives (dynamics/kinetostatics.py, `besides`)."""
    bodies: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Parent and child of every joint."""
    axes: str = WORLD
    turns: Turns | None = field(default=None, repr=False)
    """Gives R_WJ of the joints' frames, (..., joints, 3, 3)."""
    planar: bool = field(default=False, repr=False)
    shown: DisplayUnits = field(default=IN_SI, repr=False)
    """In which units people read them."""
    effort_units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """In SI, of what each drive does: N m or N."""

    @property
    def columns(self) -> dict[str, Array]:
        """Force and moment of every joint by component, efforts of drives, pulls, losses."""
        found: dict[str, Array] = {}
        for i, joint in enumerate(self.joints):
            for key, part in (("F", self.force), ("M", self.moment)):
                own = parted_columns(key, part[..., i, :])
                found |= {f"{name}.{joint}": x for name, x in own.items()}
        found |= {f"drive.{name}": np.ravel(x) for name, x in self.driving.items()}
        found |= {f"pull.{name}": np.ravel(x) for name, x in self.pulls.items()}
        return found | {f"loss.{name}": np.ravel(x) for name, x in self.losses.items()}

    @property
    def arrays(self) -> dict[str, Array]:
        """What a program computes of them, by name; what is empty is left out."""
        own = {name: getattr(self, name) for name in ARRAYS}
        return {name: x for name, x in own.items() if x.size or name in ARRAYS[:3]}

    def __getitem__(self, joint: str) -> JointWrench:
        """Force, moment and point of a joint by its name."""
        refuse_unknown("joint", joint, self.joints, end=" here")
        i = self.joints.index(joint)
        force, moment, point = (x[..., i, :] for x in (self.force, self.moment, self.point))
        return JointWrench(force, moment, point, self.axes, lambda: self.frames[..., i, :, :])

    def on(self, body: str) -> dict[str, JointWrench]:
        """What all joints of a body do to it, by joint: with its loads they hold its motion."""
        ends = dict(zip(self.joints, self.bodies, strict=bool(self.bodies)))
        acting = {
            joint: self[joint] if child == body else -self[joint]
            for joint, (parent, child) in ends.items()
            if body in (parent, child)
        }
        if not acting:
            known = ", ".join(dict.fromkeys(name for pair in self.bodies for name in pair))
            raise StructureError(f"no joint holds a body {body!r}; there are {known}")
        return acting

    @cached_property
    def frames(self) -> Array:
        """Rotations of the joints' frames in the world, (..., joints, 3, 3)."""
        if self.turns is None:
            raise StructureError("these reactions do not know the axes of their joints")
        return self.turns()

    def in_joint(self) -> Reactions:
        """The same with forces and moments along the axes of the joints' own frames."""
        return self if self.axes == JOINT else self._in(JOINT, np.swapaxes(self.frames, -1, -2))

    def in_world(self) -> Reactions:
        """The same with forces and moments along the world's axes."""
        return self if self.axes == WORLD else self._in(WORLD, self.frames)

    def _in(self, axes: str, R: Array) -> Reactions:
        force, moment, spread = turned(R, self.force), turned(R, self.moment), self.open
        if spread.size:
            T = np.zeros((*R.shape[:-2], 6, 6))
            T[..., :3, :3] = T[..., 3:, 3:] = R
            spread = T @ spread @ np.swapaxes(T, -1, -2)
        return replace(self, force=force, moment=moment, open=spread, axes=axes)

    @property
    def driving(self) -> dict[str, Array]:
        """The forces and moments of the drives by name."""
        return Named("drive", zip(self.drives, np.moveaxis(self.efforts, -1, 0), strict=True))

    @property
    def unique(self) -> tuple[str, ...]:
        """Drives, joints and components ("A.fx") that the equations tell, at all positions."""
        return tuple(self._named(unique=True))

    @property
    def not_unique(self) -> tuple[str, ...]:
        """Drives and components that the distribution decides, at one position or more."""
        return tuple(self._named(unique=False))

    def _named(self, unique: bool) -> Iterator[str]:
        """Names of what is unique, or of what is not: drives, then joints or their components."""
        lead = tuple(range(self.efforts.ndim - 1))
        told = np.ones(len(self.drives), dtype=bool)
        if self.open_drives.size:
            told = np.all(self.open_drives < OPEN, axis=lead)
        yield from (name for name, own in zip(self.drives, told, strict=True) if own == unique)
        for i, joint in enumerate(self.joints):
            own = self._components(i)
            if unique and all(own.values()):
                yield joint
            else:
                yield from (f"{joint}.{part}" for part, each in own.items() if each == unique)

    def _components(self, i: int) -> dict[str, bool]:
        """Of the components that a joint has: whether each is unique."""
        if not self.open.size:
            return dict.fromkeys(COMPONENTS, True)
        spread = np.diagonal(self.open[..., i, :, :], axis1=-2, axis2=-1).reshape(-1, 6)
        told = dict(zip(COMPONENTS, np.all(spread < OPEN, axis=0).tolist(), strict=True))
        if not self.planar:
            return told
        normal = 2
        if self.axes == JOINT:  # the axis of the joint that is normal to the plane
            normal = int(np.abs(self.frames.reshape(-1, len(self.joints), 3, 3)[0, i, 2]).argmax())
        inside = [k for k in range(3) if k != normal]
        return {
            part: told[part] for part in [f"m{'xyz'[normal]}", *(f"f{'xyz'[k]}" for k in inside)]
        }

    @property
    def efficiency(self) -> Array:
        """What comes out over what goes in, over the motion; asked for with friction=True."""
        if self.balance is None:
            raise StructureError(
                "the efficiency is asked for with friction: kb.reactions(m, motion, friction=True)"
            )
        return self.balance.efficiency

    def _range(self, drive: str, x: Array, top: float) -> str:
        """From where to where the effort of a drive goes, beside the largest of the table."""
        return self._from_to(x, self.effort_units.get(drive, ""), top)

    def _from_to(self, x: Array, si: str, top: float) -> str:
        own = np.asarray(x)[~np.isnan(x)]
        if not own.size:
            return "nan"
        ends = self.shown.values(tidy([own.min(), own.max()], top), si)
        return (
            f"{' to '.join(number_told(float(x), 4) for x in ends)} {self.shown.unit(si)}".rstrip()
        )

    def _lost(self, joint: str) -> str:
        """The power that friction takes in a joint, on the mean of positions with an answer."""
        own = np.asarray(self.losses.get(joint, np.zeros(0)))
        own = own[~np.isnan(own)]
        return self.shown.told(float(own.mean()), "W", 4) if own.size else ""

    def __str__(self) -> str:
        """The largest force and moment of every joint, and what the drives range over."""
        parts = [np.linalg.norm(part, axis=-1) for part in (self.force, self.moment)]
        lead = tuple(range(parts[0].ndim - 1))
        most = np.array([np.fmax.reduce(part, axis=lead, initial=np.nan) for part in parts])
        every = [*most.ravel(), *np.abs(self.efforts).ravel()]
        top = np.fmax.reduce(every, initial=0.0)
        force, moment = tidy(most, top)
        rows = [("joint", "force", "moment", *["mean loss"] * bool(self.losses))]
        for name, f, n in zip(self.joints, force, moment, strict=True):
            lost = [self._lost(name)] * bool(self.losses)
            own = (self.shown.told(float(x), unit, 4) for x, unit in ((f, "N"), (n, "N m")))
            rows.append((name, *own, *lost))
        smooth = {} if self.frictionless is None else self.frictionless.driving
        drives = []
        for name, effort in self.driving.items():
            if np.size(effort):
                without = ""
                if name in smooth:
                    without = f" (without friction {self._range(name, smooth[name], top)})"
                drives.append(f"  drive {name}: {self._range(name, effort, top)}{without}")
        drives += [f"  rod {k} pulls: {self._from_to(x, 'N', top)}" for k, x in self.pulls.items()]
        if self.balance is not None and self.losses and np.ndim(self.balance.efficiency) == 0:
            efficiency = round(float(self.balance.efficiency), 12) + 0.0
            drives.append(f"  efficiency: {efficiency:.4g} (.balance tells losses)")
        drives += [f"  note: {note}" for note in self.notes]
        if self.open.size:
            drives += [f"  unique: {_few(self.unique)}", f"  not unique: {_few(self.not_unique)}"]
        states = int(np.prod(self.force.shape[:-2]))
        of = f", largest of {states} positions" if states > 1 else ""
        return "\n".join(
            [f"Forces of the parent on the child in every joint{of}", *columns(rows), *drives]
        )


def parts_of(row: Array, joints: int, drives: int) -> dict[str, Any]:
    """Forces, moments, efforts of drives, and what is told of freedoms without drives, by name."""
    parts = np.split(row, np.cumsum([3 * joints, 3 * joints, drives]), axis=-1)
    force, moment = (x.reshape(*row.shape[:-1], joints, 3) for x in parts[:2])
    return {"force": force, "moment": moment, "efforts": parts[2], "undriven": parts[3]}


def _few(names: tuple[str, ...], most: int = 24) -> str:
    """Names in a line, components of one joint together: "A.fx, fy, B.mz"."""
    told, last = [], ""
    for name in names[:most]:
        joint, _, part = name.rpartition(".")
        told.append(part if part in COMPONENTS and joint == last else name)
        last = joint if part in COMPONENTS else ""
    rest = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*told, *rest]) or "nothing"
