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


@pytest.mark.parametrize("name", ["driving_forces", "reactions"])
@pytest.mark.parametrize("seed", seeds(0.4))
def test_beside_a_dead_centre_a_note_says_that_figures_are_none_to_go_by(seed, name):
    """Within 1e-9 of it forces are loads over rounding, and are told so; at 1e-4 they are told.

    A parallelogram that turns through its line is one of the chains, a pushed piston the other.
    """
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-4, 3)
    a, b = size * rng.uniform(0.1, 0.2), size * rng.uniform(0.3, 0.6)
    start = rng.uniform(0.3, 1.2)
    turned = kb.linkages.four_bar(a, b, a, b, at=start)
    pushed = kb.linkages.slider_crank(a, b, at=start)
    for beside, said in ((1e-9, True), (1e-4, False)):
        if name == "reactions":
            m = replace(turned, drives=[kb.JointDrive("turn", "A", f"{start!r} - t")])
            motion = kb.motion(m, [0.0, start - beside, start + 0.1])
        else:
            m = replace(pushed, drives=[kb.JointDrive("push", "slide", "0")])
            q = [kb.assemble(pushed, {"A": x}).q for x in (start, beside, 2 * start)]
            motion = (np.array(q), np.zeros((3, m.nv)), np.zeros((3, m.nv)))
        motion = motion if isinstance(motion, tuple) else (motion,)
        notes = " ".join(getattr(kb, name)(m, *motion).notes)
        assert ("at position 1 of 3 loops and drives lose rank" in notes) == said, beside
