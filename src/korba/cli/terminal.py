"""The words of a terminal: verbs are commands, their arguments options, elements parts of a file.

What a command and its options are called is read off the commands themselves. What only Python has
is said to be there.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..wording import Python

COMMANDS = {"reactions": "forces", "driving_forces": "forces", "steady_cycle": "flywheel"}
COMMANDS |= {"read_urdf": "check", "read_sdf": "check"}
"""Commands of verbs that have another name; files are read by all in the same way."""
ELSEWHERE = {
    "read_urdf": "the ending .urdf",
    "read_sdf": "the ending .sdf",
    "read_mjcf": "the ending .xml",
    "write_mjcf": "the ending .xml",
    "redimension": "other [parameters] in the file",
    "Event": "--events",
}
"""What does at a terminal what a verb does in Python."""
VALUES: dict[tuple[str, str, object], str] = {
    ("simulate", "events", word): word for word in ("friction", "stops")
}
"""Parameters of commands that stand for one value of an argument."""


def quoted(file: str | Path) -> str:
    """A file as a word of a command that a reader may copy; what cannot be printed is a `?`."""
    name = "".join(letter if letter.isprintable() else "?" for letter in str(file))
    name = f".{os.sep}{name}" if name.startswith("-") else name
    return subprocess.list2cmdline([name]) if os.name == "nt" else shlex.quote(name)


class Terminal(Python):
    """Names `kb.motion` as `korba motion`, `friction=True` as `--friction`."""

    def __init__(self, commands: Mapping[str, Callable[[], Any]]) -> None:
        self.commands = commands

    def named(self, name: str) -> str:
        """The command, or where else it is to be had."""
        from ..files.schema import SECTIONS

        if name in ELSEWHERE:
            return ELSEWHERE[name]
        for section in SECTIONS:
            if name in {cls.__name__ for cls in section.types.values()}:
                return f"[[{section.key}]] in the file"
        command = COMMANDS.get(name, name.replace("_", "-"))
        known = command in self.commands
        return f"korba {command}" if known else f"{super().named(name)} in Python"

    def given(self, name: str, arguments: Mapping[str, object]) -> str:
        """The options, each with its value."""
        command = COMMANDS.get(name, name)
        made = self.commands[command]().params if command in self.commands else ()
        options = {each.name: each for each in made}
        names = {key: VALUES.get((command, key, x), key) for key, x in arguments.items()}
        if not options.keys() >= set(names.values()):
            return f"{super().given(name, arguments)} in Python"
        values = {k: ... if (command, k, x) in VALUES else x for k, x in arguments.items()}
        return " ".join(_option(options[names[key]], x) for key, x in values.items())


def _option(option: Any, value: object) -> str:
    """`--friction`, or `--times 1001`."""
    name = max(option.opts, key=len)
    if option.is_flag:
        return str(option.secondary_opts[0] if option.secondary_opts and not value else name)
    return f"{name} {'...' if value is ... else shlex.quote(str(value))}"
