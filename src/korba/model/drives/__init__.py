"""The kinds of drives, one file each; a new file here is found by itself.

`DRIVE_TYPES` maps the word a file uses (`type = "length"`) to the class.
"""

from __future__ import annotations

from ..drive import Drive
from ..fields import types_in

DRIVE_TYPES: dict[str, type[Drive]] = types_in(Drive, __name__, __path__)
