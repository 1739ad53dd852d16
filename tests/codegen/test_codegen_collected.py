"""Compiled functions can be collected at any time: nothing points into memory that is gone."""

import os
import subprocess
import sys

SCRIPT = """
import gc
import numpy as np
from korba.codegen import compile_program, trace
for k in range(40):
    f = compile_program(trace(lambda q: np.sin(q) * (1.0 + k % 3), {"q": 2}))
    f(np.zeros(2))
    del f
    if k % 3 == 0:
        gc.collect()
gc.collect()
print("alive")
"""


def test_collected_functions_leave_no_dangling_pointers():
    """Under an allocator that overwrites what is freed, forty of them come and go."""
    strict = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "2"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **strict},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr
