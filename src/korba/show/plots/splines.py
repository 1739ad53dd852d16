"""Curves through points, by their slopes there: cubic splines, and Akima's.

A cubic spline bends steadily at all points, and is one cubic over the first two steps and over the
last two. With steps h and slopes m between points, the slopes s at them follow from

    h_k s_(k-1) + 2 (h_(k-1) + h_k) s_k + h_(k-1) s_(k+1) = 3 (h_k m_(k-1) + h_(k-1) m_k)    (1)

Akima's slopes are means of those on both sides, each the heavier the less the slopes change on the
other side, and the flatter it runs there, so that the curve does not swing beyond a jump:

    s_k = (w_2 m_(k-1) + w_1 m_k) / (w_1 + w_2),
    w_1 = |m_(k-1) - m_(k-2)| + |m_(k-1) + m_(k-2)| / 2,  w_2 likewise of m_k and m_(k+1)   (2)

Source: de Boor (1978), A Practical Guide to Splines, chapter IV; Akima (1970), J. ACM 17.
"""

from __future__ import annotations

import numpy as np

from ...spatial.rotation import Array

FLAT = 1e-9
"""Part of the largest weights below which both are none: the curve is straight there."""


def cubic_slopes(t: Array, y: Array) -> Array:
    """(1), of four points or more; the columns of y are curves of their own."""
    h = np.diff(t)
    m = np.diff(y, axis=0) / h[:, None]
    first, last = h[0] + h[1], h[-1] + h[-2]
    lower, upper = np.append(h[1:], last), np.insert(h[:-1], 0, first)
    diagonal = np.concatenate([[h[1]], 2 * (h[:-1] + h[1:]), [h[-2]]])
    right = np.empty_like(y)
    right[1:-1] = 3 * (h[1:, None] * m[:-1] + h[:-1, None] * m[1:])
    right[0] = ((h[0] + 2 * first) * h[1] * m[0] + h[0] ** 2 * m[1]) / first
    right[-1] = (h[-1] ** 2 * m[-2] + (2 * last + h[-1]) * h[-2] * m[-1]) / last
    for k in range(1, len(t)):
        share = lower[k - 1] / diagonal[k - 1]
        diagonal[k] -= share * upper[k - 1]
        right[k] -= share * right[k - 1]
    right[-1] /= diagonal[-1]
    for k in reversed(range(len(t) - 1)):
        right[k] = (right[k] - upper[k] * right[k + 1]) / diagonal[k]
    return right


def akima_slopes(t: Array, y: Array) -> Array:
    """(2); beyond the ends slopes go on changing as they do there."""
    m = np.diff(y, axis=0) / np.diff(t)[:, None]
    before = [3 * m[0] - 2 * m[1], 2 * m[0] - m[1]]
    after = [2 * m[-1] - m[-2], 3 * m[-1] - 2 * m[-2]]
    m = np.concatenate([before, m, after])
    weight = np.abs(np.diff(m, axis=0)) + np.abs(m[1:] + m[:-1]) / 2
    near, far = weight[:-2], weight[2:]
    total = near + far
    bent = total > FLAT * total.max(axis=0, initial=0.0)
    share = np.divide(far, total, out=np.full_like(total, 0.5), where=bent)
    return np.asarray(share * m[1:-2] + (1.0 - share) * m[2:-1])
