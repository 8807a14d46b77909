"""The status of the service, from its manager, the server and its log."""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click
from msgspec import Struct

from dayline.cli.options.setting_flags import flags_from
from dayline.cli.options.settings import Settings, resolve
from dayline.cli.screens.layout import print_json
from dayline.cli.service.platform import Platform, State, run_program
from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import DaylineError, Unavailable


class ServiceStatus(Struct, frozen=True, kw_only=True):
    """The status of the service. `url` is the address at which its server answers."""

    manager: str
    path: str
    is_installed: bool
    is_enabled: bool | None
    is_running: bool
    since: str | None
    process: int | None
    message: str | None
    url: str | None
    command: tuple[str, ...]
    database: str | None
    log: str | None
    lines: tuple[str, ...]


def status_of(platform: Platform, *, lines: int, is_testing: bool) -> ServiceStatus:
    """Query the manager, the server and the log."""
    content = platform.path.read_bytes() if platform.path.exists() else None
    command = () if content is None else platform.command(content)
    try:
        settings = settings_of(command, is_testing=is_testing)
    except DaylineError:
        settings = None  # invalid settings prevent the start; the log has the reason
    log = None if settings is None else data_file(settings.database, DataFile.LOG)
    url = None if settings is None else answering(settings)
    state = _state(platform)
    is_running = state.is_running if state.is_running is not None else content is not None and url is not None
    return ServiceStatus(
        manager=platform.title,
        path=str(platform.path),
        is_installed=content is not None,
        is_enabled=state.is_enabled,
        is_running=is_running,
        since=state.since if is_running else None,
        process=state.process,
        message=state.message,
        url=url,
        command=command,
        database=None if settings is None else str(settings.database),
        log=None if log is None else str(log),
        lines=() if log is None else last_lines(log, lines),
    )


def show_status(state: ServiceStatus, *, is_json: bool) -> None:
    """Print the status."""
    if is_json:
        print_json(state)
        return
    if not state.is_installed:
        click.echo(f"The service is not installed: {state.path} does not exist.")
    else:
        _show_state(state)
    if state.url is not None:
        click.echo(f"server     answers at {state.url}{'' if state.is_running else ', not started by the service'}")
    if state.lines:
        from dayline.cli.admin.logs import readable_line  # loaded by `status_of`

        click.echo(f"log        {state.log}")
        for line in state.lines:
            click.echo(f"  {readable_line(line)}")


def _show_state(state: ServiceStatus) -> None:
    enabled = {True: "starts at login", False: "does not start automatically", None: "not known whether enabled"}
    click.secho("running" if state.is_running else "not running", fg="green" if state.is_running else "red", nl=False)
    click.echo(f", {enabled[state.is_enabled]} ({state.manager}{f': {state.message}' if state.message else ''})")
    if state.since is not None:
        click.echo(f"since      {state.since}{f', process {state.process}' if state.process else ''}")
    click.echo(f"file       {state.path}")
    if state.database is not None:
        click.echo(f"data       {state.database}")


def settings_of(command: Sequence[str], *, is_testing: bool) -> Settings:
    """The settings of a server with this command line."""
    database, config, port = (_value(command, flag) for flag in ("--database", "--config", "--port"))
    values = {"port": int(port) if port is not None and port.isdecimal() else None, "database": database}
    is_testing = is_testing or "--testing" in command
    return resolve(flags_from(values, is_testing=is_testing, config=None if config is None else Path(config)))


def answering(settings: Settings) -> str | None:
    """The address of the running server of this database; None if none answers."""
    from dayline.cli.calls.running import readable_server  # here, because `--help` starts faster without it

    try:
        server = readable_server(settings)
    except DaylineError:
        return None  # it runs and uses another database by now; its log has the reason
    return None if server is None else server.url


def last_lines(path: Path, count: int) -> tuple[str, ...]:
    """The last lines of a log; empty if there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return tuple(line.rstrip("\n") for line in deque(file, maxlen=count))
    except OSError:
        return ()


def _state(platform: Platform) -> State:
    try:
        return platform.state(run_program)
    except Unavailable as error:
        return State(is_running=False, message=error.message)


def _value(command: Sequence[str], flag: str) -> str | None:
    return next((value for name, value in pairwise(command) if name == flag), None)
