"""Engines in line: which orders shake them, and the shafts of Lanchester
that stop one.
"""

import numpy as np

import korba as kb

LAYOUTS = {
    "one": (0,),
    "two, level": (0, 0),
    "two, opposed": (0, "180 deg"),
    "three": (0, "120 deg", "240 deg"),
    "four": (0, "180 deg", "180 deg", 0),
}
turn = np.linspace(0.0, 0.02, 181)
for name, throws in LAYOUTS.items():
    m = kb.linkages.engine(len(throws), throws=throws, speed="3000 rpm")
    shaking = kb.shaking_forces(m, kb.motion(m, turn))
    orders = [f"{shaking.harmonic(k).largest:8.1f}" for k in (1, 2, 4, 6)]
    print(f"{name:13s} orders 1, 2, 4, 6: {' '.join(orders)} N")

# Three cylinders have no force of these orders, but apart from each other
# they rock the engine.
three = kb.linkages.engine(3, speed="3000 rpm", spacing="90 mm")
couple = kb.shaking_forces(three, kb.motion(three, turn)).harmonic(1).moment
print(
    f"three, 90 mm apart, order 1: couples {abs(couple[0]):.1f} and "
    f"{abs(couple[1]):.1f} N m"
)

# A pair of shafts takes one order away; of the first, one of them turns as
# the crank does.
single = kb.linkages.engine(1, speed="3000 rpm")
result = kb.balance(single, orders=(1, 2))
print(result)

reciprocating = 0.13 / 2 + 0.1  # half the rod, and the piston
against = next(shaft for shaft in result.shafts if shaft.order == -1)
assert np.isclose(against.product, reciprocating * 0.04 / 2)
assert (
    result.after.harmonic(2).largest
    < 1e-9 * result.before.harmonic(2).largest
)
