"""Friction circles on the scheme of a planar mechanism at a position, as an SVG picture."""

from __future__ import annotations

from ...display import Drawing
from ...door import public
from ...trajectory.trajectory import Trajectory
from .draw import draw


@public
def friction_drawing(motion: Trajectory, k: int = 0, *, theme: str = "light") -> Drawing:
    """Friction circles and the lines of the joints' forces at position k of a motion.

    The same as `kb.draw(motion, k, friction=True)`. Circles too small to be seen are drawn larger,
    and the picture says how many times.

    >>> Path("circles.svg").write_text(kb.friction_drawing(motion, 10)) > 1000
    True
    """
    return draw(motion, k, friction=True, theme=theme)
