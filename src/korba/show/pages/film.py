"""A motion as a film: frames of its scene, drawn as SVG, as GIF or MP4 (extra `film`).

Frames are evenly apart in time and show the mechanism on one paper; names keep their places beside
their joints, and trails grow. A GIF has one palette for all frames, from a few colours, so that it
stays small.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...disk import replaced
from ...errors import StructureError
from ...libraries import library
from ...progress import Progress
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ..drawings.draw import poses, ways_of, with_meshes
from ..overlays.catalogue import overlaid_motion
from ..schemes.labels import Labels
from ..schemes.paper import Paper, named_places, pen_of
from ..schemes.scene import Attached, Scene, scene_of
from ..schemes.scheme import busy, ordered, scheme
from .over_frames import drawn, held

ENDINGS = (".gif", ".mp4")
COLOURS = 64
"""In the palette of a GIF."""
MOST_FRAMES = 3000
HELD = 24
"""Positions that the paper is made for."""


@dataclass(frozen=True)
class Looks:
    """What is shown of a motion, in a page or in a film."""

    paths: tuple[str, ...] = ()
    names: bool = True
    masses: bool = False
    meshes: bool | int = True
    theme: str = "light"
    overlays: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Film:
    """How a film is made."""

    fps: float = 25.0
    width: int = 640
    """Of the picture, in pixels."""
    seconds: float = 4.0
    """That it takes to play, whatever the motion takes."""
    looks: Looks = Looks()

    def write(self, motion: Trajectory, path: Path) -> None:
        """Make the film, and a file of it."""
        self._refuse_wrong()
        times = np.linspace(motion.t[0], motion.t[-1], max(2, round(self.fps * self.seconds)))
        pictures = self._drawn(motion, times)
        with replaced(path) as file:
            write = _gif if path.suffix.lower() == ".gif" else _mp4
            file.write(write(pictures, self.fps))

    def _refuse_wrong(self) -> None:
        """An error for numbers that no film has."""
        for name, least, most in (("fps", 1, 60), ("width", 64, 4096), ("seconds", 0.1, 600)):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not least <= value <= most:
                raise StructureError(
                    f"animate: {name}: expected a number from {least:g} to {most:g}, got {value!r}"
                )
        if (count := self.fps * self.seconds) > MOST_FRAMES:
            raise StructureError(
                f"animate: a film of {count:.0f} frames is too long, the most is {MOST_FRAMES}; "
                "give fewer seconds or fps"
            )

    def _drawn(self, motion: Trajectory, times: Array) -> Iterator[Any]:
        """Pictures of Pillow, one after the other, with a bar."""
        resvg, image = _drawing()
        progress = Progress(None, len(times), "film", "frames")
        try:
            for k, svg in enumerate(frames(motion, times, self.looks)):
                progress(k, k)
                png = resvg.svg_to_bytes(svg_string=svg, width=int(self.width))
                with image.open(io.BytesIO(png)) as picture:
                    yield picture.convert("RGB")
        finally:
            progress.close()


def frames(motion: Trajectory, times: Array, looks: Looks) -> Iterator[str]:
    """The pictures of a motion at times as SVG, all on one paper.

    With overlays they are those of the motion's own positions, next to the times.
    """
    m = motion.mechanism
    ways = ways_of(motion, looks.paths)
    rows = np.searchsorted((motion.t[1:] + motion.t[:-1]) / 2, times)
    placed = poses(m, motion.q[rows]) if looks.overlays else _between(motion, times)
    whole = with_meshes("animate", scene_of(m, placed, ways), looks.meshes)
    over = overlaid_motion(whole, motion, rows, looks.overlays) if looks.overlays else []
    some = np.unique(np.linspace(0, len(times) - 1, HELD).astype(int))
    within = replace(held(whole, over) if over else whole, poses=whole.poses[some])
    paper = Paper(within)
    texts = _texts(whole, paper, masses=looks.masses) if looks.names and m.plane else []
    size = pen_of(whole, paper).size
    for k, row in enumerate(np.searchsorted(motion.t, times)):
        trails = tuple((name, way[: row + 1]) for name, way in ways if row)
        scene = replace(whole, poses=whole.poses[k : k + 1], paths=trails)
        picture = scheme(scene, theme=looks.theme, names=False, masses=looks.masses, within=within)
        more = [*_moved(texts, scene, paper), *(drawn(over[k], paper, size) if over else ())]
        yield "".join([picture.rstrip().removesuffix("</svg>"), *more, "</svg>"])


def _between(motion: Trajectory, times: Array) -> Array:
    """Poses of all bodies at times between the rows of a motion, as a page that plays has them."""
    after = np.clip(np.searchsorted(motion.t, times), 1, max(len(motion.t) - 1, 1))
    before, after = after - 1, np.minimum(after, len(motion.t) - 1)
    step = np.where(after > before, motion.t[after] - motion.t[before], 1.0)
    share = ((times - motion.t[before]) / step)[:, None, None, None]
    first, second = (poses(motion.mechanism, motion.q[rows]) for rows in (before, after))
    return np.asarray(first + share * (second - first))


Text = tuple[Attached, Array, str]
"""A name: the point that it belongs to, its pixels at the first position, and the name there."""


def _texts(scene: Scene, paper: Paper, *, masses: bool) -> list[Text]:
    """Names at the first position, where they cover nothing."""
    labels, pen = Labels(*paper.size), pen_of(scene, paper)
    for mark in ordered(scene, masses=masses):
        labels.keep_off(busy(mark, paper.at(scene.places(mark)), pen), 9.0 * pen.size)
    places = {
        point: (name, paper.at(scene.place(point))) for name, point in named_places(scene, paper)
    }
    return [(point, at, labels.text(name, [at])) for point, (name, at) in places.items()]


def _moved(texts: list[Text], scene: Scene, paper: Paper) -> Iterator[str]:
    """Names beside their points at another position."""
    for point, start, text in texts:
        x, y = paper.at(scene.place(point)) - start
        yield f"<g transform='translate({x:.2f} {y:.2f})'>{text}</g>"


def _gif(pictures: Iterator[Any], fps: float) -> bytes:
    """All pictures with the palette of the middle one, of which only what changes is kept."""
    every = list(pictures)
    palette = every[len(every) // 2].quantize(COLOURS)
    first, *rest = [each.quantize(palette=palette, dither=0) for each in every]
    file = io.BytesIO()
    each = round(1000 / fps)
    first.save(file, "GIF", save_all=True, append_images=rest, duration=each, loop=0, optimize=True)
    return file.getvalue()


def _mp4(pictures: Iterator[Any], fps: float) -> bytes:
    """H.264, whose pictures have even sizes."""
    imageio_ffmpeg = library("imageio_ffmpeg", _missing("imageio-ffmpeg"))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        writer = None
        try:
            for picture in pictures:
                width, height = (2 * (size // 2) for size in picture.size)
                if writer is None:
                    options = {"fps": fps, "macro_block_size": 2, "output_params": ["-crf", "23"]}
                    writer = imageio_ffmpeg.write_frames(str(target), (width, height), **options)
                    writer.send(None)
                writer.send(picture.crop((0, 0, width, height)).tobytes())
        finally:
            if writer is not None:
                writer.close()
        return target.read_bytes()


def _drawing() -> tuple[Any, Any]:
    """What draws SVG, and what holds pictures."""
    missing = _missing("resvg-py and Pillow")
    return library("resvg_py", missing), library("PIL.Image", missing)


def _missing(what: str) -> str:
    return (
        f"animate: a film needs {what}; install it with pip install 'korba[film]', or write a "
        "page that plays (.html)"
    )
