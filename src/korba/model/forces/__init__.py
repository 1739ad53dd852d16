"""The kinds of loads, one file each; a new file here is found by itself.

`FORCE_TYPES` maps the word a file uses (`type = "spring"`) to the class.
"""

from __future__ import annotations

from ..fields import types_in
from ..force import Force

FORCE_TYPES: dict[str, type[Force]] = types_in(Force, __name__, __path__)
