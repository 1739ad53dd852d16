"""Forces over a picture: what holds the rod of a slider-crank, and what
drives the crank.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

engine = kb.linkages.slider_crank("40 mm", "120 mm")
engine = replace(engine, forces=(kb.PointForce("gas", "slider", (-300, 0)),))
motion = kb.motion(engine, np.linspace(0.0, 1.0, 25))
forces = kb.reactions(engine, motion)
folder = Path(tempfile.mkdtemp())

# All on the rod, to one scale; the weight is there too, but beside 300 N it
# is small.
rod = kb.draw(motion, 3, reactions="rod", gravity="rod")
(folder / "rod.svg").write_text(rod, "utf-8")

# Forces in all joints from a result that is there already, the load, and the
# driving moment.
every = kb.draw(
    motion, 3, reactions=forces, loads=True, driving=True, theme="dark"
)
(folder / "forces.svg").write_text(every, "utf-8")

# What the second picture writes beside the crank, and the power balance
# behind it.
moment = forces.driving["drive A"][3]
power = (
    moment * motion["v_A"][3] + 300 * -motion.point("slider").velocity[3, 0]
)
print(f"the crank is driven by {moment:.2f} N m; pictures in {folder}")
assert f"{moment:.3g} N m" in every
assert abs(power) < 0.1 * abs(
    moment * motion["v_A"][3]
)  # but for inertia and weight
