"""A direct-current motor on a joint, through a gear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from ...expr import Expr
from ..curve import Curve, LawOrCurve, value_at
from ..fields import field
from ..force import Effort, Force, State
from ..specs import Number, Text


@final
@dataclass(frozen=True)
class Motor(Force):
    """A direct-current motor on a joint, through a gear.

    tau = ratio efficiency torque_constant i,   voltage = resistance i + back_emf ratio v
    (+ inductance di/dt). The rotor's inertia is the `rotor` of the joint.
    """

    type = "motor"
    joints = ("joint",)

    joint: str = field(Text(), doc="the joint it drives")
    voltage: Expr | Curve = field(
        LawOrCurve("t", "voltage", alone=False),
        doc="supply voltage: in time, of the state, or the name of a controller",
    )
    torque_constant: float = field(
        Number("torque constant", positive=True), doc="moment per ampere"
    )
    resistance: float = field(Number("resistance", positive=True), doc="resistance of the armature")
    back_emf: float | None = field(
        Number("back emf", minimum=0),
        default=None,
        doc="voltage per rad/s; without it the torque constant, as physics has it",
    )
    inductance: float = field(Number("inductance", minimum=0), default=0.0, doc="inductance")
    ratio: float = field(Number("number"), default=1.0, doc="motor turns per joint turn")
    efficiency: float = field(
        Number("number", positive=True), default=1.0, doc="efficiency of the gear"
    )

    @property
    def inductive(self) -> bool:
        """Whether its current is a state; an inductance that is a symbol counts as one."""
        return isinstance(self.inductance, Expr) or self.inductance != 0.0

    @property
    def own_states(self) -> tuple[str, ...]:
        """The current, where there is an inductance."""
        return ("i",) if self.inductive else ()

    @property
    def state_unit(self) -> str:
        """Ampere."""
        return "A"

    def acts(self, at: State) -> Iterator[Effort]:
        """tau = N eta k i,  with i = (u - k_e N v) / R, or a state of its own."""
        tau = self.ratio * self.efficiency * self.torque_constant * self._current(at)
        yield Effort(self.joint, tau)

    def rates(self, at: State) -> tuple[Any, ...]:
        """L di/dt = u - k_e N v - R i."""
        if not self.inductive:
            return ()
        return ((self._driving(at) - self.resistance * self._current(at)) / self.inductance,)

    def _current(self, at: State) -> Any:
        if not self.inductive:
            return self._driving(at) / self.resistance
        return self.states_at(at)[0]

    def _driving(self, at: State) -> Any:
        """The voltage that drives the current: u - k_e N v."""
        back = self.torque_constant if self.back_emf is None else self.back_emf
        _, v = at.coordinate(self.joint)
        own = self.voltage
        u = value_at(own, "t", at.t) if isinstance(own, Curve) else at.value(own)
        return u - back * self.ratio * v
