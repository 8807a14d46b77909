"""Finds the Pythons on this computer that can run Dayline: `python3 scripts/pythons.py`.

Prints the version and the path of each, the oldest first. With `--test`, runs the short set of tests on the newest
release of each minor version but that of the current environment. Needs nothing but the standard library.
"""

import argparse
import os
import pwd
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MINIMUM: Final = (3, 11)
ROOT: Final = Path(__file__).resolve().parents[1]
SHORT_SET: Final = "tests/cli/serve/test_short_set.py"
# Where Pythons are that are not on the PATH: of pyenv, of uv, and those that were built from source.
_FOLDERS: Final = (
    "/usr/bin",
    "/usr/local/bin",
    "~/.pyenv/versions/*/bin",
    "~/.local/share/uv/python/*/bin",
    "/opt/*/bin",
)
_NAME: Final = re.compile(r"python3(\.\d+)?")
# A Python that cannot make environments is of no use; an environment is not a Python of its own.
_ASK: Final = (
    "import sys, venv, ensurepip; print(*sys.version_info[:3]) if sys.prefix == sys.base_prefix else sys.exit(1)"
)
_ANSWER_S: Final = 10

Version = tuple[int, ...]


def pythons() -> dict[Version, str]:
    """The paths of all that are recent enough, by version, the oldest first."""
    found: dict[Version, str] = {}
    for path in _candidates():
        version = _version_of(path)
        if version >= MINIMUM:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def _candidates() -> Iterator[str]:
    folders = [Path(name) for name in os.environ.get("PATH", "").split(os.pathsep) if name]
    home = pwd.getpwuid(os.getuid()).pw_dir  # tests may set HOME to an empty folder
    for pattern in _FOLDERS:
        start = Path(pattern.replace("~", home))
        folders += sorted(Path(start.anchor).glob(str(start.relative_to(start.anchor))))
    seen: set[str] = set()
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
        except OSError:
            continue
        for path in (folder / name for name in names):
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                yield str(path)


def _version_of(path: str) -> Version:
    """The version; empty if it does not start or cannot make environments."""
    try:
        done = subprocess.run([path, "-I", "-c", _ASK], capture_output=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()


def others(current: Version) -> list[str]:
    """The newest release of each other minor version."""
    newest = {version[:2]: path for version, path in pythons().items()}
    return [path for minor, path in newest.items() if minor != current[:2]]


def run_short_set(python: str) -> None:
    """Install what Dayline needs into an environment of its own, and run the short set there."""
    minor = ".".join(map(str, _version_of(python)[:2]))
    environment = f"build/python{minor}"
    print(f"Short set on Python {minor} ({python})", flush=True)
    (ROOT / "build").mkdir(exist_ok=True)
    install = ["make", "--silent", f"ENV={environment}", f"PYTHON={python}", f"{environment}/.dayline-installed"]
    subprocess.run(install, cwd=ROOT, check=True)
    test = [sys.executable, "-m", "pytest", "--quiet", SHORT_SET]
    variables = {**os.environ, "DAYLINE_TEST_PYTHON": str(ROOT / environment / "bin" / "python")}
    subprocess.run(test, cwd=ROOT, env=variables, check=True)


def main() -> None:
    """List them, or test them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", action="store_true", help="run the short set of tests on all others")
    if parser.parse_args().test:
        for path in others(tuple(sys.version_info[:3])):
            run_short_set(path)
    else:
        for version, path in pythons().items():
            print(".".join(map(str, version)), path)


if __name__ == "__main__":
    main()
