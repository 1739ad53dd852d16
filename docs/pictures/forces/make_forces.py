"""Pictures of docs/forces.md, from the examples that it quotes: python make_forces.py."""

from pathlib import Path
from runpy import run_path

import korba as kb

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"

motion = run_path(str(EXAMPLES / "45_friction.py"))["motion"]
(HERE / "friction_circles.svg").write_text(kb.draw(motion, friction=True))
