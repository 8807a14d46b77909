"""The lock files of the project, read."""

import json
from pathlib import Path
from typing import Any, Final

from tests.support.project.tracked import ROOT, project_files

REQUIREMENTS: Final = sorted((ROOT / "requirements").glob("*.txt"))
PACKAGE_LOCKS: Final = [ROOT / file for file in project_files() if file.name == "package-lock.json"]


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
