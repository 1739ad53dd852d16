"""Light and dark paper: their colours, and what every colour of light paper is on dark paper.

Schemes and plots take the colours of their theme. Other drawings are made on light paper: what is
told by `on_dark` takes them to dark paper, and by `variables` on a page to the paper of its reader.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from ...errors import refuse_unknown
from .over_symbols import LOOKS
from .paper import BRIGHT, HUES

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2937",
    "soft": "#cbd5e1",
    "ghost": "#cbd5e1",
    "fault": "#be123c",
    "edge": "#334155",
    "rim": "#000000",
    "shadow": "#e8edf3",
}
DARK = {
    "paper": "#111827",
    "ink": "#e5e7eb",
    "soft": "#475569",
    "ghost": "#374151",
    "fault": "#fb7185",
    "edge": "#64748b",
    "rim": "#5b6b82",
    "shadow": "#0b111e",
}
THEMES = {"light": LIGHT, "dark": DARK}


OF_PAGES = ("auto", *THEMES)
"""Themes of pages that can be as the reader's system is."""


def refuse_other_themes(verb: str, theme: object, known: Collection[str] = tuple(THEMES)) -> None:
    """An error that lists the themes, unless it is one of them."""
    refuse_unknown("theme", [theme], known, verb)


GREYS = {"white": "#111827", "#111827": "#e5e7eb", "#eef2ff": "#1e293b", "#374151": "#cbd5e1"}
SHADES = {"#e5e7eb": "#334155", "#9ca3af": "#64748b", "#6b7280": "#9ca3af"}
LINES = {"#1d4ed8": "#60a5fa", "#047857": "#34d399", "#b45309": "#fbbf24", "#a21caf": "#e879f9"}
"""Of drawings without a scheme: on light paper and on dark."""


@cache
def on_dark() -> dict[str, str]:
    """Colours of light paper, and what they are on dark paper."""
    own = {LIGHT[key]: DARK[key] for key in reversed(LIGHT)}
    hues = dict(zip(HUES, BRIGHT, strict=True))
    over = dict(look.colours for look in LOOKS.values() if look.colours)
    return over | own | hues | GREYS | SHADES | LINES


def recoloured(svg: str, colours: Mapping[str, str]) -> str:
    """A picture on light paper with other colours for those of `on_dark`."""
    return _colours().sub(lambda colour: colours[colour[0]], svg)


@cache
def variables() -> dict[str, str]:
    """What a page that follows its reader has in the place of each colour of light paper."""
    return {colour: f"var(--c{k})" for k, colour in enumerate(on_dark())}


def theme_rules() -> str:
    """Values of these variables: as the page's `data-theme` says, and light when it is printed."""
    pairs = on_dark().items()
    light = "".join(f"--c{k}:{own};" for k, (own, _) in enumerate(pairs)) + "color-scheme:light"
    dark = "".join(f"--c{k}:{own};" for k, (_, own) in enumerate(pairs)) + "color-scheme:dark"
    return "\n".join(
        [
            f":root {{{light}}}",
            f':root[data-theme="dark"] {{{dark}}}',
            f'@media (prefers-color-scheme: dark) {{:root[data-theme="auto"] {{{dark}}}}}',
            f"@media print {{:root, :root[data-theme] {{{light}}}}}",
        ]
    )


def themed_names() -> dict[str, str]:
    """The names of a theme's colours, for variables."""
    return {name: variables()[colour] for name, colour in LIGHT.items()}


@cache
def _colours() -> re.Pattern[str]:
    any_of = "|".join(sorted(map(re.escape, on_dark()), key=len, reverse=True))
    return re.compile(rf"(?<=[:'\s])(?:{any_of})(?=[;}}'\s])")
