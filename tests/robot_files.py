"""The files of example-robot-data; tests that need them are skipped where it is not installed."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest


class Absent:
    """It is not there: whatever is asked of its folder skips the test, or the module, that asks."""

    def __getattr__(self, name):
        pytest.skip("example-robot-data is not installed", allow_module_level=True)

    def __truediv__(self, name):
        return self.name


try:
    ROBOTS = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share")))
except PackageNotFoundError:
    ROBOTS = Absent()
