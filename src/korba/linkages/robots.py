"""Robot arms: an open chain of a waist, a shoulder and an elbow."""

from __future__ import annotations

from typing import Any

from ..door import public
from ..model.mechanism import Mechanism
from .parts import SWINGS, Size, bar, body, built, document, driven, joint


@public
def robot_arm(column: Size, upper: Size, fore: Size, **more: Any) -> Mechanism:
    """Robot arm: a waist turns the column about z, a shoulder and an elbow move the links in it.

    The upper arm SE and the forearm EH go along x where all angles are 0; S is `column` above the
    base. All joints swing by `swing` about the parameters `turned`, `raised` and `bent`.

    >>> m = kb.linkages.robot_arm(0.4, 0.35, 0.3)
    >>> hand = kb.pose(m, [0, 0, 0], body="forearm") @ [0.3, 0, 0, 1]
    >>> round(float(hand[0]), 9)
    0.65
    """
    across = "density*column^3/12"
    stand = body(
        "column",
        {"O": [0, 0, 0], "S": [0, 0, "column"]},
        mass="density*column",
        com=[0, 0, "column/2"],
        inertia=[across, across, "density*column^3/800"],
    )
    links = [
        stand,
        bar("upper arm", "SE", "upper", spatial=True),
        bar("forearm", "EH", "fore", spatial=True),
    ]
    level = {"rotation": ["90 deg", 0, 0]}
    joints = [
        joint("revolute", "waist", "ground.O", "column.O"),
        joint("revolute", "shoulder", "column.S", "upper arm.S", on_parent=level),
        joint("revolute", "elbow", "upper arm.E", "forearm.E"),
    ]
    inputs = {"waist": "turned", "shoulder": "raised", "elbow": "bent"}
    sizes = {"column": column, "upper": upper, "fore": fore}
    starts: dict[str, Size] = {"turned": 0.0, "raised": "60 deg", "bent": "-60 deg"}
    starts["swing"] = "40 deg"
    drives = driven(joints, inputs, SWINGS)
    points = {"O": [0, 0, 0]}
    table = document("robot arm", sizes | starts, links, joints, drives, points=points)
    return built(robot_arm, table, more, signed=starts)
