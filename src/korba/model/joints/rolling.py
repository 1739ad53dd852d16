"""What pairs share that roll or cut: fewer velocities than coordinates.

Their conditions bind velocities and no positions (they are not holonomic): every place can be
reached, but not in every way. With the pair that slips, which has the same coordinates,

    q' = N(q) v,      V_FM = S(q) v

Positions are those of the pair that slips, so whatever closes loops takes that one (`slipping`);
velocities, forces and motions are those of the pair itself.

Source: Kane & Levinson (1985), Dynamics: theory and applications, sections 2.13 and 4.6.
"""

from __future__ import annotations

from dataclasses import fields

from ..joint import Joint


def rolled(joint: Joint, other: type[Joint]) -> Joint:
    """Another kind of joint with all that it shares with one."""
    shared = {each.name for each in fields(other)}
    own = {each.name: getattr(joint, each.name) for each in fields(joint)}
    made = other(**{name: value for name, value in own.items() if name in shared})
    object.__setattr__(made, "written", joint.written)
    return made
