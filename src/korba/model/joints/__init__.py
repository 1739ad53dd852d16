"""The joint types, one file each; a new file here is found by itself.

`JOINT_TYPES` maps the word a file uses (`type = "revolute"`) to the class.
"""

from __future__ import annotations

from ..fields import types_in
from ..joint import Joint

JOINT_TYPES: dict[str, type[Joint]] = types_in(Joint, __name__, __path__)
