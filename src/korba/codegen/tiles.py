"""Tiles: eight states side by side, variable by variable, as the vector units read them.

Row-major states have the shape (N, n). In tiles they have the shape (ceil(N/8), n, 8): element
`[t, j, k]` is variable j of state 8 t + k. The last tile is filled up with copies of the last
state. Programs that keep their states in tiles between calls save the reordering. Tiles start at
a cache line, so that no vector lies across two.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from korba.errors import KorbaError

TILE = 8
"""States in a tile."""

_CACHE_LINE = 64


def tiles(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """States of shape (N, n) in tiles, shape (ceil(N/8), n, 8)."""
    array = np.asarray(states, dtype=np.float64)
    if array.ndim != 2:
        raise KorbaError(f"states: expected shape (N, n), got {array.shape}")
    count, size = array.shape
    full, rest = divmod(count, TILE)
    result = empty_tiles((full + bool(rest), size, TILE))
    result[:full] = array[: full * TILE].reshape(full, TILE, size).transpose(0, 2, 1)
    if rest:
        result[full, :, :rest] = array[full * TILE :].T
        result[full, :, rest:] = array[-1][:, None]
    return result


def empty_tiles(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Tiles of a shape (count, variables, 8), with any content."""
    room = np.empty(8 * prod(shape) + _CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    return room[start : start + 8 * prod(shape)].view(np.float64).reshape(shape)


def untiles(tiled: NDArray[np.float64], count: int | None = None) -> NDArray[np.float64]:
    """The first `count` states of tiles (all, by default) in rows, shape (count, n)."""
    array = np.asarray(tiled, dtype=np.float64)
    if array.ndim != 3 or array.shape[2] != TILE:
        raise KorbaError(f"tiles: expected shape (T, n, {TILE}), got {array.shape}")
    most = array.shape[0] * TILE
    if count is not None and not 0 <= count <= most:
        raise KorbaError(f"count: expected 0 to {most} states, got {count}")
    rows = array.transpose(0, 2, 1).reshape(most, array.shape[1])
    return rows[: most if count is None else count]
