"""Runs the small programs of service managers, or tells only what would be run."""

import shlex
import subprocess
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

import click
from msgspec import Struct

from dayline.model.errors import Unavailable

if TYPE_CHECKING:
    from dayline.cli.service.platform import Step

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
