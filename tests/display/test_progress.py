"""Bars of work that takes long: who hears of it, and where it is drawn."""

from __future__ import annotations

from korba.progress import Progress


def test_a_function_hears_every_call():
    """Given a function it is called with the time that is reached, and nothing is drawn."""
    heard: list[float] = []
    bar = Progress(heard.append, 10.0, "running")
    for k in range(3):
        bar(k, 0.5 * k)
    bar.close()
    assert heard == [0.0, 0.5, 1.0]


def test_a_bar_is_drawn_on_standard_error(capsys):
    """Where it is wanted it says what is done, how far, and of how much."""
    bar = Progress(True, 8.0, "running", "turns")
    bar(8.0, 8.0, "the end")
    bar.close()
    shown = capsys.readouterr()
    assert not shown.out
    assert "running" in shown.err
    assert "8 of 8 turns" in shown.err
    assert "the end" in shown.err


def test_short_work_shows_nothing(capsys):
    """Unless it is wanted, nothing is drawn before a second has gone."""
    bar = Progress(None, 1.0, "running")
    bar(0.5, 0.5)
    bar.close()
    shown = capsys.readouterr()
    assert not shown.out + shown.err
