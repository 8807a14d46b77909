"""The files of the project: what git keeps, what it would keep if it were added now, and the lock files."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[3]


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is not ignored, relative to the root, in order of name: those at the first call."""
    # The checkout may belong to another user.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {Path(name) for name in listing.split("\0") if name}
    return tuple(sorted(file for file in files if (ROOT / file).is_file()))


REQUIREMENTS: Final = sorted((ROOT / "requirements").glob("*.txt"))


def package_locks() -> list[Path]:
    return [ROOT / file for file in project_files() if file.name == "package-lock.json"]


def requirements(file: Path) -> list[str]:
    """The requirements of a file, each with its hashes on one line."""
    return file.read_text(encoding="utf-8").replace("\\\n", "").splitlines()


def versions(file: Path) -> dict[str, str]:
    """The version of each package that a file requires."""
    return dict(line.split()[0].split("==") for line in requirements(file))


def packages(file: Path) -> dict[str, dict[str, Any]]:
    """The packages of a package-lock file by their place in node_modules, without the project itself."""
    entries: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["packages"]
    return {place: entry for place, entry in entries.items() if place}
