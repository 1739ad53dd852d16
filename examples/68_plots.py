"""Plot a motion: over the crank's angle, as a phase portrait, and as
hodographs.
"""

import re

import numpy as np

import korba as kb

m = kb.linkages.slider_crank(crank=0.05, rod=0.2)
motion = kb.motion(m, np.linspace(0.0, 1.0, 61))

# One panel for each unit; a notebook shows the plot, and save() writes .svg,
# .pdf, .png or .html.
over_crank = motion.plot(
    "slide", "v_slide", "a_slide", over="A", degrees=True
)
# slide in m, its rates in m/s and m/s²
print([panel.y for panel in over_crank.panels])
over_crank.save("slide.svg")

# The slider's velocity over its place; the velocity of the middle of the rod
# as a vector.
portrait = motion.plot(phase=["slide"], hodographs=["rod"], theme="dark")

# Forces in the joints: hodographs, sizes and what the drive has to do.
forces = kb.plot(
    kb.reactions(m, motion), along=motion, over="A", degrees=True
)
print(f"{len(forces)} lines in {len(forces.panels)} panels")

# The curve in the picture is as high, beside its panel, as the stroke that it
# shows.
panel = over_crank.panels[0]
stroke = np.ptp(panel.lines[0].y)
way = re.search(r"class='curve' d='M([^']*)'", over_crank.svg()).group(1)
pixels = np.array([pair.split(",") for pair in way.split()], dtype=float)
print(f"stroke {1000 * stroke:.2f} mm on {np.ptp(pixels[:, 1]):.1f} pixels")
assert abs(stroke - 2 * 0.05) < 1e-4
assert abs(np.ptp(pixels[:, 1]) - 190 / 1.12) < 0.2
