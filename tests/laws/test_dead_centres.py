"""At an exact dead centre of a drive the error names it, and the other states are answered."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.errors import NotFiniteError

NAMES = ("driving_forces", "reactions", "inverse_dynamics", "forward_dynamics")


def parts(results):
    """The arrays of results, those of states in front."""
    return results if isinstance(results, tuple | list) else [results]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", seeds(0.4))
def test_the_drive_is_named_and_other_rows_are_answered(seed, name):
    """A piston that is pushed, in line and beside it: `results` has what the verb gives alone."""
    rng = np.random.default_rng(seed)
    crank, rod = rng.uniform(0.1, 0.2), rng.uniform(0.3, 0.6)
    m = replace(kb.linkages.slider_crank(crank, rod), drives=())
    beside = kb.assemble(m, {"A": rng.uniform(0.3, 1.2)}).q
    dead = kb.assemble(m, {"A": 0.0}).q
    m = replace(m, drives=[kb.JointDrive("push", "slide", f"{crank + rod} - 0.1*t")])
    verb, zero = getattr(kb, name), np.zeros((3, m.nv))
    with pytest.raises(NotFiniteError, match=r"in 1 of 3 states, the first \[1\], at a dead") as e:
        verb(m, np.array([beside, dead, beside]), zero, zero)
    assert "drive 'push'" in str(e.value)
    with pytest.raises(NotFiniteError, match="dead centre of drive 'push'"):
        verb(m, dead, zero[0], zero[0])
    rows = [np.asarray(x) for x in parts(e.value.results)]
    assert not all(np.isfinite(x[1]).all() for x in rows)
    for x in rows:
        assert np.isfinite(x[[0, 2]]).all()
    if name in ("inverse_dynamics", "forward_dynamics"):
        assert_allclose(rows[0][[0, 2]], verb(m, np.array([beside] * 2), zero[:2], zero[:2]))
