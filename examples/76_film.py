"""A motion as a film: GIF or MP4, for slides and messages that play no
page.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

import korba as kb

m = kb.linkages.jansen()
motion = kb.motion(m, np.linspace(0.0, 1.0, 61))

with TemporaryDirectory() as folder:
    path = Path(folder) / "leg.gif"
    kb.animate(motion, path, paths=["foot.F"], fps=10, seconds=1.5, width=320)
    with Image.open(path) as film:
        frames, width = film.n_frames, film.width
    print(f"{path.name}: {frames} frames, {path.stat().st_size / 1e3:.0f} kB")

assert (frames, width) == (15, 320)
