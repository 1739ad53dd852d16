"""Mechanisms whose elements all have names that some language would read as its own."""

from __future__ import annotations

import korba as kb

BAD = (
    "<script>hacked=1</script>",
    '"><img src=x onerror=hacked=1>',
    "it's & co \\",
    "*/ int x; /*",
    "\\input{x} $y$ #z %_^~",
    "]]> </svg> -->",
    "`${hacked=1}`",
    '#import "x" *b* _i_ @l <l>',
    "</script><b>",
    '\\" ; \'\'\' """',
    "??/ // {{ }}",
    '$ "',
)


def four_bar(turn: int) -> kb.Mechanism:
    """A driven four-bar with a load; which element has which name turns round."""
    names = [f"{BAD[(k + turn) % len(BAD)]} {k}" for k in range(len(BAD))]
    bodies = [
        kb.Body(names[0], 1, (0.5, 0), inertia=0.1, points=((names[8], (1, 0, 0)),)),
        kb.Body(names[1], 2, (1.5, 1), inertia=0.2),
        kb.Body(names[2], 1, (4, 1), inertia=0.3),
    ]
    joints = [
        kb.Revolute(names[3], "ground", names[0], at=(0, 0)),
        kb.Revolute(names[4], names[0], names[1], at=(1, 0)),
        kb.Revolute(names[5], names[1], names[2], at=(3.4, 1.9)),
        kb.Revolute(names[6], names[2], "ground", at=(4, 0)),
    ]
    drives = [kb.JointDrive(names[7], names[3], "2*pi*t")]
    forces = [kb.PointForce(names[9], names[2], (0, -10), at=(3.6, 1.0))]
    more = {"drives": drives, "forces": forces, "plane": "xy", "description": names[11]}
    return kb.Mechanism(names[10], bodies, joints, **more)
