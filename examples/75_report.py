"""From nothing to a four-bar's live report: its lengths, and one call."""

from pathlib import Path
from tempfile import TemporaryDirectory

import korba as kb

m = kb.linkages.four_bar(
    "200 mm", "600 mm", "500 mm", "700 mm", speed="60 rpm"
)

with TemporaryDirectory() as folder:
    path = Path(folder) / "report.html"
    page = kb.report(
        m, path
    )  # open it in a browser: drag the crank, change a length
    print(
        f"{path.name}: {len(page) / 1e6:.2f} MB, {page.count('<h2')} sections"
    )
    assert (
        path.read_text(encoding="utf-8") == page and page.count("<h2") == 15
    )

# The same as a file of twelve lines and one command:
# korba report four_bar.toml
file = """\
name = "four-bar"
plane = "xy"
parameters = {a = "200 mm", b = "600 mm", c = "500 mm", d = "700 mm"}
points = {A = [0, 0], D = ["d", 0]}
body = [{name="crank", mass=1, points={A=[0, 0], B=["a", 0]}},
  {name="coupler", mass=2, points={B=[0, 0], C=["b", 0]}},
  {name="rocker", mass=2, points={D=[0, 0], C=["c", 0]}}]
joint = [{name="A", type="revolute", parent="ground.A", child="crank.A"},
  {name="B", type="revolute", parent="crank.B", child="coupler.B"},
  {name="C", type="revolute", parent="coupler.C", child="rocker.C"},
  {name="D", type="revolute", parent="ground.D", child="rocker.D"}]
drive = [{name="motor", type="joint", joint="A", position="30 deg+60 rpm*t"}]
"""
assert len(file.splitlines()) == 12
assert kb.mobility(kb.loads(file)).actual == 1
