"""`dayline sync`: several devices that have each other's buckets."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click
import msgspec

from dayline.cli.calls.call import path_with
from dayline.cli.calls.local import local_server, reading_server, shows, storing_server
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.groups import Group
from dayline.cli.options.options import as_json, confirm, on_database, yes_option
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import InputFile
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.layout import print_json
from dayline.client.key_file import read_key_file
from dayline.maintenance.sources.report import SourceDevice, SourceList, SourceReport
from dayline.maintenance.sync.report import Adoption, DeviceReport, PassReport, Recovered, SyncPreview, SyncStatus
from dayline.maintenance.sync.spaces.views import THIS_SERVER
from dayline.runtime.text import format_size, quantity

EXAMPLES = """\b
Examples:
  dayline sync start ~/Sync/dayline
  dayline sync join ~/Sync/dayline
  dayline sync
"""
START_EXAMPLES = """\b
Examples:
  dayline sync start ~/Sync/dayline
  dayline sync start https://diary:5600 --server-key-file diary.key
"""
JOIN_EXAMPLES = """\b
Examples:
  dayline sync join ~/Sync/dayline
  dayline sync join ~/Sync/dayline --invite-file invite.txt --yes
"""
LEAVE_EXAMPLES = """\b
Examples:
  dayline sync leave
  dayline sync leave --keep-mirrors --yes
  dayline sync leave --new-identity
"""
SOURCE_EXAMPLES = """\b
Examples:
  dayline sync source ~/ActivityWatchSync
  dayline sync source
  dayline sync source ~/ActivityWatchSync --remove
"""
_SOURCES: Final = "/api/1/sync/sources"
ADOPT_EXAMPLES = """\b
Examples:
  dayline sync adopt laptop
  dayline sync adopt laptop --yes
"""
REMOVE_EXAMPLES = """\b
Examples:
  dayline sync remove laptop
  dayline sync remove laptop --delete-mirrors --yes
"""
_PROMPTS = {"http": "Server key", "https": "Server key", "webdav+http": "Password", "webdav+https": "Password"}


class _Location(click.Path):
    """A folder, as an absolute path; the address of a server; or this-server."""

    name = "location"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == THIS_SERVER or "://" in value:
            return str(value)
        return str(super().convert(value, param, ctx))


def _access_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that uses the server at a location."""
    options = (
        click.option(
            "--server-key-file", type=InputFile(),
            help="File with the server's key (scope sync) or password. [default: asks for it]",
        ),
        click.option(
            "--fingerprint", metavar="SHA256",
            help="Fingerprint of the server's certificate: `dayline tls show` prints it there.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


_LOCATION = _Location(path_type=Path, file_okay=False, resolve_path=True)


def _space(location: str, server_key_file: Path | None, fingerprint: str | None) -> dict[str, str | None]:
    """The body with a location and the key of its server, which is asked for without echo."""
    key = None if server_key_file is None else read_key_file(server_key_file)
    prompt = _PROMPTS.get(location.partition("://")[0])
    if key is None and prompt is not None and sys.stdin.isatty():
        key = click.prompt(prompt, hide_input=True, err=True, default="", show_default=False).strip() or None
    return {"location": location, "server_key": key, "fingerprint": fingerprint}


@click.group(cls=Group, default="status", epilog=EXAMPLES)
def sync() -> None:
    """Sync the buckets of all your devices.

    Each device has those of all others, also offline. They exchange encrypted files through a Dayline server, or
    through a folder that another program copies, such as Syncthing or Dropbox.
    """


@sync.command(epilog=START_EXAMPLES)
@click.argument("location", type=_LOCATION)
@_access_options
@as_json
@on_database
def start(
    settings: Settings, location: str, server_key_file: Path | None, fingerprint: str | None, is_json: bool
) -> None:
    """Start syncing through LOCATION.

    LOCATION is a folder, which is created if it is missing; the address of a Dayline server, for which it asks for a
    key with scope sync; webdav+https://user@host/path; or this-server, for the files that the server of this database
    stores for others. Prints the invite for your other devices. Run it again if the folder was emptied, or to enter
    another key.
    """
    body = _space(location, server_key_file, fingerprint)
    with storing_server(settings) as server:
        answer: Any = server.call("POST", "/api/1/sync/start", body)
    _print_invite(answer, is_json=is_json)


@sync.command(epilog=JOIN_EXAMPLES)
@click.argument("location", type=_LOCATION)
@_access_options
@click.option(
    "--invite-file", type=click.File("r", encoding="utf-8"), help="File with the invite, or - for standard input."
)
@yes_option
@as_json
@on_database
def join(
    settings: Settings,
    location: str,
    server_key_file: Path | None,
    fingerprint: str | None,
    invite_file: Any,
    yes: bool,
    is_json: bool,
) -> None:
    """Join the devices that sync through LOCATION.

    Asks for the invite, which `dayline sync start` or `dayline sync invite` prints on one of them.
    """
    space = _space(location, server_key_file, fingerprint)
    if invite_file is None:
        text: str = click.prompt("Invite", hide_input=True, err=True)
    else:
        text = invite_file.read()
    body = space | {"invite": text.strip()}
    with storing_server(settings) as server:
        preview = msgspec.convert(server.call("POST", "/api/1/sync/preview", body), SyncPreview)
        if not yes:
            for device in preview.devices:
                click.echo(f"{device.name}: {_amount(device)}.", err=True)
            confirm("Join?", default=True)
        answer: Any = server.call("POST", "/api/1/sync/join", body)
    _print_report(answer, is_json=is_json)


@sync.command(epilog="\b\nExample:\n  dayline sync status --json")
@shows("/api/1/sync")
def status(answer: Any) -> None:
    """Show which devices are identical, and what is missing."""
    state = msgspec.convert(answer, SyncStatus)
    _print_sources(state.sources)
    if not state.is_on or state.device is None:
        click.echo("Sync is off. Turn it on with: dayline sync start LOCATION, or dayline sync join LOCATION", err=True)
        return
    own = state.device
    published = "nothing published yet" if own.published is None else f"published {local_time(own.published)}"
    click.echo(f"{own.name} (this device, {own.id}): {_count(own.buckets, own.events)}, {published}")
    if state.report is not None:
        print_report(state.report)
    if state.next_pass is not None:
        click.echo(f"Next pass: {local_time(state.next_pass)}")


@sync.command(epilog="\b\nExample:\n  dayline sync now")
@as_json
@on_database
def now(settings: Settings, is_json: bool) -> None:
    """Sync now: publish local changes, and fetch those of others.

    The server does this every four minutes with a folder, every minute with WebDAV, and every five seconds with a
    Dayline server.
    """
    with local_server(settings) as server:
        answer: Any = server.call("POST", "/api/1/sync/run")
    _print_report(answer, is_json=is_json)


@sync.command(epilog="\b\nExample:\n  dayline sync verify")
@as_json
@on_database
def verify(settings: Settings, is_json: bool) -> None:
    """Check that every mirror is identical.

    Compares all events with what their devices have published, and fails if one differs.
    """
    with local_server(settings) as server:
        answer: Any = server.call("POST", "/api/1/sync/verify")
    _print_report(answer, is_json=is_json)
    if not msgspec.convert(answer, PassReport).is_identical:
        sys.exit(CHECK_FAILED)


@sync.command(epilog="\b\nExample:\n  dayline sync recover")
@yes_option
@as_json
@on_database
def recover(settings: Settings, yes: bool, is_json: bool) -> None:
    """Merge a restored database with what it has published.

    A database that was restored from a backup publishes nothing until you run this. Published events win, up to the
    restore; events that were recorded later are added.
    """
    if not yes:
        confirm("Merge this database with what it has published?", default=True)
    with local_server(settings) as server:
        answer: Any = server.call("POST", "/api/1/sync/recover")
    if is_json:
        print_json(answer)
        return
    done = msgspec.convert(answer, Recovered)
    click.echo(
        f"Restored {quantity(done.restored, 'event')}, kept {quantity(done.kept, 'event')} recorded since, "
        f"removed {quantity(done.removed, 'deleted event')}."
    )
    click.echo(f"Undo it with: dayline undo --group {done.group}", err=True)


@sync.command(epilog=ADOPT_EXAMPLES)
@click.argument("device")
@yes_option
@as_json
@on_database
def adopt(settings: Settings, device: str, yes: bool, is_json: bool) -> None:
    """Merge the buckets of a lost device into yours.

    The mirrors of DEVICE, its name or its id, become buckets of this device. If this device has a bucket with the same
    plain id and type, the events are added to it. Other devices have them from this one then.
    """
    path = f"/api/1/sync/devices/{quote(device, safe='')}/adopt"
    with local_server(settings) as server:
        if not yes:
            _print_adoption(msgspec.convert(server.call("POST", path, {"dry_run": True}), Adoption))
            confirm("Adopt these buckets?")
        answer: Any = server.call("POST", path, {})
    if is_json:
        print_json(answer)
        return
    done = msgspec.convert(answer, Adoption)
    click.echo(f"Adopted {_count(len(done.buckets), done.events)} of {done.name}.")
    click.echo(f"Undo it with: dayline undo --group {done.group}", err=True)


@sync.command("confirm", epilog="\b\nExample:\n  dayline sync confirm phone")
@click.argument("device")
@as_json
@on_database
def confirm_device(settings: Settings, device: str, is_json: bool) -> None:
    """Confirm a device that has joined.

    A device that joined after this one is shown as new until you confirm it here.
    """
    with local_server(settings) as server:
        answer: Any = server.call("POST", f"/api/1/sync/devices/{quote(device, safe='')}/confirm")
    if is_json:
        print_json(answer)
    else:
        click.echo("Confirmed.")


@sync.command(epilog=REMOVE_EXAMPLES)
@click.argument("device")
@click.option("--delete-mirrors", is_flag=True, help="Delete its buckets on this device.")
@yes_option
@as_json
@on_database
def remove(settings: Settings, device: str, delete_mirrors: bool, yes: bool, is_json: bool) -> None:
    """Revoke a device's access to what is published later.

    DEVICE, its name or its id, cannot read what is published later. The other devices get a new key; the
    invite is a new one. The buckets of the device stay on the others, read-only.
    """
    if not yes:
        confirm(f"Remove {device}? It cannot join again with an old invite.")
    with local_server(settings) as server:
        path = f"/api/1/sync/devices/{quote(device, safe='')}/remove"
        answer: Any = server.call("POST", path, {"delete_mirrors": delete_mirrors})
    _print_report(answer, is_json=is_json)
    click.echo("The invite has changed. Show the new one with: dayline sync invite", err=True)


@sync.command(epilog="\b\nExample:\n  dayline sync invite")
@as_json
@on_database
def invite(settings: Settings, is_json: bool) -> None:
    """Show the invite for your other devices.

    Anyone with the invite can read everything that is synced.
    """
    with local_server(settings) as server:
        answer: Any = server.call("GET", "/api/1/sync/invite")
    _print_invite(answer, is_json=is_json)


@sync.command(epilog=LEAVE_EXAMPLES)
@click.option("--keep-mirrors", is_flag=True, help="Keep the buckets of other devices, read-only.")
@click.option("--new-identity", is_flag=True, help="Stay as another device: for a copy of a disk.")
@yes_option
@as_json
@on_database
def leave(settings: Settings, keep_mirrors: bool, new_identity: bool, yes: bool, is_json: bool) -> None:
    """Stop syncing this device.

    The buckets of other devices are deleted here. Other devices keep what this one has published. Joining again makes a
    new device.

    With --new-identity it stays in the space as another device, if its disk is a copy of that of the former one.
    """
    if not yes:
        confirm("Become another device of the same space?" if new_identity else "Stop syncing this device?")
    with local_server(settings) as server:
        answer: Any = server.call(
            "POST", "/api/1/sync/leave", {"keep_mirrors": keep_mirrors, "new_identity": new_identity}
        )
    if is_json:
        print_json(answer)
    elif new_identity:
        click.echo("This is a new device now. Show it with: dayline sync", err=True)
    else:
        click.echo("Sync is off.", err=True)


@sync.command(epilog=SOURCE_EXAMPLES)
@click.argument("path", type=click.Path(path_type=Path, file_okay=False, resolve_path=True), required=False)
@click.option("--remove", is_flag=True, help="Stop reading the folder. Its mirrors stay.")
@click.option("--delete-mirrors", is_flag=True, help="With --remove: also delete its mirrors, now or later.")
@yes_option
@as_json
@on_database
def source(settings: Settings, path: Path | None, remove: bool, delete_mirrors: bool, yes: bool, is_json: bool) -> None:
    """Add, list or remove a folder of ActivityWatch to mirror.

    PATH is the sync folder of aw-sync or aw-android. It is only read. The server reads it again within a minute after a
    file has changed. Without PATH, lists the folders.
    """
    if path is None and (remove or delete_mirrors):
        raise click.UsageError("--remove and --delete-mirrors need a PATH")
    if delete_mirrors and not remove:
        raise click.UsageError("--delete-mirrors needs --remove")
    if path is None:
        with reading_server(settings) as reading:
            listed: Any = reading.call("GET", _SOURCES)
        if is_json:
            print_json(listed)
        else:
            _print_sources(sources := msgspec.convert(listed, SourceList).sources)
            if not sources:
                click.echo("There are no sources. Add one with: dayline sync source PATH", err=True)
    elif remove:
        if delete_mirrors and not yes:
            confirm("Delete its mirrors?")
        with local_server(settings) as server:
            query: dict[str, object] = {"path": str(path), "delete_mirrors": int(delete_mirrors)}
            server.call("DELETE", path_with(_SOURCES, query))
        if is_json:
            print_json({})
            return
        click.echo(f"{path} is not read any more.", err=True)
        if not delete_mirrors:
            click.echo(
                f"Its mirrors stay. Delete them with: dayline sync source {path} --remove --delete-mirrors", err=True
            )
    else:
        with storing_server(settings) as server:
            added: Any = server.call("POST", _SOURCES, {"path": str(path)})
        if is_json:
            print_json(added)
        else:
            _print_sources([msgspec.convert(added, SourceReport)])


def _print_sources(sources: Sequence[SourceReport]) -> None:
    for each in sources:
        click.echo(f"{each.path}:")
        if each.problem is not None:
            click.echo(f"○ {each.problem}")
        widest = max((len(device.name) for device in each.devices), default=0)
        for device in each.devices:
            click.echo(_source_line(device, widest))
        if each.ignored:
            click.echo(f"Ignored: {', '.join(each.ignored)}")


def _source_line(device: SourceDevice, widest: int) -> str:
    name = device.name.ljust(widest)
    if device.state == "current":
        return f"● {name}  read {local_time(device.read)}  {_count(device.buckets, device.events)}"
    return f"○ {name}  {device.text}"


def _print_adoption(adoption: Adoption) -> None:
    for bucket in adoption.buckets:
        into = "new" if bucket.is_new else "added to it"
        click.echo(f"{bucket.bucket}: {quantity(bucket.events, 'event')} → {bucket.into} ({into})", err=True)


def _print_invite(answer: Any, *, is_json: bool) -> None:
    if is_json:
        print_json(answer)
        return
    click.echo("Invite, for your other devices. Keep it like a password:", err=True)
    click.echo(f"  {answer['invite']}")
    click.echo("On each of them, run: dayline sync join LOCATION", err=True)


def _print_report(answer: Any, *, is_json: bool) -> None:
    if is_json:
        print_json(answer)
    else:
        print_report(msgspec.convert(answer, PassReport))


def print_report(report: PassReport) -> None:
    if report.problem is not None:
        click.secho(f"✗ {report.problem}", fg="red")
        if report.hint:
            click.echo(f"  → {report.hint}")
    if report.stopped is not None:
        click.secho(f"✗ Nothing is published: {report.stopped}", fg="red")
        if report.hint and report.problem is None:
            click.echo(f"  → {report.hint}")
    if report.written:
        click.echo(f"Published {quantity(report.written, 'file')} ({format_size(report.written_bytes)})")
    names = _names(report.devices)
    widest = max(map(len, names.values()), default=0)
    for device in report.devices:
        click.echo(_device_line(device, names[device.id].ljust(widest), report.ended))
    for warning in report.warnings:
        click.echo(f"! {warning}")
    if report.ignored:
        click.echo(f"Ignored: {', '.join(report.ignored)}")
    _print_sources(report.sources)
    if not (report.devices or report.sources or report.problem or report.stopped):
        click.echo("No other device has joined yet. Show the invite with: dayline sync invite")


def _names(devices: Sequence[DeviceReport]) -> dict[str, str]:
    """The names of devices by id; with the id if another one has the same name, as after a disk was copied."""
    count = Counter(device.name for device in devices)
    return {each.id: each.name if count[each.name] == 1 else f"{each.name} ({each.id})" for each in devices}


def _device_line(device: DeviceReport, name: str, ended: str) -> str:
    line = _state_line(device, name, ended)
    if not device.is_new:
        return line
    return f"{line}\n! {device.name} is new. If it is yours: dayline sync confirm {device.id}"


def _state_line(device: DeviceReport, name: str, ended: str) -> str:
    if device.state in ("adopted", "removed"):
        return f"● {name}  {device.text}"
    if device.state == "identical":
        return f"● {name}  identical  {local_time(ended)}  {_count(device.buckets, device.events)}"
    mark = "○" if device.state == "waiting" else "✗"
    return f"{mark} {name}  {device.text}, since {local_time(device.since)}"


def _amount(device: DeviceReport) -> str:
    return f"{_count(device.buckets, device.events)}, published {local_time(device.made)}"


def _count(buckets: int, events: int) -> str:
    return f"{quantity(buckets, 'bucket')}, {quantity(events, 'event')}"
