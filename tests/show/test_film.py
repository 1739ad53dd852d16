"""Films of motions: decoded they have the frames asked for, none blank, and the mechanism moves."""

import re
import subprocess
import sys

import numpy as np
import pytest
from sample_mechanisms import turning_four_bar

import korba as kb
from korba.show.pages.film import Looks, frames

Image = pytest.importorskip("PIL.Image")
imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
pytest.importorskip("resvg_py")
SMALL = {"fps": 10, "seconds": 1.2, "width": 240}


@pytest.fixture(scope="module")
def four_bar():
    return turning_four_bar()


def ink(picture):
    """Share of pixels that differ from the first one."""
    return float(np.any(np.abs(picture.astype(int) - picture[0, 0]) > 40, axis=-1).mean())


def moving(pictures):
    """None is blank, and the one in the middle is another than the first."""
    assert all(0.01 < ink(picture) < 0.5 for picture in pictures)
    middle = pictures[len(pictures) // 2].astype(int)
    assert (np.abs(middle - pictures[0]) > 40).any(axis=-1).mean() > 0.005


def test_a_gif_plays(four_bar, tmp_path):
    """As many frames as asked for, of that width, in a small file; it repeats for ever."""
    path = tmp_path / "film.gif"
    page = kb.animate(four_bar, path, paths=["coupler.C"], **SMALL)
    assert page == kb.animate(four_bar, paths=["coupler.C"])
    assert path.stat().st_size < 100_000
    with Image.open(path) as film:
        assert film.n_frames == 12 and film.width == 240 and film.info["loop"] == 0
        pictures = []
        for k in range(film.n_frames):
            film.seek(k)
            assert film.info["duration"] == 100
            pictures.append(np.asarray(film.convert("RGB")))
    moving(pictures)


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # by JAX, where another test loaded it
def test_an_mp4_plays(tmp_path):
    """A spatial motion, in dark: frames and size as asked for, even as films want them."""
    motion = kb.motion(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35), np.linspace(0.0, 1.0, 31))
    path = tmp_path / "film.mp4"
    motion.animate(path, theme="dark", **SMALL)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24"]
    read = subprocess.run([*command, "-"], capture_output=True, check=True)
    width, height = map(int, re.search(rb" (\d{3})x(\d{3})", read.stderr).groups())
    assert width == 240 and height % 2 == 0
    pictures = np.frombuffer(read.stdout, np.uint8).reshape(-1, height, width, 3)
    assert len(pictures) == 12
    moving(pictures)


def test_frames_are_those_of_the_motion(four_bar):
    """All are on one paper; names stay beside their joints."""
    times = np.array([0.0, 0.26, 0.5])
    first, other, _ = frames(four_bar, times, Looks())
    size = [svg.partition("viewBox=")[2][:24] for svg in (first, other)]
    assert size[0] == size[1]
    assert first.count("<text") == other.count("<text") > 3
    assert first != other


def test_overlays_go_along_in_a_film(four_bar):
    """On one paper, with one note of their scale, and from frame to frame others."""
    looks = Looks(overlays={"velocities": True})
    first, other = frames(four_bar, np.array([0.0, 0.26]), looks)
    shafts = [re.findall(r"class='shaft velocity' d='([^']*)'", svg) for svg in (first, other)]
    assert len(shafts[0]) == len(shafts[1]) == 3  # the note, B and C
    assert shafts[0][0] == shafts[1][0] and shafts[0][1:] != shafts[1][1:]
    assert "v<tspan" in first and "m/s</text>" in first


def test_a_page_is_written_by_its_ending(four_bar, tmp_path):
    """The .html file is the page."""
    page = kb.animate(four_bar, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page


def test_what_cannot_be_filmed_is_said(four_bar, tmp_path, monkeypatch):
    """Other endings, numbers out of reason, and the extra that is missing; no file is left."""
    for name, more, words in (
        ("film.avi", {}, r"the ending must be one of \.html, \.gif, \.mp4"),
        ("film.gif", {"fps": 0}, "fps: expected a number from 1 to 60"),
        ("film.gif", {"seconds": 600, "fps": 60}, "36000 frames is too long"),
    ):
        with pytest.raises(kb.StructureError, match=words):
            kb.animate(four_bar, tmp_path / name, **more)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(kb.KorbaError, match=r"pip install 'korba\[film\]'"):
        kb.animate(four_bar, tmp_path / "film.gif")
    assert not list(tmp_path.iterdir())
