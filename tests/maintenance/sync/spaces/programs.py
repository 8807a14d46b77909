"""Programs of the system that carry files between devices."""

import shutil
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest

from tests.support.waiting import PATIENCE_S


def needs(program: str) -> list[pytest.MarkDecorator]:
    """The marks of a module whose tests start this program."""
    reason = f"{program} is not installed: apt-get install {program}"
    return [pytest.mark.long, pytest.mark.skipif(shutil.which(program) is None, reason=reason)]


@contextmanager
def running(command: Sequence[str]) -> Generator["subprocess.Popen[bytes]"]:
    """A program that runs while the block does."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
