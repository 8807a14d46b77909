"""The files of the project: what git keeps, and what it would keep if it were added now."""

import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]


def project_files() -> list[Path]:
    """Every file that is not ignored, relative to the root, in order of name."""
    # The checkout may belong to another user.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {Path(name) for name in listing.split("\0") if name}
    return sorted(file for file in files if (ROOT / file).is_file())
