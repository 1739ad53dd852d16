"""The count check of absolute coordinates: unknowns against equations, and whether these agree.

    3n + parameters  =  pair equations + driver equations                                   (2.95)

is what a determined system has; with passive constraints and idle freedoms the rank of Phi_q counts
instead. Equations to spare either repeat others, or contradict them, and then no position or no
velocity meets all (Gronowicz 2.3.3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...display import Displayed

AGREE = 1e-9
"""What equations to spare may leave open, in typical lengths and radians."""


@dataclass(frozen=True)
class Balance(Displayed):
    """Unknowns against equations; `print` says what follows from the count."""

    links: int
    freedoms: int
    """Unknowns of a link: 3 in a plane, 6 in space."""
    parameters: int
    """Profile parameters of cam pairs, one unknown each."""
    pair_equations: int
    driver_equations: int
    rank: int
    """Rank of Phi_q at the position."""
    residual: float = 0.0
    """What equations to spare leave open at every position nearby, in typical lengths or rad."""
    speed_residual: float = 0.0
    """The same of velocities, per second: where it is not zero, no motion goes on from here."""
    contradicting: tuple[str, ...] = ()
    """Drivers that contradict each other, or, if it is one, the pairs."""

    @property
    def unknowns(self) -> int:
        """3n and the profile parameters; 6n in space."""
        return self.freedoms * self.links + self.parameters

    @property
    def redundant(self) -> int:
        """Equations to spare: passive constraints, or contradictions."""
        return self.pair_equations + self.driver_equations - self.rank

    @property
    def free(self) -> int:
        """Freedoms that nothing drives."""
        return self.unknowns - self.rank

    @property
    def consistent(self) -> bool:
        """Whether equations to spare agree with the others."""
        return self.residual <= AGREE and self.speed_residual <= AGREE

    @property
    def verdict(self) -> str:
        """What follows from the count, in words."""
        if not self.consistent:
            names = " and ".join(map(repr, self.contradicting)) or "of some pairs"
            whom = "each other" if len(self.contradicting) != 1 else "the pairs"
            verb = "contradict" if len(self.contradicting) != 1 else "contradicts"
            open_by = (
                f"{self.residual:.3g}" if self.residual > AGREE else f"{self.speed_residual:.3g}/s"
            )
            return (
                f"over-constrained and inconsistent: {names} {verb} {whom}, which leaves "
                f"{open_by} open; leave one out"
            )
        if self.free:
            return f"not determined: {self.free} more drivers are needed, unless they are idle"
        if self.redundant:
            return "determined, and the equations to spare agree: passive constraints"
        return "determined: as many independent equations as unknowns"

    def __str__(self) -> str:
        return (
            f"unknowns   {self.freedoms} x {self.links} links + {self.parameters} profile "
            f"= {self.unknowns}\n"
            f"equations  {self.pair_equations} of pairs + {self.driver_equations} of drivers\n"
            f"rank {self.rank}: {self.redundant} redundant, {self.free} free\n"
            f"{self.verdict}"
        )
