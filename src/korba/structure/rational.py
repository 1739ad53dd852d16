"""The verb `rational_variants`: the same links and pairs without passive constraints.

A system is rational if W_B = 0: it moves for any dimensions. With W_T = W_R + W_L the classes of
the pairs must add up to  W_R + W_L + 6 L,  L = sum p_i - k loops (section 1.2.4). All assignments
of classes to the free pairs are listed whose loops and unions of loops are not over-constrained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..display import Displayed, Listed
from ..door import public
from ..errors import refuse_unknown
from ..model.joints import JOINT_TYPES
from ..model.mechanism import Mechanism
from ..topology.graph import Graph, graph_of
from .count import CLASS
from .knots import KNOTS
from .mobility import mobility as mobility_of
from .pebbles import rigid_sub_chains

SPACE = 6


@dataclass(frozen=True)
class Variant(Displayed):
    """One solution: how many pairs of each class, and on which joints they can stand."""

    classes: tuple[int, ...]
    """Classes of the free pairs, in order of size."""
    placements: tuple[tuple[int, ...], ...]
    """Every way to put them on the free joints."""
    realised_by: tuple[tuple[int, tuple[str, ...]], ...]
    """For every class that is used, the pairs and knots that realise it."""


@dataclass(frozen=True)
class RationalVariants(Listed[Variant]):
    """The answer of `rational_variants`: a sequence of variants; `print` shows it."""

    listed = "variants"
    mechanism: str
    free: tuple[str, ...]
    """Joints whose class is sought."""
    kept: tuple[tuple[str, int], ...]
    mobility: int
    local: int
    variants: tuple[Variant, ...]
    complete: bool
    """False where the limit on placements was reached."""

    def __str__(self) -> str:
        """Solutions with their placements and realisations."""
        target = f"W_R = {self.mobility}" + (f", W_L = {self.local}" if self.local else "")
        name = self.mechanism or "the mechanism"
        lines = [f"Rational variants of {name!r} ({target}, W_B = 0): {len(self)} solutions"]
        if self.kept:
            kept = ", ".join(f"{joint} class {CLASS[k]}" for joint, k in self.kept)
            lines.append(f"  kept: {kept}")
        for n, variant in enumerate(self.variants, start=1):
            lines.append(f"  {n}. classes {', '.join(CLASS[k] for k in variant.classes)}")
            for placement in variant.placements[:6]:
                pairs = zip(self.free, placement, strict=True)
                lines.append("     " + ", ".join(f"{j}: {CLASS[k]}" for j, k in pairs))
            if len(variant.placements) > 6:
                lines.append(f"     ... and {len(variant.placements) - 6} more placements")
            for k, names in variant.realised_by:
                lines.append(f"     class {CLASS[k]}: {', '.join(names)}")
        if not self.complete:
            lines.append("  (stopped at the limit of placements: keep more joints, or raise it)")
        return "\n".join(lines)


@public
def rational_variants(
    m: Mechanism,
    keep: str | Sequence[str] = (),
    *,
    mobility: int | None = None,
    local: int = 0,
    limit: int = 20_000,
) -> RationalVariants:
    """All class assignments without passive constraints, with their realisations.

    `keep` names joints that keep their class; `mobility` is the wanted W_R (the actual one without
    it), `local` the allowed W_L, `limit` the largest number of placements that are tried.
    """
    graph = graph_of(m)
    kept = {keep} if isinstance(keep, str) else set(keep)
    refuse_unknown("joint", sorted(kept), graph.joints, "keep")
    wanted = mobility_of(m).actual if mobility is None else mobility
    free = [j for j, name in enumerate(graph.joints) if name not in kept]
    loops = len(graph.joints) - graph.moving
    total = wanted + local + SPACE * loops
    total -= sum(f for j, f in enumerate(graph.freedoms) if j not in free)
    found, complete = _sound_placements(graph, free, total, limit)
    classes = zip(graph.joints, graph.freedoms, strict=True)
    return RationalVariants(
        m.name,
        graph.joint_names(free),
        tuple((name, f) for name, f in classes if name in kept),
        wanted,
        local,
        tuple(
            Variant(classes, tuple(places), tuple((k, realisations(k)) for k in sorted({*classes})))
            for classes, places in sorted(found.items())
        ),
        complete,
    )


def realisations(klass: int) -> tuple[str, ...]:
    """What can stand for a joint of a class in space: single pairs first, then knots.

    >>> realisations(5)
    ('point-on-plane', 'knot 2RS', 'knot 2CR', 'knot SC')
    """
    pairs = [
        name
        for name, cls in JOINT_TYPES.items()
        if cls.spatial and cls.proposed and len(cls.velocity_names) == klass
    ]
    pairs.sort(key=lambda name: not JOINT_TYPES[name].lower_pair)
    return (*pairs, *(f"knot {symbol}" for symbol in KNOTS.get(klass, ())))


def _sound_placements(
    graph: Graph, free: list[int], total: int, limit: int
) -> tuple[dict[tuple[int, ...], list[tuple[int, ...]]], bool]:
    """Placements by their classes in order of size, and whether all were tried."""
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for tried, placement in enumerate(_assignments(total, len(free)), 1):
        if tried > limit:
            return found, False
        if _sound(graph, free, placement):
            found.setdefault(tuple(sorted(placement)), []).append(placement)
    return found, True


def _assignments(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """Tuples of `count` classes I ... V that add up to `total`."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for first in range(max(1, total - 5 * (count - 1)), min(5, total - (count - 1)) + 1):
        for rest in _assignments(total - first, count - 1):
            yield (first, *rest)


def _sound(graph: Graph, free: list[int], placement: tuple[int, ...]) -> bool:
    """No loop or union of loops is rigid or over-rigid."""
    freedoms = list(graph.freedoms)
    for j, klass in zip(free, placement, strict=True):
        freedoms[j] = klass
    return not rigid_sub_chains(replace(graph, freedoms=tuple(freedoms)), SPACE)
