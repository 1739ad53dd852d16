"""What takes long says what it does, at a terminal and in a notebook, and leaves nothing behind."""

import io
import os
import re
import sys
import types
from threading import Thread
from time import monotonic, sleep

import pytest

import korba as kb
from korba import working
from korba.working import Teller


class Screen(io.StringIO):
    """A terminal, and what stands on its last line."""

    def isatty(self):
        return True

    @property
    def line(self):
        return re.split(r"\r\x1b\[2K", self.getvalue())[-1]


def put(monkeypatch, stream):
    """What the module takes for standard error; pytest has put its own in the place of that."""
    own = types.SimpleNamespace(stderr=stream, modules=sys.modules)
    monkeypatch.setattr(working, "sys", own)


@pytest.fixture
def screen(monkeypatch):
    """A screen that somebody looks at, a short patience, and a teller of this test alone."""
    screen = Screen()
    put(monkeypatch, screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("KORBA_PROGRESS", raising=False)
    for name, value in (("PATIENCE", 0.05), ("EVERY", 0.01), ("PAUSE", 0.1)):
        monkeypatch.setattr(working, name, value)
    monkeypatch.setattr(working, "TELLER", Teller())
    return screen


def until(holds):
    """Wait for something to hold."""
    end = monotonic() + 30.0
    while not holds():
        assert monotonic() < end
        sleep(0.005)


def test_long_work_is_told_and_gone_when_it_is_done(screen):
    """The line says what is asked and what is done for it, and is empty at the end."""
    with working.working("simulate"), working.working("compiling"):
        until(lambda: screen.line == "simulate: compiling ...")
    until(lambda: screen.line == "")


def test_many_short_pieces_are_long_work_together(screen):
    """They are counted."""
    with working.working("simulate"):
        for often in ("", ", 2 so far", ", 3 so far"):
            with working.working("compiling"):
                until(lambda often=often: screen.line == f"simulate: compiling{often} ...")


def test_short_work_says_nothing(screen, monkeypatch):
    """Nothing is written before the patience is over, and pauses are no work."""
    monkeypatch.setattr(working, "PATIENCE", 1e9)
    teller = working.TELLER
    for _ in range(3):
        with working.working("motion"):
            pass
    until(lambda: teller._thread is None)
    assert screen.getvalue() == ""


def test_a_bar_says_enough(screen):
    """While a bar stands at the terminal there is no line."""
    with working.working("simulate"):
        until(lambda: screen.line == "simulate ...")
        working.TELLER.hush()
        assert screen.line == ""
        written = screen.getvalue()
        sleep(0.1)
        assert screen.getvalue() == written
        working.TELLER.unhush()
        until(lambda: screen.line == "simulate ...")


def test_nothing_is_said_where_nobody_looks(screen, monkeypatch):
    """Without bars, with KORBA_PROGRESS=off and at a plain stream no thread is started."""
    teller = working.TELLER
    with working.without_bars(), working.working("motion"):
        assert teller._thread is None
    monkeypatch.setenv("KORBA_PROGRESS", "off")
    with working.working("motion"):
        assert teller._thread is None
    monkeypatch.delenv("KORBA_PROGRESS")
    put(monkeypatch, io.StringIO())
    with working.working("motion"):
        assert teller._thread is None


def test_a_cell_of_a_notebook_shows_it(monkeypatch):
    """One output that changes, and is empty at the end."""
    shown = []

    class Handle:
        def update(self, what, raw):
            shown.append(what.get("text/plain"))

    def display(what, raw, display_id):
        shown.append(what["text/plain"])
        return Handle()

    shell = type("ZMQInteractiveShell", (), {})()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    places = types.ModuleType("IPython.display")
    places.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", places)
    for name, value in (("PATIENCE", 0.05), ("EVERY", 0.01), ("PAUSE", 0.1)):
        monkeypatch.setattr(working, name, value)
    monkeypatch.setattr(working, "TELLER", Teller())
    monkeypatch.delenv("KORBA_PROGRESS", raising=False)
    with working.working("report"):
        until(lambda: shown)
    until(lambda: shown[-1] is None)  # an output of no kind, of which nothing is seen
    assert shown[0] == "report ..."


def test_work_that_was_interrupted_is_forgotten(screen):
    """A piece of work that nobody holds any more is not told for ever."""
    teller = working.TELLER
    teller.begin("motion")
    until(lambda: teller._thread is None)
    assert screen.line == ""


def test_threads_work_together(screen):
    """The line is gone only when the last of them has ended."""

    def work():
        with working.working("sweep"):
            sleep(0.2)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: screen.line == "sweep ...")
    for thread in threads:
        thread.join()
    assert screen.line == ""


def test_public_functions_say_their_name(screen, monkeypatch):
    """What is asked stands first: `mobility ...`."""
    told = []
    monkeypatch.setattr(Teller, "begin", lambda self, what: told.append(what))
    monkeypatch.setattr(Teller, "end", lambda self, task: None)
    kb.mobility(kb.linkages.four_bar(1, 3, 2, 2.5))
    assert "mobility" in told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_tells_its_own_work(screen):
    """What its parent does is not said there."""
    with working.working("sweep"):
        working.TELLER.forget()
        assert not working.TELLER._tasks
