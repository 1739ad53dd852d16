"""How many processors this process may use: what its affinity and its container leave it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import ceil
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux shows what groups of processes may take."""
OWN = Path("/proc/self/cgroup")


def processors() -> int:
    """Processors that the scheduler gives this process, and no more than its share of time."""
    own = getattr(os, "sched_getaffinity", None)
    count = len(own(0)) if own else os.cpu_count() or 1
    share = container_share()
    return count if share is None else max(1, min(count, ceil(share)))


def container_share(groups: Path = GROUPS, own: Path = OWN) -> float | None:
    """Processors whose time the container may take in all; None where nobody limits it.

    Version 2 of control groups says `quota period` in one file, version 1 in two; a process in a
    container sees its group as the root, one outside by the path of its group.
    """
    places = [groups, groups / "cpu", *(groups / path for path in _paths(own))]
    found = [share for place in places for share in (_share(place),) if share is not None]
    return min(found, default=None)


def _paths(own: Path) -> list[str]:
    """The groups of this process, and those around them."""
    found = []
    for line in _words(own, "\n"):
        _, names, path = line.split(":", 2)
        if not names or "cpu" in names.split(","):
            inside = Path(path.strip("/"))
            found += [str(Path(names) / part) for part in (inside, *inside.parents)]
    return found


def _share(place: Path) -> float | None:
    both = _words(place / "cpu.max", None) or [
        *_words(place / "cpu.cfs_quota_us", None),
        *_words(place / "cpu.cfs_period_us", None),
    ]
    limited = len(both) == 2 and both[0].isdigit() and both[1].isdigit() and int(both[1]) > 0
    return int(both[0]) / int(both[1]) if limited else None


def _words(file: Path, between: str | None) -> Sequence[str]:
    """The parts of a file, none where it cannot be read."""
    try:
        return [word for word in file.read_text("ascii").split(between) if word]
    except (OSError, UnicodeDecodeError):
        return []
