"""All tests keep object code in a folder of their own and take fixed random examples."""

import os
import signal

import pytest
from hypothesis import settings

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Before NumPy is loaded: the suite has a process for each core, and threads of BLAS that wait for
each other on busy cores take several times the time of one."""
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell that runs us in the background has it ignored, by us and by all that we start."""


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """No test reads or writes the user's cache; processes that share the tests share theirs."""
    before = os.environ.get("KORBA_CACHE")
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
    folder.mkdir(exist_ok=True)
    os.environ["KORBA_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["KORBA_CACHE"]
    else:
        os.environ["KORBA_CACHE"] = before
