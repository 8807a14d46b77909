"""What every service manager must do for us: jobs, running its tools, and its state."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import click
import msgspec
from click.core import ParameterSource
from msgspec import Struct

from dayline.model.errors import Unavailable

PATIENCE_S: Final = 120  # the server may have a long write-ahead log to take up before it is ready
PAUSE_S: Final = 0.5  # between two tries


class Ran(Struct, frozen=True, kw_only=True):
    """How a program ended, and what it said."""

    code: int
    output: str
    errors: str

    @property
    def said(self) -> str:
        """Its words: errors first, as one line."""
        return " ".join((self.errors.strip() or self.output.strip()).split())


Run: TypeAlias = Callable[[tuple[str, ...]], Ran]


def run_program(command: tuple[str, ...]) -> Ran:
    """Run a program to its end. Raises Unavailable where there is no such program, or it does not end."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise Unavailable(f"there is no program {command[0]!r} here") from error
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{shlex.join(command)} has not ended within {PATIENCE_S} seconds") from error
    except OSError as error:
        raise Unavailable(f"{command[0]!r} cannot be run: {error.strerror}") from error
    return Ran(code=done.returncode, output=done.stdout, errors=done.stderr)


def take(steps: Iterable["Step"], run: Run, *, hint: str) -> None:
    """Take the steps one after another. Raises Unavailable with the words of the one that failed."""
    for step in steps:
        deadline = time.monotonic() + step.patience_s
        while (ran := run(step.command)).code != 0 and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
        if ran.code != 0 and not step.may_fail:
            raise Unavailable(f"{shlex.join(step.command)} failed: {ran.said or f'exit status {ran.code}'}", hint=hint)


def show(steps: Iterable["Step"]) -> None:
    """Tell what would be run."""
    for step in steps:
        click.echo(f"would run: {shlex.join(step.command)}")


# What every service manager has to be able to do for us, and what is told of a service.


DESCRIPTION: Final = "Dayline, a local-first server for activity data"
# It waits ten seconds for requests under way.
STOP_S: Final = 30


class Job(Struct, frozen=True, kw_only=True):
    """What is to be run: the whole command line, and variables besides those that the manager gives."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = {}


class Step(Struct, frozen=True, kw_only=True):
    """A program to run. One that `may_fail` mends a state that need not be there.

    One with `patience_s` is tried again for so long: what was told to end may still be in its way.
    """

    command: tuple[str, ...]
    may_fail: bool = False
    patience_s: float = 0


class State(Struct, frozen=True, kw_only=True):
    """What the manager says of the service; None where it does not tell."""

    is_enabled: bool | None = None
    is_running: bool | None = None
    since: str | None = None
    process: int | None = None
    said: str | None = None


class Platform(Protocol):
    """A service manager."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        ...

    @property
    def path(self) -> Path:
        """The file that the manager reads."""
        ...

    def content(self, job: Job) -> bytes:
        """The file's content for a job."""
        ...

    def text(self, content: bytes) -> str:
        """The content as people read it."""
        ...

    def command(self, content: bytes) -> tuple[str, ...]:
        """The command line that a file has; empty where none can be found in it."""
        ...

    def check(self, run: Run) -> None:
        """Raises Unavailable where the manager is not there for this user."""
        ...

    def install(self, *, is_changed: bool) -> list[Step]:
        """What makes the manager take the written file, start the service, and start it at every login."""
        ...

    def remove(self) -> list[Step]:
        """What ends the service, before the file goes."""
        ...

    def forget(self) -> list[Step]:
        """What is to be done when the file is gone."""
        ...

    def state(self, run: Run) -> State:
        """How the service is."""
        ...

    def hint(self) -> str | None:
        """What somebody who has just installed it should know."""
        ...


# Which command line the service has: the program that runs now, and what was chosen for the server.


# A service gets none of the shell's variables; these decide where data and settings are.
_PLACES: Final = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
_GIVEN: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def job_of(arguments: Sequence[str], *, is_windows: bool) -> Job:
    """The job of `dayline serve` with these arguments, and with what the environment says besides.

    The server's own parser reads both, so that what it would refuse is refused now. Variables become arguments: they
    count for the service as they do for this command.
    """
    # Here, because the other commands of the service need none of it.
    from dayline.cli.serve.serve import serve

    with serve.make_context("serve", list(arguments)) as context:
        chosen = [
            word
            for parameter in serve.params
            if context.get_parameter_source(parameter.name) in _GIVEN
            for word in _words(parameter, context.params[parameter.name])
        ]
    places = {} if is_windows else {name: os.environ[name] for name in _PLACES if os.environ.get(name)}
    return Job(command=(*program(is_windows=is_windows), "serve", *chosen), environment=places)


def _words(parameter: click.Parameter, value: object) -> list[str]:
    flag = parameter.opts[-1]
    if isinstance(value, bool):
        return [flag] if value else []
    if parameter.multiple:
        values = msgspec.convert(value, list[str])
    else:
        values = [str(value.absolute() if isinstance(value, Path) else value)]
    return [word for each in values for word in (flag, each)]


def program(*, is_windows: bool) -> tuple[str, ...]:
    """The words that start this very program again."""
    called = Path(sys.argv[0])
    if called.stem == "dayline" and not is_windows:
        found = shutil.which(sys.argv[0])
        if found is not None:
            return (str(Path(found).absolute()),)
    # With this Python rather than any other. Windows shows no empty window for the one whose name ends in w.
    windowless = Path(sys.executable).with_name("pythonw.exe")
    return (str(windowless if windowless.exists() else sys.executable), "-m", "dayline")
