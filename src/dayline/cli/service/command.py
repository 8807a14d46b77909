"""`dayline service`: the server as a service of the user, which starts at login."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Final

import click

from dayline.cli.groups import Group
from dayline.cli.options.options import as_json
from dayline.cli.output_files import keep_copy, read_if_there, write_whole
from dayline.cli.screens.layout import print_json
from dayline.cli.service.platform import Job, Platform, job_of, run_program, show, take
from dayline.cli.service.status import answering, settings_of, show_status, status_of
from dayline.model.errors import Invalid, NotFound, Unavailable

EXAMPLES = """\b
Examples:
  dayline service install
  dayline service
  dayline service uninstall
"""
INSTALL_EXAMPLES = """\b
Examples:
  dayline service install --dry-run                  show what it would write and run
  dayline service install --port 5700 --database ~/days.db
  dayline service install --print > dayline.service  print the file only
"""
SYSTEMD: Final = "systemd"
LAUNCHD: Final = "launchd"
TASK_SCHEDULER: Final = "task-scheduler"

_manager = click.option(
    "--manager",
    type=click.Choice([SYSTEMD, LAUNCHD, TASK_SCHEDULER]),
    help="Service manager. [default: the one of this system]",
)
_testing = click.option("--testing", is_flag=True, envvar="DAYLINE_TESTING", help="The service of testing mode.")


@click.group(cls=Group, default="status", epilog=EXAMPLES)
def service() -> None:
    """Install, uninstall or check the background service.

    It starts the server when you log in: systemd on Linux, launchd on macOS, Task Scheduler on Windows. It runs as your
    user and needs no administrator.
    """


@service.command(epilog=INSTALL_EXAMPLES)
@click.option("--host", help="As for dayline serve.")
@click.option("--port", type=int, help="As for dayline serve.")
@click.option("--database", type=click.Path(path_type=Path, dir_okay=False), help="As for dayline serve.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="As for dayline serve.")
@_testing
@click.option("--dry-run", is_flag=True, help="Show what would be written and run, and change nothing.")
@click.option(
    "--print", "is_printed_only", is_flag=True, help="Print the file of the service manager, and change nothing."
)
@click.option("--force", is_flag=True, help="Do not copy an existing file first.")
@_manager
@as_json
def install(
    host: str | None,
    port: int | None,
    database: Path | None,
    config: Path | None,
    testing: bool,
    dry_run: bool,
    is_printed_only: bool,
    force: bool,
    manager: str | None,
    is_json: bool,
) -> None:
    """Install and start the service.

    Options that you leave out come from variables such as DAYLINE_PORT, which become part of the service, and from the
    settings file, which the service reads at every start. Run it again to update the service: it shows the difference
    to the existing file and keeps a copy.
    """
    given = {"--host": host, "--port": port, "--database": database, "--config": config}
    arguments = [word for flag, value in given.items() if value is not None for word in (flag, str(value))]
    platform = platform_of(manager, is_testing=testing)
    job = job_of(arguments + ["--testing"] * testing, is_windows=_is_windows(manager))
    content = platform.content(job)
    if is_printed_only:
        # The exact bytes into a file, text on a terminal.
        click.echo(platform.text(content) if sys.stdout.isatty() else content, nl=False)
        return
    with _as_json(platform, dry_run=dry_run) if is_json else nullcontext():
        if dry_run:
            rehearse(platform, content)
        else:
            install_service(platform, job, content, keeps_copy=not force)


@service.command(epilog="\b\nExample:\n  dayline service uninstall")
@_testing
@click.option("--dry-run", is_flag=True, help="Show what would be run and removed, and change nothing.")
@_manager
@as_json
def uninstall(testing: bool, dry_run: bool, manager: str | None, is_json: bool) -> None:
    """Stop and uninstall the service. Your data stays."""
    platform = platform_of(manager, is_testing=testing)
    with _as_json(platform, dry_run=dry_run) if is_json else nullcontext():
        remove_service(platform, dry_run=dry_run)


@contextmanager
def _as_json(platform: Platform, *, dry_run: bool) -> Generator[None]:
    """Print a change of the service as JSON, and what it prints otherwise to standard error."""
    with redirect_stdout(sys.stderr):
        yield
    print_json({"file": str(platform.path), "dry_run": dry_run})


@service.command(epilog="\b\nExamples:\n  dayline service\n  dayline service status --lines 50")
@_testing
@_manager
@click.option("--lines", "-n", type=click.IntRange(0, 1000), default=10, show_default=True, help="Lines of the log.")
@as_json
def status(testing: bool, manager: str | None, lines: int, is_json: bool) -> None:
    """Show whether the service runs, and its latest log lines.

    Exits with 1 if it does not run.
    """
    state = status_of(platform_of(manager, is_testing=testing), lines=lines, is_testing=testing)
    show_status(state, is_json=is_json)
    if not state.is_running:
        sys.exit(1)


def platform_of(manager: str | None, *, is_testing: bool) -> Platform:
    """The service manager with a name, or the one of this system."""
    name = "dayline-testing" if is_testing else "dayline"
    return _maker(manager or _usual())(name)


def _maker(manager: str) -> Callable[[str], Platform]:
    if manager == SYSTEMD:
        from dayline.cli.service.systemd import systemd

        return systemd
    if manager == LAUNCHD:
        from dayline.cli.service.launchd import launchd

        return launchd
    from dayline.cli.service.task_scheduler import task_scheduler

    return task_scheduler


def _usual() -> str:
    if sys.platform == "darwin":
        return LAUNCHD
    if sys.platform == "win32":
        return TASK_SCHEDULER
    if sys.platform.startswith("linux"):
        return SYSTEMD
    raise Unavailable(
        f"no service manager is supported on {sys.platform}", hint="start `dayline serve` with the tools of your system"
    )


def _is_windows(manager: str | None) -> bool:
    return (manager or _usual()) == TASK_SCHEDULER


def rehearse(platform: Platform, content: bytes) -> None:
    """Print what an installation would change."""
    there = read_if_there(platform.path)
    if there == content:
        click.echo(f"{platform.path} is up to date")
    elif there is None:
        click.echo(f"would write {platform.path}:\n")
        click.echo(platform.text(content))
    else:
        click.echo(f"would change {platform.path}, and keep a copy of it:\n")
        click.echo(_difference(platform, there, content))
    show(platform.install(is_changed=there not in (None, content)))


def install_service(platform: Platform, job: Job, content: bytes, *, keeps_copy: bool) -> None:
    """Write the file and start the service."""
    platform.check(run_program)
    _refuse_two_servers(platform, job)
    there = read_if_there(platform.path)
    is_changed = there not in (None, content)
    if there is not None and is_changed and keeps_copy:
        click.echo(_difference(platform, there, content), err=True)
        click.echo(f"Copied the previous file to {keep_copy(platform.path)}.", err=True)
    if there != content:
        write_whole(platform.path, content)
        click.echo(f"Wrote {platform.path}.", err=True)
    take(platform.install(is_changed=is_changed), run_program, hint="dayline service status shows its log")
    click.echo("Dayline is running, and starts at every login. To check it: dayline service status", err=True)
    hint = platform.hint()
    if hint is not None:
        click.echo(hint, err=True)


def remove_service(platform: Platform, *, dry_run: bool) -> None:
    """Stop the service, and remove its file."""
    if read_if_there(platform.path) is None:
        raise NotFound(
            f"there is no service: {platform.path} does not exist", hint="dayline service install creates one"
        )
    if dry_run:
        show(platform.remove())
        click.echo(f"would remove {platform.path}")
        show(platform.forget())
        return
    platform.check(run_program)
    take(platform.remove(), run_program, hint="dayline service status shows its state")
    _unlink(platform.path)
    take(platform.forget(), run_program, hint="the service itself was removed")
    click.echo(f"Removed {platform.path}: Dayline no longer starts at login. Your data was not changed.", err=True)


def _refuse_two_servers(platform: Platform, job: Job) -> None:
    """Raise Unavailable if a server that was started by hand uses the database: the service would fail to start."""
    settings = settings_of(job.command, is_testing=False)
    url = answering(settings)
    if url is not None and platform.state(run_program).is_running is False:
        raise Unavailable(
            f"a server that is not the service uses {settings.database.name}, at {url}",
            hint="stop it, then install the service",
        )


def _difference(platform: Platform, there: bytes, content: bytes) -> str:
    """The changes of the file in the format of `diff -u`."""
    from difflib import unified_diff  # here, because `--help` starts faster without it

    old, new = (platform.text(text).splitlines(keepends=True) for text in (there, content))
    lines = unified_diff(old, new, fromfile=f"{platform.path} (there)", tofile=f"{platform.path} (new)")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Invalid(f"cannot remove {path}: {error.strerror}") from error
