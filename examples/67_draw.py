"""Look at a mechanism: the leg of Jansen's walker over a step, with the
path of its foot.
"""

import re

import numpy as np

import korba as kb

leg = kb.linkages.jansen()
motion = kb.motion(leg, np.linspace(0.0, 1.0, 61))
picture = motion.draw(0, ghosts=7, paths=["foot.F"])
# Path("leg.svg").write_text(picture)   a notebook shows it by itself

foot = motion.point("foot", "F").position
along, up, _ = np.ptp(foot, axis=0)
print(f"the foot goes {1000 * along:.1f} mm along and {1000 * up:.1f} mm up")

# The path in the picture has the proportions of the path in the world.
way = re.search(r"class='way[^']*' d='M([^']*)'", picture).group(1)
pixels = np.array([pair.split(",") for pair in way.split(" L")], dtype=float)
wide, high = np.ptp(pixels, axis=0)
assert abs(wide / high - along / up) < 0.01
