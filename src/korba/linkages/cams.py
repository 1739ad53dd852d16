"""Cams: a disc that lifts a follower with a roller."""

from __future__ import annotations

from typing import Any

from ..door import public
from ..model.mechanism import Mechanism
from .parts import Size, body, built, joint, planar, slider


@public
def cam(base: Size, lift: Size, roller: Size, **more: Any) -> Mechanism:
    """Disc cam: its radius goes from `base` to base + `lift`, and lifts a follower along y.

    The follower B has a roller of radius `roller`, above the shaft A. The radius over the angle
    beta is base + lift (1 - cos beta)^2 / 4: a long rest, a rise and a fall. At first the lowest
    place is up.

    >>> m = kb.linkages.cam(0.04, 0.02, 0.008)
    >>> low, high = kb.motion(m, [0, 0.5])["B"]
    >>> round(float(high - low), 9)
    0.02
    """
    disc = body("cam", {"A": [0, 0]}, mass="density*base", inertia="density*base^3/2")
    contact = {"profile": "base + lift*(1 - cos(beta))^2/4", "radius": "roller"}
    pairs = [
        joint("prismatic", "B", "ground.A", "follower.B", axis=[0, 1], drawn="base + roller"),
        joint("cam-roller", "K", "cam.A", "follower.B", **contact, drawn=[0, "-90 deg"]),
    ]
    sizes = {"base": base, "lift": lift, "roller": roller}
    links = [disc, slider("follower", "B")]
    table = planar("cam", sizes, {"A": (0, 0)}, links, more=pairs, inputs={"A": "90 deg"})
    return built(cam, table, more)
