"""`korba watch`: the page of a mechanism, redrawn when its file changes."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path

import typer

import korba as kb

from ..disk import write_text
from ..errors import KorbaError
from ..show.pages.moving import moving
from .commands import command
from .options import Source, WrittenAnswer
from .parameters import option, writes
from .watch_server import PageServer

EVERY = 0.2
"""Seconds between looks at the file."""


@command(
    "korba watch four-bar.toml --open",
    whole=option("The whole report.", "--report"),
    port=option("Port of the page; 0 takes a free one.", min=0, max=65535),
    show=option("Open it in the browser.", "--open"),
    out=writes("Write the page to this .html file, too.", (".html",), "--out -o"),
)
def watch(
    source: Source,
    *,
    whole: bool = False,
    theme: str = "light",
    port: int = 0,
    show: bool = False,
    out: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """Show the page of a mechanism, alive, and redraw it whenever the file changes.

    The page is served to this machine alone, at 127.0.0.1. Faults of the file are shown above the
    last good page. With --out the page is written to a file, too. Ctrl-C ends it.
    """
    answer.free(out)
    with PageServer(port) as server:
        answer({"url": server.url}, f"{server.url} shows {source.file}; Ctrl-C ends it")
        if show:
            webbrowser.open(server.url)
        watched = Watched(source, server, out=out, whole=whole, theme=theme, quiet=answer.as_json)
        try:
            while True:
                watched.look()
                time.sleep(EVERY)
        except KeyboardInterrupt:  # this is how it ends
            watched.say("ended")


class Watched:
    """A file and the page that shows it."""

    def __init__(
        self,
        source: Source,
        server: PageServer,
        *,
        out: Path | None = None,
        whole: bool = False,
        theme: str = "light",
        quiet: bool = False,
    ) -> None:
        self.source, self.server, self.out, self.theme = source, server, out, theme
        self.make = kb.report if whole else moving
        self.quiet = quiet
        self.seen: tuple[int, int] | None = None

    def look(self) -> bool:
        """Draw the file if it has changed since the last look; whether it has.

        A file that is away, as some editors leave it for a moment, is waited for.
        """
        try:
            state = self.source.file.stat()
        except OSError:
            return False
        if (state.st_mtime_ns, state.st_size) == self.seen:
            return False
        self.seen = state.st_mtime_ns, state.st_size
        begun = time.perf_counter()
        try:
            page = str(self.make(self.source.read(), theme=self.theme))
        except KorbaError as error:
            self.server.fault(str(error))
            self.say(f"{error}")
            return True
        self.server.show(page)
        if self.out is not None:
            write_text(page, self.out)
        self.say(f"drawn in {time.perf_counter() - begun:.1f} s")
        return True

    def say(self, text: str) -> None:
        """A line at the terminal with the time of day."""
        typer.echo(f"{time.strftime('%H:%M:%S')}  {text}", err=self.quiet)
