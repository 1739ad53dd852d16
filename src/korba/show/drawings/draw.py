"""`kb.draw`: the picture of a mechanism at a position, or of a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from ...display import Drawing, Drawn
from ...door import public
from ...errors import StructureError
from ...model.body import GROUND
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...model.points import place_named, points_of
from ...solve.assemble import assemble
from ...solve.configuration import Configuration
from ...spatial.rotation import Array
from ...system.system import kept_system
from ...trajectory.places import Placed, PointMotion, body_poses
from ...trajectory.trajectory import Trajectory
from ...verbs.states import vector
from ...wording import named
from ..overlays.catalogue import overlaid
from ..schemes.scene import Scene, scene_of
from ..schemes.scheme import FACES, refuse_other_names, scheme
from ..schemes.themes import refuse_other_themes

FEW = 8
"""Positions up to which nothing is compiled."""


@public
def draw(
    source: Mechanism | Drawn,
    at: Any = None,
    *,
    ghosts: Any = (),
    paths: Sequence[str] = (),
    names: bool | str = True,
    masses: bool = False,
    meshes: bool | int = True,
    graph: bool = False,
    theme: str = "light",
    **overlays: Any,
) -> Drawing:
    """The mechanism in standard symbols, as the text of an SVG picture that a notebook shows.

    Of a mechanism `at` are coordinates to assemble at, {"A": "30 deg"}, or the name of a pose;
    without it the drawing is shown. Of a motion `at` is a position by number. `ghosts` are further
    positions, shown faintly: values for `at`, or of a motion a count. `paths` are points whose way
    over a motion is drawn, "coupler.P". `names` are those of "joints" (True), "bodies", "all", or
    False; "numbers" writes joints and the numbers of the links. `masses` shows centres of mass;
    `theme` is "light" or "dark". A spatial mechanism is shaded; bodies with shapes, such as a
    URDF's meshes, look as they do, unless `meshes` is False; a number is the most triangles of all.
    With graph=True it is the structure graph: a box for every link, a line for every pair.

    Overlays are True, or names of what they show: `dimensions` (of links; "names" writes those of
    parameters), `centres` (instantaneous), `drives`; and of a motion `velocities` and
    `accelerations` (of joints, or points "coupler.P"), `angular_velocities` (of bodies),
    `reactions` (in joints, on a body, or a result of `kb.reactions`), `driving`, `loads`,
    `gravity`, `friction` (circles and lines of action).

    Of plans, levers, force polygons and centres of `kb.course` the picture has a `theme`. Of a
    sweep `at` is an answer, "-stroke" where less of it is better: all designs as lines, or
    `over=("rod", "crank")` its contours over two sizes of a grid.

        >>> picture = kb.draw(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), {"A": "60 deg"})
        >>> picture.count("class='pin'")
        4
    """
    refuse_other_themes("draw", theme)
    if graph or (isinstance(source, Drawn) and not isinstance(source, Trajectory | Placed)):
        from .results import of_result

        given = {"at": at, "ghosts": ghosts, "paths": paths, "names": names, "masses": masses}
        usual = {name: known.default for name, known in signature(draw).parameters.items()}
        given = {name: x for name, x in {**given, "meshes": meshes}.items() if x is not usual[name]}
        return of_result(source, {**given, **overlays, "theme": theme}, graph)
    refuse_other_names(names)
    shown = with_meshes("draw", scene(source, at, ghosts, paths), meshes)
    motion = source if isinstance(source, Trajectory) else None
    m: Any = motion.mechanism if motion else getattr(source, "m", source)
    shown = overlaid(shown, m, overlays, motion, at if motion and at is not None else 0)
    faces = FACES if meshes is True else int(meshes)
    return scheme(shown, theme=theme, names=names, masses=masses, faces=faces)


def with_meshes(verb: str, shown: Scene, meshes: bool | int) -> Scene:
    """The scene, without shapes where they are not wanted."""
    if meshes < 0:
        raise StructureError(f"{verb}: meshes are True, False or a count, got {meshes}")
    return shown if meshes else replace(shown, shapes=())


def scene(source: Any, at: Any = None, ghosts: Any = (), paths: Sequence[str] = ()) -> Scene:
    """The scene of a mechanism, a configuration or a motion at the positions asked for."""
    if isinstance(source, Trajectory):
        return _of_motion(source, 0 if at is None else at, ghosts, paths)
    if paths:
        raise StructureError(
            f"draw: paths are ways over a motion; draw a motion ({named('motion')})"
        )
    if isinstance(source, Configuration):
        return scene_of(source.m, poses(source.m, source.q[None]))
    if not isinstance(source, Mechanism):
        raise StructureError(f"draw: expected a mechanism or a motion, got {source!r:.60}")
    if not isinstance(ghosts, Mapping | str | list | tuple):
        raise StructureError(f"draw: ghosts are a list of positions such as at, got {ghosts!r:.60}")
    wanted = [at, *([ghosts] if isinstance(ghosts, Mapping | str) else ghosts)]
    return scene_of(source, np.concatenate([_placed(source, each) for each in wanted]))


def _placed(m: Mechanism, at: Any) -> Array:
    """Poses (1, bodies, 4, 4) at coordinates, or in the drawing."""
    if at is None:
        X_WB = drawing(m).X_WB
        own = [X_WB[body].matrix() for body in (GROUND, *(b.name for b in m.bodies))]
        return np.array([own], dtype=float)
    if isinstance(at, Mapping | str):
        at = assemble(m, at)
    q = at.q if isinstance(at, Configuration) else vector("at", at, kept_system(m).tree.nq)
    return poses(m, q[None])


def _of_motion(motion: Trajectory, k: Any, ghosts: Any, paths: Sequence[str]) -> Scene:
    m, count = motion.mechanism, len(motion.t)
    if not isinstance(ghosts, int | list | tuple):
        raise StructureError(f"draw: ghosts are a count or a list of numbers, got {ghosts!r:.60}")
    if isinstance(ghosts, int):
        ghosts = np.unique(np.linspace(0, count - 1, ghosts + 1).astype(int))[:-1] if ghosts else ()
    for i in (k, *ghosts):
        if not isinstance(i, int | np.integer) or not -count <= i < count:
            raise StructureError(f"draw: there is no position {i!r}; the motion has {count}")
    return scene_of(m, poses(m, motion.q[[k, *ghosts]]), ways_of(motion, paths))


def ways_of(motion: Trajectory, paths: Sequence[str]) -> list[tuple[str, Array]]:
    """Ways of points over a motion, by their names."""
    return [(name, point_named(motion, name).position) for name in paths]


def point_named(motion: Trajectory, name: str) -> PointMotion:
    """How a point moves, "coupler.P", or the origin of a body, "coupler"."""
    body, point = place_named(name, points_of(motion.mechanism))
    return motion.point(body, point or (0.0, 0.0, 0.0))


def poses(m: Mechanism, q: Array) -> Array:
    """Poses (positions, bodies, 4, 4) of ground and all bodies at coordinates (positions, nq)."""
    if len(q) > FEW:
        found = np.asarray(body_poses.compiled(m)(np.ascontiguousarray(q), check_finite=False))
    else:
        found = np.array([body_poses.formula(kept_system(m), each) for each in q], dtype=float)
    ground = np.broadcast_to(np.eye(4), (len(q), 1, 4, 4))
    return np.concatenate([ground, found.reshape(len(q), -1, 4, 4)], axis=1)
