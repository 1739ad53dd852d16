"""Slides that are parallel determine nothing between them: no closed form is made of them."""

import numpy as np
import pytest

import korba as kb
from korba.positions.loop_system import loop_system


@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_a_dyad_with_parallel_guides_is_not_solved_in_closed_form(angle):
    """Two sliders on guides of the ground with a pin between close as a dyad unless parallel."""
    u = (np.cos(angle), np.sin(angle))
    m = kb.Mechanism(
        "two slides",
        [kb.Body("a", 1.0, (0, 0), 0.1), kb.Body("b", 1.0, (0, 0), 0.1)],
        [
            kb.Prismatic("S", "ground", "a", at=(0, 0), axis=(1, 0)),
            kb.Prismatic("T", "ground", "b", at=(0, 1), axis=u),
            kb.Revolute("P", "a", "b", at=(0.3, 0.7)),
        ],
        plane="xy",
    )
    dyads = loop_system(m, ()).dyads
    assert (dyads is None) == (angle == 0.0)
