"""The front: names that are loaded when asked for, hooks that it fills, what a fork makes anew."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

import korba as kb
from korba import forking, front, hooks

LIST = """\
from . import room
from .far.away import distant
from .near.place import Here, there

__all__ = ["Here", "distant", "room", "there"]
"""
FRONT = """\
from korba.front import shown

__all__, __getattr__, __dir__ = shown(__name__, __file__)
"""
FILES = {
    "__init__.pyi": LIST,
    "__init__.py": FRONT,
    "room.py": "",
    "far/away.py": "distant = 'far away'",
    "near/place.py": "class Here: ...\n\n\nthere = 3\n",
}


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A package with a front and three modules."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in FILES.items():
        (tmp_path / "house" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "house" / name).write_text(text, "utf-8")
    yield import_module("house")
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def test_names_are_loaded_when_they_are_asked_for(house):
    """The list beside the file says what there is and where; nothing is loaded before."""
    assert house.__all__ == ["Here", "distant", "room", "there"]
    assert set(house.__all__) <= set(dir(house))
    modules = {"house.far.away", "house.near.place", "house.room"}
    assert not modules & sys.modules.keys()
    assert house.there == 3
    assert modules & sys.modules.keys() == {"house.near.place"}
    assert house.Here is sys.modules["house.near.place"].Here
    assert (house.distant, house.room) == ("far away", sys.modules["house.room"])
    with pytest.raises(AttributeError, match="module 'house' has no attribute 'farther'"):
        house.farther  # noqa: B018


def test_korba_is_shown_by_its_list():
    """Every name of the list is there, and the same object at each asking."""
    names, get, listed = front.shown("korba", kb.__file__)
    assert names == kb.__all__
    assert set(names) <= set(listed())
    assert all(get(name) is getattr(kb, name) for name in names)


def test_korba_alone_loads_no_library():
    """`import korba` takes no time: NumPy and the rest come with the first name."""
    script = "import sys, korba; print(sorted({'numpy', 'scipy', 'llvmlite'} & sys.modules.keys()))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_hook_is_loaded_when_it_is_asked_for(monkeypatch):
    """What fills a hook is called at each asking, and not before; the last filling counts."""
    monkeypatch.setattr(hooks, "_LOADS", dict(hooks._LOADS))
    calls = []
    hooks.fill("bell", lambda: calls.append("old"))
    hooks.fill("bell", lambda: calls.append("new") or "rings")
    assert calls == []
    assert hooks.asked("bell") == "rings"
    assert calls == ["new"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_opens_what_its_parents_threads_held():
    """Calls before and after a fork are made in the right process; cached properties are open."""
    script = (
        f"from {forking.__name__} import at_fork"
        + """
import os, threading
said = []
at_fork(
    before=lambda: said.append("before"),
    after_in_parent=lambda: said.append("parent"),
    after_in_child=lambda: said.append("child"),
)
from korba.codegen.callable.compiled import Compiled
held = vars(Compiled)["program"]
lock = getattr(held, "lock", None)
stay, ready = threading.Event(), threading.Event()
def hold():
    if lock is not None:
        lock.acquire()
    ready.set()
    stay.wait()
threading.Thread(target=hold, daemon=True).start()
ready.wait()
child = os.fork()
if child == 0:
    free = lock is None or held.lock.acquire(timeout=1)
    os._exit(0 if said == ["before", "child"] and free else 1)
print(said, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "['before', 'parent'] 0\n"
