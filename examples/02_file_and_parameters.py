"""A mechanism file: load it, change its dimensions, save it and load it
back.
"""

import tempfile
from pathlib import Path

import korba as kb

FOLDER = Path(__file__).resolve().parent / "structure"

# The file has named sizes, `a = "60 mm"` and others, and places the joints in
# terms of them.
parallelogram = kb.load(FOLDER / "fig_1_19b_doubled_parallelogram.toml")
print(parallelogram.parameters)

# Other sizes: when loading, or afterwards. Everything that is written in
# terms of them follows.
longer = kb.redimension(parallelogram, a="80 mm", phi="40 deg")
assert longer == kb.load(
    FOLDER / "fig_1_19b_doubled_parallelogram.toml", a="80 mm", phi="40 deg"
)
print("F is now at", longer.joint("F").at)

# Units and expressions stay as they were written.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "longer.toml"
    kb.save(longer, path)
    again = kb.load(path)
    print(path.read_text("utf-8").split("[[body]]")[0])
assert again == longer

# The third crank repeats what the other two do. With another length it blocks
# the mechanism.
blocked = kb.redimension(parallelogram, b="61 mm")
assert kb.mobility(parallelogram).actual == 1
assert kb.mobility(blocked).actual == 0
