"""Every result is data: plain, a dataframe where rows mean something, a picture where one is."""

import csv
import dataclasses
import inspect
import json
from functools import cache

import numpy as np
import pytest
from test_one_screen import ARM, FOUR_BAR, VALUES, moved

import korba as kb
from korba.display import Drawn, Plotted, Tabled
from korba.show.drawings.draw import draw
from korba.show.plots.plot import plot

CLASSES = {name: getattr(kb.results, name) for name in kb.results.__all__}
TEXTS = {"Drawing", "Page"}
"""Results that are texts: the files themselves."""
ENGINE = kb.linkages.slider_crank(0.1, 0.3)


@cache
def answers():
    """Answers of questions, and what stands in their fields, by the names of their classes."""
    asked = [make() for make in VALUES.values()]
    asked += [
        kb.base_parameters(ARM),
        kb.reactions(FOUR_BAR, moved(), friction=False),
        kb.driving_forces(FOUR_BAR, moved()),
        kb.inertia_forces(FOUR_BAR, moved()),
        kb.shaking_forces(FOUR_BAR, moved()),
        kb.inertia_forces(FOUR_BAR, moved())["rocker"],
        kb.inertia_forces(FOUR_BAR, moved())["rocker"].line,
        kb.reduce(ENGINE, "A"),
        kb.reduce(ENGINE, "A")(np.linspace(0, 1, 5)),
        kb.linearise(ARM, [-np.pi / 2, 0]),
        kb.equilibrium(ARM, q=[-1.5, 0.1]),
        kb.speeds(ENGINE, "A", [0.6, 0.7], speed=3.0),
        kb.equations(ARM),
        kb.mechanical_advantage(moved(), "A", "D"),
        kb.simulate(ARM, 0.5, q=[0.1, 0.2], events=["A"]).events,
    ]
    found = {}
    while asked:
        value = asked.pop()
        if type(value).__name__ in found:
            continue
        if CLASSES.get(type(value).__name__) is type(value):
            found[type(value).__name__] = value
        asked += inside(value)
    return found


def inside(value):
    """What a value holds."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return list(value[:3])
    if hasattr(value, "_fields"):
        return list(value)
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return []


@pytest.mark.parametrize("name", sorted(set(CLASSES) - TEXTS))
def test_every_class_of_results_gives_plain_data(name):
    """It says how; the data of an answer goes through JSON as it is."""
    assert inspect.isfunction(CLASSES[name].to_dict)
    if name in answers():
        data = answers()[name].to_dict()
        again = json.loads(json.dumps(data))
        assert data
        assert json.dumps(again) == json.dumps(data)


def test_most_classes_of_results_are_asked_for():
    """The data of so many is looked at, not their classes alone."""
    assert len(answers()) >= 35


@pytest.mark.parametrize("name", sorted(n for n, x in CLASSES.items() if issubclass(x, Tabled)))
def test_rows_are_a_dataframe(name):
    """All columns have the same length, and are those of `columns`."""
    pandas = pytest.importorskip("pandas")
    if name not in answers():
        assert CLASSES[name].rows_of or "columns" in dir(CLASSES[name])
        return
    value = answers()[name]
    frame = value.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(value.columns)
    assert {len(x) for x in value.columns.values()} == {len(frame)}


@pytest.mark.parametrize("name", sorted(n for n, x in CLASSES.items() if issubclass(x, Tabled)))
def test_rows_are_a_file(name, tmp_path):
    """Every answer with rows is saved as a table: a line of names and one for each row."""
    assert inspect.isfunction(CLASSES[name].save)
    if name in answers():
        answers()[name].save(tmp_path / "rows.csv")
        with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
        columns = answers()[name].columns
        assert names == [*map(str, columns)]
        assert len(rows) == len(next(iter(columns.values())))
        with pytest.raises(kb.StructureError, match=r"must be one of \.csv, \.parquet, got"):
            answers()[name].save(tmp_path / "rows.txt")


def test_pictures_and_pages_are_files(tmp_path):
    """A drawing is saved as SVG, or by pixels; a page as HTML; another ending is refused."""
    picture, page = kb.draw(FOUR_BAR), kb.live(FOUR_BAR)
    for value, ending in ((picture, "svg"), (page, "html")):
        value.save(tmp_path / f"one.{ending}")
        assert (tmp_path / f"one.{ending}").read_text("utf-8") == value
        with pytest.raises(kb.StructureError, match="the ending must be one of"):
            value.save(tmp_path / "one.doc")
    pytest.importorskip("resvg_py")
    picture.save(tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes()[1:4] == b"PNG"


def test_what_has_a_picture_has_a_method_for_it():
    """What `kb.plot` and `kb.draw` take has `.plot()` and `.draw()`, and these are the same."""
    taken = inspect.get_annotations(inspect.unwrap(plot), eval_str=False)["result"]
    for name in map(str.strip, taken.split("|")):
        own = getattr(kb.results, name, None) or getattr(kb, name)
        assert hasattr(own, "plot"), name
    for name, kind in CLASSES.items():
        assert not issubclass(kind, Plotted) or name in taken
    r = kb.reduce(ENGINE, "A")
    assert r.plot().title == kb.plot(r).title
    at = kb.assemble(FOUR_BAR, {"A": 0.3})
    assert at.draw() == draw(at)
    assert [n for n, x in CLASSES.items() if issubclass(x, Drawn)]
