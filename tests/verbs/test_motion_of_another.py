"""A verb takes the motion of its own mechanism only."""

import pytest

import korba as kb


@pytest.mark.parametrize("verb", [kb.reactions, kb.driving_forces, kb.shaking_forces])
def test_the_motion_of_another_mechanism_is_refused(verb):
    """Coordinates of other names are another mechanism's, also where there are as many."""
    motion = kb.motion(kb.linkages.four_bar(0.08, 0.25, 0.2, 0.28), [0.0, 0.1])
    with pytest.raises(kb.StructureError, match=r"'four-bar'.*Give a motion of this mechanism"):
        verb(kb.linkages.slider_crank(0.05, 0.2), motion)
