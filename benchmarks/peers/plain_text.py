"""Answers as text: JSON with every list of numbers on one line."""

from __future__ import annotations

import json
import re


def text(stored: object) -> str:
    """JSON with every list of numbers on one line."""
    return re.sub(r"(?<=[\d\[,])\n(?=[-\d\]])", "", json.dumps(stored, indent=0))
