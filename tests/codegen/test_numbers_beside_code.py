"""Programs without their numbers: one code for all that differ in nothing else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba.codegen import compile_program, trace
from korba.codegen.beside import LONGEST, MOST, coded
from korba.codegen.callable import compiled as callables
from korba.expr import less, where


def arm(lengths, masses):
    """Something with sums, products, quotients, powers and choices of a few numbers."""

    def formula(q, v):
        x = sum(a * np.cos(angle + 0.3 * a) for a, angle in zip(lengths, q, strict=True))
        y = sum(a * np.sin(angle) for a, angle in zip(lengths, q, strict=True))
        m = sum(c * (w - y * c) ** 3 for c, w in zip(masses, v, strict=True))
        return np.array(
            [x / (m + 7.5), where(less(x, 0.26), m, x * y), 2.0 * x - 0.5 * y, (2.0 + x * x) ** 2.5]
        )

    return trace(formula, {"q": 3, "v": 3}, "arm")


SIZES = [((0.3, 0.4, 0.25), (1.5, 2.6, 3.5)), ((1.3, 0.7, 2.25), (0.15, 4.5, 0.35))]
STATES = np.linspace(0.1, 1.3, 66).reshape(2, 11, 3)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_beside_the_code_give_the_same(sizes, threads):
    """A batch, a single state, tiles folded later: all to rounding."""
    program = arm(*sizes)
    plain, beside = compile_program(program), compile_program(program, beside=True)
    wanted = plain(*STATES)
    assert len(beside.signature.numbers) > 6
    assert not plain.signature.numbers
    assert_allclose(beside(*STATES, threads=threads), wanted, rtol=1e-13, atol=1e-15)
    assert_allclose(beside(*STATES[:, 4]), wanted[4], rtol=1e-13, atol=1e-15)
    assert_allclose(beside.folded()(*STATES), wanted, rtol=0, atol=0)


def test_programs_that_differ_in_numbers_only_are_one():
    """One digest, other tables; another number of terms, exponent or zero is another program."""
    one, two = (coded(arm(*sizes)) for sizes in SIZES)
    assert one.program.digest == two.program.digest
    assert one.numbers != two.numbers
    other = coded(arm((0.3, 0.4, 0.0), (1.5, 2.6, 3.5)))
    assert other.program.digest != one.program.digest
    assert other.program.operations.total < one.program.operations.total


def test_long_programs_keep_their_numbers():
    """Where there are many they would not stay in registers."""
    many = trace(lambda q: sum((k + 0.25) * q**k for k in range(MOST + 2)), {"q": 1})
    long = trace(lambda q: sum(np.sin(q + 0.3 * k) for k in range(LONGEST // 3)), {"q": 1})
    for program in (many, long):
        assert coded(program) == (program, ())


def test_much_work_folds_the_numbers_of_batches(monkeypatch):
    """After so many operations that it pays; nobody sees it."""
    monkeypatch.setattr(callables, "PAYS", 11 * arm(*SIZES[0]).operations.total)
    f = compile_program(arm(*SIZES[0]), beside=True)
    first = f(*STATES)
    assert "_batch" in vars(f)
    f(*STATES)
    assert "_batch" not in vars(f)
    assert_allclose(f(*STATES), first, rtol=1e-13, atol=1e-15)
