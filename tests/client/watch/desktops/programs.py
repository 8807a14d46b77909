"""Programs of the system that tests of desktop sessions need."""

import os
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import pytest


def needs(*programs: str) -> list[pytest.MarkDecorator]:
    """The marks of a module whose tests start these programs.

    Long: a program that is installed by the system may be slow, or may end on a busy machine.
    """
    missing = [name for name in programs if shutil.which(name) is None]
    reason = f"no desktop session can be started: {', '.join(missing)} not installed"
    return [pytest.mark.long, pytest.mark.skipif(bool(missing), reason=reason)]


@contextmanager
def x11_terminal(app: str, title: str, variables: Mapping[str, str]) -> Generator[None]:
    """A terminal that uses X11, in the session of these variables."""
    command = ["xterm", "-class", app, "-title", title, "-e", "sleep", "1000"]
    process = subprocess.Popen(command, env={**os.environ, **variables})
    try:
        yield
    finally:
        process.kill()
        process.wait()
