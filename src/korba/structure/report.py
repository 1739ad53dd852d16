"""What `mobility` answers, and how it reads on paper."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..display import Displayed, columns
from .count import CLASS, UNIONS_UP_TO, LoopMobility
from .local import LocalFreedom
from .pebbles import RigidChain

Row = tuple[str, str, str]

MOST_ROWS = 20
"""Loops and unions that are printed; all of them are in the data."""


@dataclass(frozen=True)
class Reason(Displayed):
    """Why the actual mobility differs from the theoretical one, and what could be done."""

    kind: str
    joints: tuple[str, ...]
    change: int
    text: str
    edits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mobility(Displayed):
    """The answer of `mobility`; `print` shows it as a table."""

    mechanism: str
    space: int
    """Space of motion s = 6 - c_w of the count."""
    motion: str
    """What the joints' screws can generate together."""
    motion_size: int
    links: int
    classes: dict[int, int]
    couplings: int
    theoretical: int
    """W_T."""
    actual: int
    """W_R, over finite motions."""
    local: int
    """W_L."""
    passive: int
    """W_B."""
    blocked: int
    """Freedoms of the count that special dimensions block."""
    instantaneous: int
    """Mobility of the velocities at the drawing position, without local freedoms."""
    loop_count: int
    """l_k of (1.5), with the outer loop."""
    loops: tuple[LoopMobility, ...]
    unions: tuple[LoopMobility, ...]
    rigid: tuple[RigidChain, ...]
    complete: bool
    """Whether no sub-chain is rigid by counting."""
    locals: tuple[LocalFreedom, ...]
    drives: int
    undriven: int
    reasons: tuple[Reason, ...]

    @property
    def edits(self) -> tuple[str, ...]:
        """All proposed edits."""
        return tuple(dict.fromkeys(edit for reason in self.reasons for edit in reason.edits))

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, ready for JSON."""
        table = asdict(self)
        table["classes"] = {str(k): v for k, v in self.classes.items()}
        return table | {"edits": list(self.edits)}

    def __str__(self) -> str:
        """The table a student can follow."""
        space = {3: "plane, s = 3", 6: "space, s = 6"}.get(self.space, f"s = {self.space}")
        heading = f"Mobility of {self.mechanism or 'the mechanism'!r} ({space})"
        table = columns([*self._count(), *self._balance()])
        return "\n".join([heading, "", *table, *self._loops(), *self._reasons()])

    def _count(self) -> list[Row]:
        terms = "".join(f" - {self.space - i}*{p}" for i, p in self.classes.items())
        terms += f" - {self.couplings}" if self.couplings else ""
        equation = {3: "(1.1)", 6: "(1.2)"}.get(self.space, "(1.4)")
        rows = [("moving links", f"k    = {self.links}", "")]
        rows += [
            (f"pairs of class {CLASS[i]}", f"p{i}   = {p}", "") for i, p in self.classes.items()
        ]
        if self.couplings:
            rows.append(("couplings p = F(q)", f"     {self.couplings}", ""))
        result = f"W_T  = {self.space}*{self.links}{terms} = {self.theoretical}"
        return [*rows, ("theoretical mobility", result, equation)]

    def _balance(self) -> list[Row]:
        rows = [
            ("local mobility", f"W_L  = {self.local}", "(1.13)"),
            ("passive constraints", f"W_B  = {self.passive}", "(1.14)"),
            (
                "actual mobility",
                f"W_R  = {self.theoretical} - {self.local} + {self.passive}"
                + (f" - {self.blocked}" if self.blocked else "")
                + f" = {self.actual}",
                "(1.14)",
            ),
        ]
        if self.blocked:
            rows.insert(2, ("blocked by dimensions", f"       {self.blocked}", ""))
        if self.instantaneous != self.actual:
            rows.append(("at the drawing position only", f"       {self.instantaneous}", ""))
        if self.motion_size < self.space:
            rows.append(("space of motion", f"s    = {self.motion_size}: {self.motion}", "(1.3)"))
        if self.drives:
            left = f", {self.undriven} freedom{'s' * (self.undriven > 1)} left"
            left = left if self.undriven else ""
            rows.append(("drives", f"       {self.drives}{left}", ""))
        return rows

    def _loops(self) -> list[str]:
        if not self.loops:
            return ["", "No loops: an open chain or tree."]
        rows = [("loop", "W", "links and classes of pairs")]
        rows += [(k.name, str(k.mobility), k.walk) for k in self.loops[:MOST_ROWS]]
        stiff = [k for k in self.unions if k.mobility <= 0]
        rows += [
            (k.name, str(k.mobility), f"links {', '.join(k.bodies)}") for k in stiff[:MOST_ROWS]
        ]
        notes = []
        if (hidden := len(self.loops) + len(stiff) - (len(rows) - 1)) > 0:
            notes.append(f"  ... and {hidden} more")
        if len(self.loops) > UNIONS_UP_TO:
            notes.append(f"  (unions are listed for up to {UNIONS_UP_TO} loops)")
        elif len(stiff) < len(self.unions):
            notes.append(f"  ({len(self.unions) - len(stiff)} unions of loops with W > 0)")
        count = f"{len(self.loops)} independent, l_k = {self.loop_count} with the outer one (1.5)"
        return ["", f"Loops: {count}", *columns(rows), *notes]

    def _reasons(self) -> list[str]:
        if not self.reasons:
            return ["", "The count and the geometry agree."]
        lines = ["", "Why"]
        for reason in self.reasons:
            lines.append(f"  - {reason.text}.")
            lines += [f"      edit: {edit}." for edit in reason.edits]
        return lines
