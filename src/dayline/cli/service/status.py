"""How the service is: what its manager says, what the server itself says, and the end of its log."""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click
from msgspec import Struct

from dayline.cli.admin.logs import log_file, readable_line
from dayline.cli.calls.running import readable_server
from dayline.cli.options.setting_flags import flags_from
from dayline.cli.options.settings import Settings, resolve
from dayline.cli.service.platform import Platform, State, run_program
from dayline.model.errors import DaylineError, Unavailable


class ServiceStatus(Struct, frozen=True, kw_only=True):
    """All that is told of the service. `url` is where its server answers now."""

    manager: str
    path: str
    is_installed: bool
    is_enabled: bool | None
    is_running: bool
    since: str | None
    process: int | None
    said: str | None
    url: str | None
    command: tuple[str, ...]
    database: str | None
    log: str | None
    lines: tuple[str, ...]


def status_of(platform: Platform, *, lines: int, is_testing: bool) -> ServiceStatus:
    """Ask the manager, the server and the log."""
    content = platform.path.read_bytes() if platform.path.exists() else None
    command = () if content is None else platform.command(content)
    try:
        settings = settings_of(command, is_testing=is_testing)
    except DaylineError:
        settings = None  # settings that are wrong keep the service from running, and its log says why
    log = None if settings is None else log_file(settings)
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
        said=state.said,
        url=url,
        command=command,
        database=None if settings is None else str(settings.database),
        log=None if log is None else str(log),
        lines=() if log is None else last_lines(log, lines),
    )


def show_status(found: ServiceStatus, *, is_json: bool) -> None:
    """Print it, for people or for programs."""
    if is_json:
        # Here, because the table printer beside it is needed by nobody else.
        from dayline.cli.screens.layout import print_json

        print_json(found)
        return
    if not found.is_installed:
        click.echo(f"The service is not installed: {found.path} does not exist.")
    else:
        _show_state(found)
    if found.url is not None:
        click.echo(f"server     answers at {found.url}{'' if found.is_running else ', started otherwise'}")
    if found.lines:
        click.echo(f"log        {found.log}")
        for line in found.lines:
            click.echo(f"  {readable_line(line)}")


def _show_state(found: ServiceStatus) -> None:
    enabled = {True: "starts with every login", False: "does not start by itself", None: "not known whether enabled"}
    click.secho("running" if found.is_running else "not running", fg="green" if found.is_running else "red", nl=False)
    click.echo(f", {enabled[found.is_enabled]} ({found.manager}{f': {found.said}' if found.said else ''})")
    if found.since is not None:
        click.echo(f"since      {found.since}{f', process {found.process}' if found.process else ''}")
    click.echo(f"file       {found.path}")
    if found.database is not None:
        click.echo(f"data       {found.database}")


def settings_of(command: Sequence[str], *, is_testing: bool) -> Settings:
    """What a server with this command line uses."""
    database, config, port = (_value(command, flag) for flag in ("--database", "--config", "--port"))
    values = {"port": int(port) if port is not None and port.isdecimal() else None, "database": database}
    is_testing = is_testing or "--testing" in command
    return resolve(flags_from(values, is_testing=is_testing, config=None if config is None else Path(config)))


def answering(settings: Settings) -> str | None:
    """Where a server of this database answers now."""
    try:
        server = readable_server(settings)
    except DaylineError:
        return None  # one that runs, and has another database open by now: its log says so
    return None if server is None else server.url


def last_lines(path: Path, count: int) -> tuple[str, ...]:
    """The end of a log; nothing where there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return tuple(line.rstrip("\n") for line in deque(file, maxlen=count))
    except OSError:
        return ()


def _state(platform: Platform) -> State:
    try:
        return platform.state(run_program)
    except Unavailable as error:
        return State(is_running=False, said=error.message)


def _value(command: Sequence[str], flag: str) -> str | None:
    return next((value for name, value in pairwise(command) if name == flag), None)
