"""The interface of service managers: jobs, steps, and the state of a service."""

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

PATIENCE_S: Final = 120  # the server may have to recover a long write-ahead log first
PAUSE_S: Final = 0.5  # between two attempts

DESCRIPTION: Final = "Dayline, a local-first server for activity data"
# The server waits ten seconds for running requests.
STOP_S: Final = 30

# A service does not get the variables of the shell; these select the folders of data and settings.
_PLACES: Final = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
_GIVEN: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


class Ran(Struct, frozen=True, kw_only=True):
    """The exit status and output of a program."""

    code: int
    output: str
    errors: str

    @property
    def message(self) -> str:
        """Its output as one line, errors first."""
        return " ".join((self.errors.strip() or self.output.strip()).split())


Run: TypeAlias = Callable[[tuple[str, ...]], Ran]


class Job(Struct, frozen=True, kw_only=True):
    """The command line to run, and its additional environment variables."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = {}


class Step(Struct, frozen=True, kw_only=True):
    """A program to run. A step that `may_fail` cleans up a state that may not exist.

    A step with `patience_s` is repeated for that long, because the stopped service may still be ending.
    """

    command: tuple[str, ...]
    may_fail: bool = False
    patience_s: float = 0


class State(Struct, frozen=True, kw_only=True):
    """The state that the manager reports; None if it does not report it."""

    is_enabled: bool | None = None
    is_running: bool | None = None
    since: str | None = None
    process: int | None = None
    message: str | None = None


class Platform(Protocol):
    """A service manager."""

    @property
    def title(self) -> str:
        """Its name in messages."""
        ...

    @property
    def path(self) -> Path:
        """The file that the manager reads."""
        ...

    def content(self, job: Job) -> bytes:
        """The file's content for a job."""
        ...

    def text(self, content: bytes) -> str:
        """The content as text."""
        ...

    def command(self, content: bytes) -> tuple[str, ...]:
        """The command line in a file; empty if there is none."""
        ...

    def check(self, run: Run) -> None:
        """Raise Unavailable if the manager does not work for this user."""
        ...

    def install(self, *, is_changed: bool) -> list[Step]:
        """The steps that load the file, start the service, and enable it at login."""
        ...

    def remove(self) -> list[Step]:
        """The steps that stop the service, before its file is removed."""
        ...

    def forget(self) -> list[Step]:
        """The steps after the file was removed."""
        ...

    def state(self, run: Run) -> State:
        """The state of the service."""
        ...

    def hint(self) -> str | None:
        """A note to print after the installation."""
        ...


def run_program(command: tuple[str, ...]) -> Ran:
    """Run a program and wait for it. Raises Unavailable if it does not exist or does not end."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise Unavailable(f"there is no program {command[0]!r}") from error
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{shlex.join(command)} did not end within {PATIENCE_S} seconds") from error
    except OSError as error:
        raise Unavailable(f"{command[0]!r} cannot be run: {error.strerror}") from error
    return Ran(code=done.returncode, output=done.stdout, errors=done.stderr)


def take(steps: Iterable["Step"], run: Run, *, hint: str) -> None:
    """Run the steps in order. Raises Unavailable with the output of the one that failed."""
    for step in steps:
        deadline = time.monotonic() + step.patience_s
        while (ran := run(step.command)).code != 0 and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
        if ran.code != 0 and not step.may_fail:
            raise Unavailable(
                f"{shlex.join(step.command)} failed: {ran.message or f'exit status {ran.code}'}", hint=hint
            )


def show(steps: Iterable["Step"]) -> None:
    """Print the commands that would be run."""
    for step in steps:
        click.echo(f"would run: {shlex.join(step.command)}")


def job_of(arguments: Sequence[str], *, is_windows: bool) -> Job:
    """The job of `dayline serve` with these arguments and the DAYLINE_ variables of the environment.

    The server's own parser reads both, so that what it would refuse is refused now. Variables become arguments: they
    count for the service as they do for this command.
    """
    # Here, because the other commands do not need it.
    from dayline.cli.serve.serve import serve

    with serve.make_context("serve", list(arguments)) as context:
        chosen = [
            word
            for parameter in serve.params
            if context.get_parameter_source(parameter.name) in _GIVEN
            for word in _words(parameter, context.params[parameter.name])
        ]
    variables = {} if is_windows else {name: os.environ[name] for name in _PLACES if os.environ.get(name)}
    return Job(command=(*program(is_windows=is_windows), "serve", *chosen), environment=variables)


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
    """The command that starts this program."""
    called = Path(sys.argv[0])
    if called.stem == "dayline" and not is_windows:
        path = shutil.which(sys.argv[0])
        if path is not None:
            return (str(Path(path).absolute()),)
    # With this Python. On Windows the one whose name ends in w opens no window.
    windowless = Path(sys.executable).with_name("pythonw.exe")
    return (str(windowless if windowless.exists() else sys.executable), "-m", "dayline")
