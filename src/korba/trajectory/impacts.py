"""What jumps at events: the velocities after, and the impulses that make them.

    M (v+ - v-) = W' p + J' Lambda                                                             (1)

p are the impulses of contacts (stops are some) and Lambda those that go through joints and drives,
all in N s, or N m s where they turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..spatial.rotation import Array
from ..verbs.forces.joint_wrench import JointWrench


@dataclass(frozen=True, eq=False)
class Impacts(Displayed):
    """Of some events, a row each; one of them has no axis of events."""

    v: Array
    """Velocities after."""
    contacts: Mapping[str, Array]
    """Impulses of stops and contacts."""
    joints: Mapping[str, Array]
    """Force, moment and point of every joint, (..., 3, 3)."""
    drives: Mapping[str, Array]

    def taken(self, places: Any) -> Impacts:
        """Some of them, or one."""
        own = [{n: x[places] for n, x in part.items()} for part in self.named.values()]
        return Impacts(self.v[places], *own)

    @property
    def named(self) -> dict[str, Mapping[str, Array]]:
        """Impulses of contacts, joints and drives."""
        return {"contact": self.contacts, "joint": self.joints, "drive": self.drives}

    def wrenches(self) -> dict[str, JointWrench]:
        """Impulses of the parent on the child, along the world's axes."""
        return {
            name: JointWrench(x[..., 0, :], x[..., 1, :], x[..., 2, :])
            for name, x in self.joints.items()
        }

    @property
    def arrays(self) -> dict[str, Array]:
        """What is saved."""
        parts = {f"{kind} {n}": x for kind, own in self.named.items() for n, x in own.items()}
        return {"v": self.v, **parts}

    @staticmethod
    def loaded(arrays: Mapping[str, Array]) -> Impacts:
        """What was saved."""
        own: dict[str, dict[str, Array]] = {"contact": {}, "joint": {}, "drive": {}}
        for name, x in arrays.items():
            kind, _, rest = name.partition(" ")
            if rest:
                own[kind][rest] = x
        return Impacts(arrays["v"], *own.values())

    @staticmethod
    def joined(parts: Sequence[Impacts]) -> Impacts:
        """Of several runs, one after the other; what a run does not have is zero in it."""
        v, made = np.concatenate([part.v for part in parts]), []
        for kind in parts[0].named:
            shapes = {n: x.shape[1:] for part in parts for n, x in part.named[kind].items()}
            made.append(
                {
                    n: np.concatenate(
                        [p.named[kind].get(n, np.zeros((len(p.v), *shape))) for p in parts]
                    )
                    for n, shape in shapes.items()
                }
            )
        return Impacts(v, *made)
