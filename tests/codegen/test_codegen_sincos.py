"""Sine and cosine of vectors against many digits: 2 ulp up to 1e5, right for every finite angle."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from korba.codegen import compile_program, trace

DIGITS = 400


def _arctan_of_inverse(n, unit):
    """arctan(1/n) in units of 1/unit, by whole numbers."""
    total, power, k = 0, unit // n, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= n * n
        k += 2
    return total


def _pi():
    """Machin: pi/4 = 4 arctan(1/5) - arctan(1/239)."""
    unit = 10 ** (DIGITS + 10)
    whole = 4 * (4 * _arctan_of_inverse(5, unit) - _arctan_of_inverse(239, unit))
    with localcontext(prec=DIGITS):
        return Decimal(whole) / Decimal(unit)


PI = _pi()


def exact(x):
    """Sine and cosine of a double, to 40 digits."""
    with localcontext(prec=DIGITS):
        turns = (Decimal(x) / (PI / 2)).to_integral_value()
        r = Decimal(x) - turns * (PI / 2)
    with localcontext(prec=45):
        r = +r
        s, c, term, k = Decimal(0), Decimal(0), Decimal(1), 0
        while k < 4 or abs(term) > Decimal("1e-60"):
            if k % 2:
                s += term if k % 4 == 1 else -term
            else:
                c += term if k % 4 == 0 else -term
            k += 1
            term = term * r / k
        for _ in range(int(turns) % 4):
            s, c = c, -s
        return s, c


@pytest.fixture(scope="module")
def both():
    return compile_program(trace(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), {"x": 1}))


def _worst(compiled, points):
    """The largest error in units of the last place of the exact value."""
    found = compiled(points[:, None])
    worst = 0.0
    for x, pair in zip(points, found, strict=True):
        for value, true in zip(pair, exact(float(x)), strict=True):
            ulp = Decimal(float(np.spacing(abs(float(true)))))
            worst = max(worst, float(abs(Decimal(float(value)) - true) / ulp))
    return worst


def test_angles_up_to_100000_are_right_to_two_ulp(both):
    """Uniform and logarithmic angles of both signs."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 1000)
    points = np.concatenate(
        [
            rng.uniform(-10, 10, 1000),
            rng.uniform(-1e5, 1e5, 1000),
            signs * 10.0 ** rng.uniform(-20, 5, 1000),
            np.nextafter([1e5, -1e5], 0.0),
            [0.0, 5e-324, 1e-310],
        ]
    )
    assert _worst(both, points) <= 1.5


def test_angles_next_to_multiples_of_a_quarter_turn_are_right_to_two_ulp(both):
    """The doubles around k pi/4: where a value nearly vanishes, its last bit still counts."""
    rng = np.random.default_rng(1)
    k = np.concatenate([np.arange(1, 200), rng.integers(200, int(4e5 / np.pi), 600)])
    near = np.array([float(Decimal(int(i)) * PI / 4) for i in k])
    points = np.concatenate([near, np.nextafter(near, 0.0), np.nextafter(near, np.inf)])
    assert _worst(both, points[points < 1e5]) <= 1.5


def test_huge_angles_are_right(both):
    """Beyond 1e5, up to the largest double, alone or beside small ones in a vector."""
    rng = np.random.default_rng(2)
    huge = 10.0 ** rng.uniform(5, 308, 300) * rng.choice([-1.0, 1.0], 300)
    huge = np.concatenate([huge, [1e5, -1e5, 1.7976931348623157e308]])
    mixed = np.stack([huge, rng.uniform(-1, 1, len(huge))]).T.ravel()
    assert _worst(both, mixed) <= 1.5
    np.testing.assert_array_equal([both(np.array([x])) for x in huge], both(huge[:, None]))


def test_signs_of_zero_infinities_and_nans(both):
    """sin(-0) is -0; infinity and nan give nan without disturbing the lanes beside them."""
    points = np.array([[-0.0], [0.0], [np.inf], [1.0], [np.nan], [-np.inf], [2.0], [3.0]])
    found = both(points, check_finite=False)
    assert np.signbit(found[0, 0])
    assert not np.signbit(found[1, 0])
    assert np.isnan(found[[2, 4, 5]]).all()
    np.testing.assert_allclose(found[[3, 6, 7], 0], np.sin([1.0, 2.0, 3.0]), rtol=1e-15)


def test_only_one_of_the_pair_may_be_asked_for():
    """A program with sines alone, or of a computed angle, is right too."""
    compiled = compile_program(trace(lambda x: np.sin(3.0 * x) + np.cos(x * x), {"x": 3}))
    x = np.random.default_rng(0).normal(size=(9, 3))
    np.testing.assert_allclose(compiled(x), np.sin(3.0 * x) + np.cos(x * x), rtol=0, atol=1e-15)
