"""All common zeros of Hermitian forms by homotopy, many paths at a time.

With x = (1, u) and, in place of its conjugate, an independent y = (1, v), the equations of a group
of k complex unknowns are bilinear,

    f_i(x, y) = y' H_i x = 0,   i = 1 ... 2 k                                               (1)

They have at most (2k over k) zeros: as many as the products of linear forms g_i = (a_i x)(b_i y),
where k of the factors vanish in x and the others in y. From these the paths of

    (1 - s) gamma g + s f = 0,   s = 0 ... 1                                                (2)

reach every isolated zero of f for almost every complex a, b, gamma. x and y are taken as
homogeneous, so that paths to infinity stay finite: a zero at infinity has x_0 = 0 or y_0 = 0. Real
positions are the zeros with v = conj(u); all others come in pairs (u, v), (conj v, conj u), which
together with the count of paths is the check that none was lost.
Source: Sommese & Wampler (2005), The Numerical Solution of Systems of Polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from ..spatial.rotation import Array

MOST_PATHS = 20000
"""More paths than this are not followed."""
MOST_STEPS = 4000
NEAR = 1e-6
"""Zeros nearer to each other than this count as one."""
Rows = Callable[[Array, Array], tuple[Array, Array]]
"""(forms, unknowns) -> the forms and their derivatives."""


@dataclass(frozen=True, eq=False)
class Zeros:
    """Real zeros of some forms, and what the paths came to."""

    u: Array
    """Shape (count, k)."""
    paths: int
    infinite: int
    """Paths that go to infinity."""
    complex: int
    """Paths to zeros that are not real."""
    lost: int
    """Paths of which the end is not known: if there are any, zeros may be missing."""
    curves: int
    """Paths that end on a curve of zeros, of which no real point is listed."""


def path_count(k: int) -> int:
    """(2k over k)."""
    return comb(2 * k, k)


def zeros(
    forms: Array, seed: int = 0, told: Callable[[float], object] = lambda paths: None
) -> Zeros:
    """Real common zeros u of forms (1, u)' H (1, u); at least 2 k of them, of any rank.

    Runs again, with other random numbers and smaller steps, while paths are lost. `told` hears how
    many paths are made.
    """
    best = _attempt(forms, np.random.default_rng([seed, 0]), 0.05, told)
    for attempt in range(1, 4):
        if best.lost:
            random, step = np.random.default_rng([seed, attempt]), 0.05 / 3**attempt
            again = _attempt(forms, random, step, told)
            best = min(best, again, key=lambda found: found.lost)
    return best


def _attempt(
    forms: Array, rng: np.random.Generator, step: float, told: Callable[[float], object]
) -> Zeros:
    k = forms.shape[1] - 1
    mixed = _square(forms, k, rng)
    start = _Start(_complex(rng, 2 * k, k + 1), _complex(rng, 2 * k, k + 1))
    x, y, reached = _followed(mixed, start, step, told)
    u, v, kind = _ends(forms, x, y, reached)
    for i in np.flatnonzero((kind == "finite") & (reached < 1)):
        kind[i] = "curve" if _on_curve(forms, u[i], v[i]) else "finite"
    real = _distinct(_made_real(forms, u[kind == "finite"], v[kind == "finite"]))
    unlike = np.abs(v - u.conj()).max(axis=1, initial=0.0) > 1e-4 * _size(u)
    other = (kind == "finite") & unlike
    lost = int(np.sum(kind == "lost")) + _unpaired(u[other], v[other], forms)
    infinite, curves = (int(np.sum(kind == name)) for name in ("infinite", "curve"))
    return Zeros(real, len(x), infinite, int(np.sum(other)), lost, curves)


def _size(u: Array) -> Array:
    return np.asarray(1.0 + np.abs(u).max(axis=1, initial=0.0))


def _complex(rng: np.random.Generator, *shape: int) -> Array:
    return np.asarray(np.exp(2j * np.pi * rng.random(shape)) * (0.5 + rng.random(shape)))


def _square(forms: Array, k: int, rng: np.random.Generator) -> Array:
    """As many equations as unknowns: random mixtures where there are more."""
    if len(forms) == 2 * k:
        return forms
    return np.einsum("ij,jab->iab", _complex(rng, 2 * k, len(forms)), forms)


@dataclass(frozen=True, eq=False)
class _Start:
    """The products of linear forms, with gamma in a."""

    a: Array
    b: Array

    def zeros(self) -> tuple[Array, Array]:
        """x with k factors a_i x = 0, y with the other factors b_i y = 0."""
        n = len(self.a)
        chosen = [list(each) for each in combinations(range(n), n // 2)]
        others = [[i for i in range(n) if i not in each] for each in chosen]
        return _null(self.a[chosen]), _null(self.b[others])

    def rows(self, x: Array, y: Array) -> tuple[Array, Array, Array]:
        """g, and its derivatives by x and y."""
        ax, by = x @ self.a.T, y @ self.b.T
        return ax * by, self.a * by[..., None], self.b * ax[..., None]


def _null(A: Array) -> Array:
    """Unit vectors x with A x = 0, one row less than columns."""
    return np.asarray(np.linalg.svd(A)[2][..., -1, :].conj())


def _rows(H: Array, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """f, and its derivatives by x and y."""
    by_x = np.einsum("iab,na->nib", H, y)
    by_y = np.einsum("iab,nb->nia", H, x)
    return np.einsum("nia,na->ni", by_y, y), by_x, by_y


def _linear(H: Array, start: _Start, at: tuple[Array, Array], s: Array) -> tuple[Array, ...]:
    """Matrix of (2) by (x, y), bordered so that changes of length drop out; (2); its slope in s."""
    x, y = at
    f, f_x, f_y = _rows(H, x, y)
    g, g_x, g_y = start.rows(x, y)
    w = s[:, None, None]
    top = np.concatenate([(1 - w) * g_x + w * f_x, (1 - w) * g_y + w * f_y], axis=2)
    edge = np.zeros((len(x), 2, top.shape[2]), dtype=complex)
    edge[:, 0, : x.shape[1]], edge[:, 1, x.shape[1] :] = x.conj(), y.conj()
    value = (1 - s[:, None]) * g + s[:, None] * f
    return np.concatenate([top, edge], axis=1), value, f - g


def _solved(A: Array, right: Array) -> Array:
    """A z = right, the two border rows being zero; a singular A is moved by 1e-14."""
    full = np.concatenate([right, np.zeros((len(right), 2))], axis=1)
    try:
        return np.asarray(np.linalg.solve(A, full[..., None])[..., 0])
    except np.linalg.LinAlgError:
        A = A + 1e-14 * np.eye(A.shape[1])
        return np.asarray(np.linalg.solve(A, full[..., None])[..., 0])


def _moved(at: tuple[Array, Array], z: Array) -> tuple[Array, Array]:
    n = at[0].shape[1]
    return at[0] + z[:, :n], at[1] + z[:, n:]


def _followed(
    H: Array, start: _Start, largest: float, told: Callable[[float], object]
) -> tuple[Array, Array, Array]:
    """Ends of all paths, and how far they came: s = 1 or a little less."""
    x, y = start.zeros()
    s = np.zeros(len(x))
    h = np.full(len(x), min(largest, 0.01))
    for _ in range(MOST_STEPS):
        on = np.flatnonzero((s < 1) & (h > 1e-13))
        told(float(s.sum()))
        if not len(on):
            break
        at, here = (x[on], y[on]), s[on]
        step = np.minimum(h[on], 1 - here)
        new, good = _step(H, start, at, here, step)
        kept = on[good]
        x[kept], y[kept] = (each[good] / _norm(each[good]) for each in new)
        s[kept] = np.where(step[good] == 1 - here[good], 1.0, here[good] + step[good])
        h[on] = np.where(good, np.minimum(1.6 * step, largest), 0.4 * step)
    return x, y, s


def _norm(x: Array) -> Array:
    return np.linalg.norm(x, axis=1, keepdims=True)


def _step(
    H: Array, start: _Start, at: tuple[Array, Array], s: Array, h: Array
) -> tuple[tuple[Array, Array], Array]:
    """One step along the paths, by Runge and Kutta and then Newton; which of them count."""

    def slope(where: tuple[Array, Array], when: Array) -> Array:
        A, _, by_s = _linear(H, start, where, when)
        return _solved(A, -by_s) * h[:, None]

    with np.errstate(all="ignore"):
        k_1 = slope(at, s)
        k_2 = slope(_moved(at, 0.5 * k_1), s + 0.5 * h)
        k_3 = slope(_moved(at, 0.5 * k_2), s + 0.5 * h)
        k_4 = slope(_moved(at, k_3), s + h)
        new = _moved(at, (k_1 + 2 * k_2 + 2 * k_3 + k_4) / 6)
        sizes = []
        for _ in range(3):
            A, value, _ = _linear(H, start, new, s + h)
            z = _solved(A, -value)
            new = _moved(new, z)
            sizes.append(np.abs(z).max(axis=1))
        good = (sizes[0] < 1e-4) & (sizes[2] < 1e-10) & (np.abs(k_1).max(axis=1) < 0.3)
    return new, good


def _ends(forms: Array, x: Array, y: Array, s: Array) -> tuple[Array, Array, Array]:
    """u and v of every path, and what the end is: finite, infinite or lost."""
    far = np.minimum(np.abs(x[:, 0]), np.abs(y[:, 0]))
    with np.errstate(all="ignore"):
        u, v = x[:, 1:] / x[:, :1], y[:, 1:] / y[:, :1]
    kind = np.full(len(x), "lost", dtype=object)
    kind[(s == 1) & (far >= 1e-7)] = "finite"
    kind[(s == 1) & (far < 1e-7)] = "infinite"
    near = (s < 1) & (s > 1 - 1e-3)
    kind[near & (far < 1e-2)] = "infinite"
    singular = near & (far >= 1e-2)
    kind[singular & (_miss(forms, x, y) < 1e-4)] = "finite"
    off = kind != "finite"
    u[off], v[off] = 0.0, 0.0
    return u, v, kind


def _miss(forms: Array, x: Array, y: Array) -> Array:
    return np.asarray(np.abs(_rows(forms, x, y)[0]).max(axis=1, initial=0.0))


def _unpaired(u: Array, v: Array, forms: Array) -> int:
    """Zeros that are not real, miss no equation, and lack their partner."""
    if not len(u):
        return 0
    one = np.ones((len(u), 1))
    x, y = np.hstack([one, u]), np.hstack([one, v])
    true = _miss(forms, x / _norm(x), y / _norm(y)) < 1e-8
    points = np.hstack([u, v])[true]
    partners = np.hstack([v.conj(), u.conj()])[true]
    if not len(points):
        return 0
    distance = np.abs(points[:, None] - partners[None]).max(axis=2)
    twins = np.abs(points[:, None] - points[None]).max(axis=2) < 1e-9 * _size(points)[:, None]
    alone = int(np.sum(distance.min(axis=1) > 1e-4 * _size(points)))
    return alone + int(np.sum(twins) - len(points))


def _made_real(forms: Array, u: Array, v: Array) -> Array:
    """Zeros with v near conj(u), corrected with v = conj(u); those that do not settle are left."""
    near = np.abs(v - u.conj()).max(axis=1, initial=0.0) < 1e-4 * _size(u)
    found = [r for w in 0.5 * (u + v.conj())[near] if (r := settled(forms, w)) is not None]
    return np.array(found).reshape(len(found), u.shape[1])


def settled(forms: Array, u: Array) -> Array | None:
    """The real zero next to u by least-squares Newton steps; None if there is none so near."""
    k = len(u)
    w = _least_squares(forms, _real_rows, np.concatenate([u.real, u.imag]), (1e-12, 1e-3, 1e-11))
    return None if w is None else w[:k] + 1j * w[k:]


def _on_curve(forms: Array, u: Array, v: Array) -> bool:
    """Whether a zero is one of a curve of zeros: a step along the curve leads to another."""
    limits = (1e-9, 0.1, 1e-10)
    w = _least_squares(forms, _pair_rows, np.concatenate([u, v]), limits)
    if w is None:
        return False
    step = 1e-2 * np.linalg.svd(_pair_rows(forms, w)[1])[2][-1].conj()
    there = _least_squares(forms, _pair_rows, w + step, limits)
    return there is not None and float(np.abs(there - w).max()) > 0.5 * float(np.abs(step).max())


def _least_squares(
    forms: Array, rows: Rows, w: Array, limits: tuple[float, float, float]
) -> Array | None:
    """The zero next to w by Newton steps; `limits` are those of rank, distance and residual."""
    start, (rank, far, rest) = w, limits
    for _ in range(60):
        f, J = rows(forms, w)
        z = np.linalg.lstsq(J, -f, rcond=rank)[0]
        w = w + z
        moved = np.abs(w - start).max(initial=0.0) / (1 + np.abs(start).max(initial=0.0))
        if moved > 0.1:
            return None
        if np.abs(z).max(initial=0.0) < 1e-14 * (1 + np.abs(w).max(initial=0.0)):
            break
    f = rows(forms, w)[0]
    open_ = np.abs(f).max(initial=0.0) > rest * (1 + np.abs(w).max() ** 2)
    return None if moved > far or open_ else w


def _pair_rows(forms: Array, w: Array) -> tuple[Array, Array]:
    """The forms at x = (1, u), y = (1, v), and their derivatives by u and v."""
    k = len(w) // 2
    x, y = np.concatenate([[1.0], w[:k]]), np.concatenate([[1.0], w[k:]])
    f, by_x, by_y = _rows(forms, x[None], y[None])
    return f[0], np.hstack([by_x[0, :, 1:], by_y[0, :, 1:]])


def _real_rows(forms: Array, w: Array) -> tuple[Array, Array]:
    """The forms at (1, u), and their derivatives by w, the real and imaginary parts of u."""
    k = len(w) // 2
    x = np.concatenate([[1.0], w[:k] + 1j * w[k:]])
    by_x = np.einsum("iab,a->ib", forms, x.conj())
    J = 2 * np.hstack([by_x[:, 1:].real, -by_x[:, 1:].imag])
    return (by_x @ x).real, J


def _distinct(u: Array) -> Array:
    """Zeros without repetitions."""
    kept: list[Array] = []
    for each in u:
        if all(np.abs(each - other).max() > NEAR * (1 + np.abs(each).max()) for other in kept):
            kept.append(each)
    return np.array(kept).reshape(len(kept), u.shape[1])
