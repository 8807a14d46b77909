"""Which command line the service has: the program that runs now, and what was chosen for the server."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from click.core import ParameterSource

from dayline.cli.service.platform import Job

# A service gets none of the shell's variables; these decide where data and settings are.
_PLACES: Final = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
_GIVEN: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def job_of(arguments: Sequence[str], *, is_windows: bool) -> Job:
    """The job of `dayline serve` with these arguments, and with what the environment says besides.

    The server's own parser reads both, so that what it would refuse is refused now. Variables become arguments: they
    count for the service as they do for this command.
    """
    # Here, because the other commands of the service need none of it.
    from dayline.cli.serve import serve

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
