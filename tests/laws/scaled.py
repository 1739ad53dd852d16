"""The same mechanism at another size: every length and every mass multiplied, times as they are."""

import dataclasses

from korba.expr.units import kind_dimension
from korba.model.fields import Element, specs_of
from korba.model.specs import Coordinates, Parts, Points, Tensor


def scaled(m, length, mass):
    """`m` with lengths times `length` and masses times `mass`; laws and curves are not allowed."""

    def grown(value, kind):
        if isinstance(value, tuple):
            return tuple(grown(item, kind) for item in value)
        powers = dict(kind_dimension(kind).powers)
        return value * length ** int(powers.get("m", 0)) * mass ** int(powers.get("kg", 0))

    def element(e, joint=None):
        changes = {}
        for name, spec in specs_of(type(e)).items():
            value = getattr(e, name)
            if isinstance(value, Element):
                changes[name] = element(value, joint)
            elif isinstance(value, tuple) and value and isinstance(spec, Parts):
                changes[name] = tuple(element(part, joint) for part in value)
            elif isinstance(spec, Points):
                changes[name] = tuple((name, grown(p, "length")) for name, p in value)
            elif isinstance(spec, Tensor):
                changes[name] = grown(value, "inertia")
            elif isinstance(spec, Coordinates) and value:
                kinds = joint.coordinate_kinds
                changes[name] = tuple(map(grown, value, kinds))
            elif isinstance(value, float | tuple) and value not in ((), None):
                kind = spec.kind
                if isinstance(kind, tuple):
                    kind = kind[0 if joint.coordinate_kinds[0] == "angle" else 1]
                if kind not in ("any", "number"):
                    changes[name] = grown(value, kind)
        return dataclasses.replace(e, **changes)

    return dataclasses.replace(
        m,
        bodies=[element(body) for body in m.bodies],
        joints=[element(joint, joint) for joint in m.joints],
        gravity=tuple(length * g for g in m.gravity),
    )
