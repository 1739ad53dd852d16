"""The workflows of .github, linted: the schema of workflows, and what is known to be unsafe.

`check-jsonschema` brings the schemas of workflows, of Dependabot and of CITATION.cff with it, and
`zizmor` looks for actions that are not pinned, rights that are too wide, text that is run. Neither
asks the network for anything.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from jobs.environment import ROOT

FORGE = ROOT / ".github"
SCHEMAS = {
    "vendor.github-workflows": sorted((FORGE / "workflows").glob("*.yml")),
    "vendor.dependabot": [FORGE / "dependabot.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def main() -> int:
    """The number of linters that found something."""
    own = Path(sys.executable).parent
    commands: list[list[object]] = [
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
        for schema, files in SCHEMAS.items()
    ]
    commands.append([own / "zizmor", "--offline", "--no-progress", FORGE])
    return sum(subprocess.run([*map(str, c)], check=False).returncode != 0 for c in commands)


if __name__ == "__main__":
    sys.exit(main())
