"""Install and uninstall the service."""

from pathlib import Path

import click

from dayline.cli.service.platform import Job, Platform, run_program, show, take
from dayline.cli.service.status import answering, settings_of
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.runtime.files import difference, keep_copy, read_if_there, write_whole


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
    return difference(platform.path, platform.text(there), platform.text(content))


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Invalid(f"cannot remove {path}: {error.strerror}") from error
