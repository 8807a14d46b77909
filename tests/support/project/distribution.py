"""Dayline as its users get it: built, and installed without tools and without Node."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from tests.support.project.files import ROOT, requirements
from tests.support.waiting import PATIENCE_S

RUNTIME: Final = ROOT / "requirements" / "runtime.txt"


def built(source: Path, target: Path) -> dict[str, Path]:
    """Build the wheel and the source archive of the tree in `source`; the files by their suffix, `.whl` and `.gz`."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(target), folder=source)
    return {file.suffix: file for file in target.iterdir()}


def environment_with(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and the locked packages that it runs on; its `bin` folder.

    The packages are links to those of the tests, which have the same versions: nothing is downloaded.
    """
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    [packages] = folder.glob("lib/python*/site-packages")
    for name in runtime_packages():
        for top in {file.parts[0] for file in distribution(name).files or []} - {"..", "__pycache__"}:
            (packages / top).symlink_to(str(distribution(name).locate_file(top)))
    python = folder / "bin" / "python"
    pip = ["-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    run(sys.executable, *pip, "--no-deps", "--no-index", str(wheel))
    return folder / "bin"


def runtime_packages() -> list[str]:
    """The names of the packages that the lock file requires on this platform."""
    locked = [Requirement(line.partition(" --hash")[0]) for line in requirements(RUNTIME)]
    return [one.name for one in locked if one.marker is None or one.marker.evaluate()]


def environment_variables(bin_folder: Path, home: Path) -> dict[str, str]:
    """The variables of a user who has nothing but that environment: no Node, and no module from elsewhere."""
    return {"PATH": str(bin_folder), "PYTHONPATH": "", "HOME": str(home)}


def run(*command: str, folder: Path = ROOT) -> str:
    """Run a command, which has to succeed; what it prints."""
    variables = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copied_page(folder: Path) -> Path:
    """The sources of the web UI in another folder, with the same Node packages."""
    webui = ROOT / "webui"
    shutil.copytree(webui, folder, ignore=shutil.ignore_patterns("node_modules", "e2e", "*.test.ts"))
    (folder / "node_modules").symlink_to(webui / "node_modules")
    return folder
