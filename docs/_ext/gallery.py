"""The gallery: mechanisms that move in the page, with their files, all made by Korba in the build.

A mechanism is a file of docs/gallery, or a ready one. Of each there is a picture that moves by
itself, light and dark, a page in which it lives, or falls and is played, its file, and the commands
that make the page. `tests/show/test_gallery.py` loads, moves and draws all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from moving_picture import moving_picture

from korba.cli.starting_files import starting_file
from korba.display import Page
from korba.files.any_file import read_any
from korba.files.toml_file import loads
from korba.model.mechanism import Mechanism
from korba.show.pages.animate import animate
from korba.show.pages.live import live
from korba.show.pages.moving import some_motion
from korba.simulation.run import simulate
from korba.structure.mobility import mobility
from korba.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = Path(__file__).resolve().parents[1] / "gallery"
THEMES = ("light", "dark")


@dataclass(frozen=True)
class Shown:
    """A mechanism of the gallery."""

    file: str
    """A file of the folder, or the name of a ready mechanism."""
    title: str
    about: str
    path: str = ""
    """A point that leaves its curve."""
    run: dict[str, Any] = field(default_factory=dict)
    """Of robots without drives: how they are let go."""

    @property
    def lives(self) -> bool:
        """Whether one can drag it in its page; what is let go is played."""
        return not self.run

    @property
    def key(self) -> str:
        """The beginning of the names of its files."""
        return self.file.partition(".")[0]

    @property
    def own(self) -> bool:
        """Whether it has a file of its own."""
        return "." in self.file

    @property
    def name(self) -> str:
        """The name of its file for readers."""
        return self.file if self.own else f"{self.file}.toml"

    def text(self) -> str:
        """Its file."""
        if self.own:
            return (FOLDER / self.file).read_text("utf-8")
        return starting_file(self.file, self.name)

    def mechanism(self) -> Mechanism:
        """What the file says."""
        return read_any(FOLDER / self.file) if self.own else loads(self.text(), source=self.name)

    def motion(self, m: Mechanism) -> Trajectory:
        """A cycle of its drives, or what it does when it is let go."""
        if not self.run:
            return some_motion(m)
        until = self.run["until"]
        more = {key: value for key, value in self.run.items() if key != "until"}
        return simulate(m, until, times=121, **more)

    def page(self, m: Mechanism, motion: Trajectory) -> Page:
        """The page in which it lives or plays."""
        if self.lives:
            return live(m, path=self.path)
        return animate(motion, paths=[self.path] if self.path else [])

    def commands(self) -> list[str]:
        """What makes the page, at a terminal."""
        first = [] if self.own else [f"korba new {self.file}"]
        if self.lives:
            traced = f" --path {self.path}" if self.path else ""
            return [*first, f"korba live {self.name}{traced}"]
        start = "".join(
            f" --{key} {value}" if isinstance(value, str) else _given(key, value)
            for key, value in self.run.items()
            if key != "until"
        )
        until = f"--until {self.run['until']:g}{start}"
        return [*first, f"korba simulate {self.name} {until} --animate {self.key}.html"]


def _given(key: str, values: dict[str, str]) -> str:
    return "".join(f" --{key} '{name}={value}'" for name, value in values.items())


GROUPS: dict[str, tuple[Shown, ...]] = {
    "Planar linkages": (
        Shown(
            "four-bar",
            "Four-bar linkage",
            "A crank, a coupler and a rocker: the smallest loop that turns one motion into "
            "another. Change one length and the rocker stops where it used to go round.",
        ),
        Shown(
            "slider-crank",
            "Slider-crank",
            "The heart of engines, pumps and presses: turning becomes going to and fro. The stroke "
            "is twice the crank; how far the rod leans decides what the guide has to bear.",
        ),
        Shown(
            "watt",
            "Watt's six-bar",
            "Two four-bars in a row share a ternary link. The second loop can rest, rush or return "
            "where one loop cannot.",
        ),
        Shown(
            "stephenson",
            "Stephenson's six-bar",
            "A dyad follows a point of the coupler, so its output has the shape of a coupler "
            "curve: dwells come from arcs, strokes from straight pieces.",
        ),
        Shown(
            "five-bar",
            "Five-bar",
            "Two inputs move one point over a plane: a plotter, a robot for picking, or, with "
            "gears between the inputs, a writer of curves.",
        ),
        Shown(
            "hoeken.toml",
            "Hoeken's straight line",
            "Over half a turn of the crank the end of the coupler goes straight, and nearly "
            "evenly. Walking machines put a foot there.",
            path="coupler.P",
        ),
        Shown(
            "peaucellier",
            "Peaucellier's inversor",
            "The first linkage in the plane that draws an exact line (1864): two long bars and a "
            "rhombus invert a circle through the centre.",
        ),
        Shown(
            "scissor",
            "Scissor lift",
            "Three pairs of crossed arms multiply a small motion. Its loops share constraints, and "
            "it moves all the same: see its mobility.",
        ),
        Shown(
            "oldham.toml",
            "Oldham's coupling",
            "Two parallel shafts apart turn alike, exactly. The disc between them slides on both, "
            "and its middle runs a circle twice as fast.",
        ),
    ),
    "Walkers": (
        Shown(
            "jansen",
            "Jansen's leg",
            "The lengths that carry the Strandbeest along the beach: one crank, and a foot that "
            "stays level on the ground and lifts to return.",
            path="foot.F",
        ),
        Shown(
            "klann",
            "Klann's leg",
            "Six bars instead of eight: the foot lifts high, steps over what lies in the way and "
            "comes down where it should.",
        ),
    ),
    "Cams and gears": (
        Shown(
            "cam",
            "Cam with a roller",
            "A long rest, a rise and a fall, written as one formula of the radius. The place of "
            "contact is a coordinate of the joint.",
        ),
        Shown(
            "flat-cam.toml",
            "Cam with a flat face",
            "Three lobes under a flat follower: it touches where the tangent is level, not above "
            "the shaft, and slides along the face.",
        ),
        Shown(
            "planetary",
            "Planetary gear",
            "The sun is driven, three planets roll in a fixed ring, the carrier follows slowly. "
            "Two of the planets are more than the motion needs, and Korba says so.",
        ),
        Shown(
            "rack.toml",
            "Rack and pinion",
            "A crank saws with a rack, and the rack turns a hand: a slider-crank and a gear in one "
            "loop.",
        ),
    ),
    "Quick returns, presses and engines": (
        Shown(
            "quick-return",
            "Quick return of a shaper",
            "The pin of the crank slides in the lever. The ram cuts slowly and comes back fast, by "
            "the ratio of two arcs of the crank.",
        ),
        Shown(
            "scotch-yoke.toml",
            "Scotch yoke",
            "A pin in a slot across the way: the slider moves as a pure sine, without the second "
            "harmonic that a rod adds.",
        ),
        Shown(
            "toggle",
            "Toggle press",
            "Two links that straighten push with a force that grows without bound: what the crank "
            "loses in way the ram gains in force.",
        ),
        Shown(
            "press.toml",
            "Crank press with friction",
            "Pins of 60 mm and a guide, all rough, and 20 kN on the way down. `korba forces "
            "press.toml --friction` says which joint is to blame.",
        ),
        Shown(
            "engine",
            "Four cylinders in line",
            "One crankshaft, four rods and pistons, one behind the other. `kb.shaking_forces` "
            "tells what is left unbalanced.",
        ),
        Shown(
            "radial-engine.toml",
            "Radial engine",
            "Three cylinders round one crank pin. Ten joints, three loops, one freedom; the "
            "pistons follow each other by 120 degrees.",
        ),
    ),
    "In space": (
        Shown(
            "rssr",
            "RSSR",
            "A crank and a rocker about crossed axes, joined by a rod between balls. The rod may "
            "spin about itself, which nobody else feels.",
        ),
        Shown(
            "cardan",
            "Cardan's joint",
            "The driven shaft runs ahead and behind twice a turn, tan(out) = tan(in) cos(30 deg), "
            "and a second joint can undo it.",
        ),
        Shown(
            "bennett",
            "Bennett's linkage",
            "Four hinges in space that should lock, by Kutzbach's count, and move: the ranks of "
            "its rows say why.",
        ),
        Shown(
            "wishbone.toml",
            "Double wishbone",
            "One corner of a car. The wheel goes up and down; the track rod makes it steer a "
            "little by itself, which is what one designs away.",
        ),
    ),
    "Platforms": (
        Shown(
            "three-rrr",
            "3-RRR",
            "A platform in the plane on three arms: x, y and an angle from three motors that all "
            "stand on the ground.",
        ),
        Shown(
            "delta",
            "Delta robot",
            "Three parallelograms keep the platform level. Light arms, motors on the base: a "
            "hundred picks a minute.",
        ),
        Shown(
            "stewart",
            "Stewart's platform",
            "Six legs, six freedoms: flight simulators and machine tools. Inverse kinematics are "
            "six distances, forward ones have up to forty answers.",
        ),
    ),
    "Robots": (
        Shown(
            "robot-arm",
            "Robot arm",
            "Waist, shoulder and elbow, by their lengths. Its equations fit on a page, its "
            "dynamics run in nanoseconds.",
        ),
        Shown(
            "arm.urdf",
            "Six joints from URDF",
            "An arm as ROS describes it, motors off: it sinks against the damping of its gears "
            "until it hangs.",
            run={"until": 4.0, "q": {"shoulder": "25 deg", "elbow": "50 deg"}},
        ),
        Shown(
            "torso.xml",
            "A torso from MJCF",
            "A tree, as MuJoCo describes it: waist, head and two arms, let go with the arms out. "
            "Each branch costs only its own links.",
            run={"until": 4.0},
        ),
        Shown(
            "elastic.toml",
            "Arm with elastic joints",
            "Between rotor and link sits a spring: one switch in the file doubles the coordinates. "
            "After a jerk the links swing about their motors.",
            run={"until": 2.0, "v": {"A.rotor": "6", "B.rotor": "-12"}},
        ),
        Shown(
            "gymnast.toml",
            "Gymnast on the bar",
            "A tree in the plane: trunk, and two legs with knees. Let go from a pose that the file "
            "names.",
            run={"until": 5.0, "q": "up"},
        ),
        Shown(
            "biped.toml",
            "Biped in the air",
            "Eighteen freedoms: a free trunk and two legs of six joints, no gravity. The legs "
            "swing, the trunk turns against them, and its momentum stays what it was.",
            run={
                "until": 3.0,
                "v": {"left hip pitch": "6", "right hip pitch": "-6", "left knee": "8"},
            },
        ),
    ),
}
EVERY = tuple(shown for group in GROUPS.values() for shown in group)


def setup(app: "Sphinx") -> dict[str, Any]:
    app.add_css_file("gallery.css")
    app.connect("builder-inited", write_files)
    app.connect("source-read", append_cards)
    app.connect("env-get-outdated", lambda *_: ["gallery"])
    return {"parallel_read_safe": True}


def write_files(app: "Sphinx") -> None:
    """Pictures, pages and files of all mechanisms, beside the pages of the docs."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    for shown in EVERY:
        for name, make in files_of(shown):
            (folder / name).write_text(make(), "utf-8")


def files_of(shown: Shown) -> Iterator[tuple[str, Callable[[], str]]]:
    """Names of files, and what makes their texts."""
    m = shown.mechanism()
    motion = shown.motion(m)
    yield shown.name, shown.text
    yield f"{shown.key}.html", lambda: str(shown.page(m, motion))
    for theme in THEMES:
        yield (
            f"{shown.key}-{theme}.svg",
            lambda theme=theme: moving_picture(motion, theme, shown.path),
        )


def append_cards(_app: "Sphinx", page: str, source: list[str]) -> None:
    """The cards, by group, at the end of the page."""
    if page != "gallery":
        return
    for title, group in GROUPS.items():
        cards = "\n".join(map(card, group))
        source[0] += (
            f"\n## {title}\n\n```{{raw}} html\n<div class='gallery'>\n{cards}\n</div>\n```\n"
        )


def card(shown: Shown) -> str:
    """The picture of a mechanism that leads to its page, and what there is to say of it."""
    m = shown.mechanism()
    freedoms = int(np.asarray(mobility(m).actual))
    pictures = "".join(
        f"<img class='keep only-{theme}' loading='lazy' alt='{escape(shown.title, quote=True)}' "
        f"src='gallery/{shown.key}-{theme}.svg'>"
        for theme in THEMES
    )
    what = "drag it" if shown.lives else "play it"
    commands = "<br>".join(f"<code>{escape(each)}</code>" for each in shown.commands())
    about = "".join(
        f"<code>{escape(part)}</code>" if i % 2 else escape(part)
        for i, part in enumerate(shown.about.split("`"))
    )
    return (
        f"<figure id='{shown.key}'><a href='gallery/{shown.key}.html'>{pictures}</a><figcaption>"
        f"<strong>{escape(shown.title)}</strong><p>{about}</p>"
        f"<p class='facts'>{freedoms} {'freedom' if freedoms == 1 else 'freedoms'}, "
        f"{len(m.bodies)} bodies, {len(m.joints)} joints · "
        f"<a href='gallery/{shown.key}.html'>{what}</a> · "
        f"<a href='gallery/{shown.name}' download>{escape(shown.name)}</a></p>"
        f"<p class='how'>{commands}</p></figcaption></figure>"
    )
