"""A leg that lives in a page: drag it, and its curves follow."""

from pathlib import Path
from tempfile import mkdtemp

import korba as kb

leg = kb.linkages.jansen()
page = kb.live(leg, path="foot.F")

place = Path(mkdtemp()) / "leg.html"
place.write_text(page, "utf-8")
print(f"{place.name}: {len(page) / 1000:.0f} kB, one file, no network")

# A slider for every length; Korba computes what the page computes.
other = kb.redimension(leg, b="45 mm")
x, y, _ = 1000 * kb.assemble(other, {"O": "30 deg"}).point("foot", "F")
print(f"with b = 45 mm the foot is at {x:.2f}, {y:.2f} mm")
assert page.count("data-size='") == 14
assert round(x, 2) == -37.28
