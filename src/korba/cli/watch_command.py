"""`korba watch`: the page of a mechanism, redrawn when its file changes."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ..disk import write_text
from ..errors import KorbaError
from ..show.pages.moving import moving
from ..show.report.report import report
from .answers import answered, free, known, read
from .commands import command
from .options import AsJson, Floating, MechanismFile, Overwrite, Theme, WatchedPage
from .watch_server import PageServer

EVERY = 0.2
"""Seconds between looks at the file."""


@command("korba watch four-bar.toml --open")
def watch(
    file: MechanismFile,
    *,
    floating: Floating = None,
    whole: Annotated[bool, typer.Option("--report", help="The whole report.")] = False,
    theme: Theme = "light",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")
    ] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    out: WatchedPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Show the page of a mechanism, alive, and redraw it whenever the file changes.

    The page is served to this machine alone, at 127.0.0.1. Faults of the file are shown above the
    last good page. With --out the page is written to a file, too. Ctrl-C ends it.
    """
    known(out, (".html",), "--out")
    free(force, out)
    with PageServer(port) as server:
        answered({"url": server.url}, f"{server.url} shows {file}; Ctrl-C ends it", as_json)
        if show:
            webbrowser.open(server.url)
        watched = Watched(file, server, floating, out=out, whole=whole, theme=theme, quiet=as_json)
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
        file: Path,
        server: PageServer,
        floating: bool | None = None,
        *,
        out: Path | None = None,
        whole: bool = False,
        theme: str = "light",
        quiet: bool = False,
    ) -> None:
        self.file, self.server, self.out, self.theme = file, server, out, theme
        self.floating = floating
        self.make = report if whole else moving
        self.quiet = quiet
        self.seen: tuple[int, int] | None = None

    def look(self) -> bool:
        """Draw the file if it has changed since the last look; whether it has.

        A file that is away, as some editors leave it for a moment, is waited for.
        """
        try:
            state = self.file.stat()
        except OSError:
            return False
        if (state.st_mtime_ns, state.st_size) == self.seen:
            return False
        self.seen = state.st_mtime_ns, state.st_size
        begun = time.perf_counter()
        try:
            page = str(self.make(read(self.file, self.floating), theme=self.theme))
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
