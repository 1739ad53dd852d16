"""All tests keep object code in a folder of their own and take fixed random examples."""

import gc
import os
import signal

import pytest
from hypothesis import settings
from law_counts import ASKED
from selection import pytest_collection_modifyitems, pytest_runtest_protocol  # noqa: F401

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Before NumPy is loaded: the suite has a process for each core, and threads of BLAS that wait for
each other on busy cores take several times the time of one."""
os.environ["KORBA_OPTIMISE"] = "1" if ASKED else "0"
"""Numbers are compared here, not times: programs are run too seldom to be worth optimising. Tests
of machine code and `make laws` have it as users do."""
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell that runs us in the background has it ignored, by us and by all that we start."""


def pytest_collection_finish():
    """Libraries and tests, which stay, are not searched for garbage again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(request, tmp_path_factory):
    """No test reads or writes the user's cache: object code lies in pytest's, kept between runs.

    It is found again by its content and that of the sources that wrote it (`codegen/cache.py`), so
    a program is compiled once by all processes of all runs.
    """
    kept, own = getattr(request.config, "cache", None), tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = kept.mkdir("korba") if kept else shared / "cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KORBA_CACHE", str(folder))
        yield


@pytest.fixture(scope="module")
def optimised():
    """Programs as users have them: for tests in which the last digits of numbers matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KORBA_OPTIMISE", "1")
        yield
