"""Ten thousand four-bars: which one passes its force best, and what does a
larger swing cost.
"""

import numpy as np

import korba as kb

FOUR_BAR = """
name = "four-bar"
plane = "xy"
parameters.a = "200 mm"
parameters.b = "600 mm"
parameters.c = "600 mm"
parameters.d = "800 mm"
parameters.x = "((d - a)^2 + b^2 - c^2)/(2*(d - a))"
parameters.y = "sqrt(b^2 - x^2)"
body = [{name = "crank"}, {name = "coupler"}, {name = "rocker"}]
joint = [
  {name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
  {name="B", type="revolute", parent="crank", child="coupler", at=["a", 0]},
  {name="C",type="revolute",parent="coupler",child="rocker",at=["a + x","y"]},
  {name="D", type="revolute", parent="ground", child="rocker", at=["d", 0]},
]
drive = [{name = "motor", joint = "A", position = "t"}]
"""
m = kb.loads(FOUR_BAR)
lengths = np.linspace(0.45, 0.95, 100)
sweep = kb.sweep(
    m, {"b": lengths, "c": lengths}, ["transmission angle", "stroke"]
)
# 10,000 designs in a second or so; those that jam are counted, with the
# reason
print(sweep)

best = sweep.best("transmission angle")
print(
    "best:",
    sweep.parameters_of(best),
    f"{np.degrees(sweep['transmission angle'][best]):.2f} deg",
)
front = sweep.pareto("stroke", "transmission angle")
for k in front[:: max(1, len(front) // 5)]:
    stroke, angle = np.degrees(
        [sweep["stroke"][k], sweep["transmission angle"][k]]
    )
    print(
        f"  swing {stroke:5.1f} deg, transmission angle at least "
        f"{angle:5.1f} deg"
    )

# The design is a mechanism like any other: asked alone, over a finer motion,
# it says the same.
design = sweep.design(best)
alone = kb.transmission_angle(
    kb.motion(design, np.linspace(0, 2 * np.pi, 721))
)
assert abs(alone.minimum - sweep["transmission angle"][best]) < 1e-9

# And so says the law of cosines, where the crank points along the base, one
# way and the other.
b, c = sweep["b"][best], sweep["c"][best]
cosines = [(b**2 + c**2 - s**2) / (2 * b * c) for s in (0.8 - 0.2, 0.8 + 0.2)]
mu = min(np.arccos(np.abs(cosines)))
assert abs(mu - sweep["transmission angle"][best]) < 1e-9
