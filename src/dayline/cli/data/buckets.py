"""`dayline buckets`: list, rename, merge, delete, and change the host."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import click
import msgspec

from dayline.cli.calls.local import LocalServer, local_server, reading_server, shows
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import alias_ids, bucket_hint, bucket_ids, device_names
from dayline.cli.options.options import as_json, confirm, on_database, yes_option
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.buckets import buckets_screen
from dayline.cli.screens.layout import print_json, print_rows
from dayline.cli.screens.screen import screen_of_output
from dayline.model.bucket import BucketView, HostChange, Merged
from dayline.model.errors import Invalid, NotFound
from dayline.model.upkeep.undo import TrashItem
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline buckets
  dayline buckets rename aw-watcher-window_laptop aw-watcher-window_desktop
  dayline buckets merge aw-watcher-afk_laptop aw-watcher-afk_desktop
  dayline buckets set-host --host laptop desktop
  dayline buckets delete aw-watcher-window_old
"""
SET_HOST_EXAMPLES = """\b
Examples:
  dayline buckets set-host aw-watcher-window_laptop desktop
  dayline buckets set-host --device laptop desktop            every bucket of that device
  dayline buckets set-host --device laptop desktop --merge    also if the new id is in use
"""


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def buckets() -> None:
    """List, rename, merge and delete buckets.

    A renamed or merged bucket keeps its old id as an alias, so that its watcher continues to work. `dayline undo`
    reverts every change.
    """


@buckets.command("list", epilog="\b\nExamples:\n  dayline buckets\n  dayline buckets list --json")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List the buckets with their events, state and aliases."""
    with reading_server(settings) as server:
        states: dict[str, Any] = server.call("GET", "/api/1/buckets")
        if is_json:
            print_json(_listed(server, states))
            return
        view = view_of(server)
    screen = screen_of_output(view.duration_style)
    # Here, because --help and --json do not need it.
    from dayline.insight.now.model import BucketStates

    screen.show(buckets_screen(screen, msgspec.convert(states, BucketStates), view.now()))


def _listed(server: LocalServer, states: dict[str, Any]) -> list[dict[str, Any]]:
    """Every bucket of /api/0, extended with fields of /api/1."""
    listed: dict[str, dict[str, Any]] = server.call("GET", "/api/0/buckets/")
    for state in states["buckets"]:
        bucket = listed[state["id"]]
        del bucket["events"]
        bucket["event_count"] = state["events"]
        bucket |= {name: state[name] for name in ("aliases", "bytes", "health", "silent_since")}
    return list(listed.values())


@buckets.command(epilog="\b\nExample:\n  dayline buckets rename aw-watcher-window_laptop aw-watcher-window_desktop")
@click.argument("bucket", shell_complete=bucket_ids)
@click.argument("new_id")
@click.option("--no-alias", is_flag=True, help="Do not keep the old id as an alias.")
@yes_option
@as_json
@on_database
def rename(settings: Settings, bucket: str, new_id: str, no_alias: bool, yes: bool, is_json: bool) -> None:
    """Rename BUCKET."""
    with local_server(settings) as server:
        existing = _existing(server, bucket)
        also = "without an alias" if no_alias else "the old id becomes an alias"
        click.echo(f"{existing.id} → {new_id} ({also})", err=is_json)
        _ask("Rename it?", yes=yes, is_json=is_json)
        body = {"id": new_id, "alias": not no_alias}
        _report([server.call("POST", f"/api/1/buckets/{_quoted(bucket)}/rename", body)], is_json=is_json)


@buckets.command(epilog="\b\nExample:\n  dayline buckets merge aw-watcher-afk_laptop aw-watcher-afk_desktop")
@click.argument("bucket", shell_complete=bucket_ids)
@click.argument("into", shell_complete=bucket_ids)
@click.option("--force", is_flag=True, help="Merge buckets of different types.")
@yes_option
@as_json
@on_database
def merge(settings: Settings, bucket: str, into: str, force: bool, yes: bool, is_json: bool) -> None:
    """Merge BUCKET into another one. Its id becomes an alias."""
    with local_server(settings) as server:
        path = f"/api/1/buckets/{_quoted(bucket)}/merge"
        preview = msgspec.convert(server.call("POST", path, {"into": into, "dry_run": True}), Merged)
        _show_merge(preview, is_json=is_json)
        _ask("Merge them?", yes=yes, is_json=is_json)
        _report([server.call("POST", path, {"into": into, "force": force})], is_json=is_json)


def _bucket_or_device(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    has_bucket = bool(context.params.get("names")) or context.params.get("device") is not None
    return (device_names if has_bucket else bucket_ids)(context, parameter, incomplete)


@buckets.command("set-host", epilog=SET_HOST_EXAMPLES)
@click.argument("names", metavar="[BUCKET] HOSTNAME", nargs=-1, shell_complete=_bucket_or_device)
@click.option(
    "--device", metavar="HOST", shell_complete=device_names,
    help="All buckets of this device, by its host name, instead of BUCKET.",
)  # fmt: skip
@click.option("--no-rename", is_flag=True, help="Keep ids that end in the old host name.")
@click.option("--merge", "merges", is_flag=True, help="Merge into a bucket that has the new id.")
@yes_option
@as_json
@on_database
def set_host(
    settings: Settings,
    names: tuple[str, ...],
    device: str | None,
    no_rename: bool,
    merges: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Change the host name of BUCKET, or of a whole device."""
    bucket, hostname = _host_arguments(names, device)
    body = {"hostname": hostname, "rename": not no_rename, "merge": merges}
    with local_server(settings) as server:
        paths = [
            f"/api/1/buckets/{_quoted(one)}/rehost"
            for one in ([bucket] if device is None else _of_host(server, device))
        ]
        planned = [server.call("POST", path, {**body, "dry_run": True}) for path in paths]
        previews = msgspec.convert(planned, list[HostChange])
        for preview in previews:
            _show_host(preview, is_json=is_json)
        taken = [preview.id for preview in previews if preview.merged is not None]
        if taken and not merges:
            raise Invalid(
                f"these ids are in use: {', '.join(taken)}",
                hint="--merge merges into these buckets; --no-rename changes only the host name",
            )
        _ask("Change it?" if device is None else "Change them?", yes=yes, is_json=is_json)
        _report([server.call("POST", path, body) for path in paths], is_json=is_json)


@buckets.command(epilog="\b\nExample:\n  dayline buckets delete aw-watcher-window_old")
@click.argument("bucket", shell_complete=bucket_ids)
@yes_option
@as_json
@on_database
def delete(settings: Settings, bucket: str, yes: bool, is_json: bool) -> None:
    """Delete BUCKET and its events.

    They stay in the trash for 30 days, or the number of days in the setting trash.days.
    """
    with local_server(settings) as server:
        path = f"/api/0/buckets/{_quoted(bucket)}"
        existing = _existing(server, bucket)
        count: int = server.call("GET", f"{path}/events/count")
        click.echo(f"{existing.id}: {quantity(count, 'event')}", err=is_json)
        _ask("Delete it?", yes=yes, is_json=is_json)
        server.call("DELETE", path)
        # The call reports the undo entry in a header only.
        entries = msgspec.convert(server.call("GET", "/api/1/trash"), list[TrashItem])
    undo = next((each.id for each in entries if each.kind == "delete_bucket" and each.bucket == existing.id), None)
    if is_json:
        print_json({"bucket": existing.id, "events": count, "undo": undo})
    else:
        click.echo("Deleted." if undo is None else f"Deleted. To undo it: dayline undo {undo}")


@buckets.command(epilog="\b\nExample:\n  dayline buckets unalias aw-watcher-window_laptop")
@click.argument("alias", shell_complete=alias_ids)
@yes_option
@as_json
@on_database
def unalias(settings: Settings, alias: str, yes: bool, is_json: bool) -> None:
    """Delete an alias of a bucket."""
    with local_server(settings) as server:
        _ask(f"A watcher that uses {alias} will create a new bucket. Delete the alias?", yes=yes, is_json=is_json)
        _report([server.call("DELETE", f"/api/1/aliases/{_quoted(alias)}")], is_json=is_json)


def _host_arguments(names: Sequence[str], device: str | None) -> tuple[str, str]:
    """The bucket, empty with --device, and the new host name."""
    match names, device:
        case [hostname], str():
            return "", hostname
        case [bucket, hostname], None:
            return bucket, hostname
        case _:
            raise WrongUsage("name the bucket and its new host name", hint="or all buckets of a device: --device HOST")


def _existing(server: LocalServer, bucket: str) -> BucketView:
    """The bucket of an id or alias. Raises NotFound with the closest ids."""
    try:
        return msgspec.convert(server.call("GET", f"/api/0/buckets/{_quoted(bucket)}"), BucketView)
    except NotFound as error:
        raise NotFound(error.message, hint=bucket_hint(server, bucket)) from error


def _of_host(server: LocalServer, hostname: str) -> list[str]:
    listed = msgspec.convert(server.call("GET", "/api/0/buckets/"), dict[str, BucketView])
    ids = [bucket_id for bucket_id, bucket in listed.items() if bucket.hostname == hostname]
    if not ids:
        raise NotFound(f"no bucket has the host {hostname!r}", hint="dayline buckets devices lists the hosts")
    return ids


def _show_merge(preview: Merged, *, is_json: bool) -> None:
    click.echo(f"{preview.bucket} → {preview.into}", err=is_json)
    click.echo(
        f"  {quantity(preview.moved, 'event')} to move; {preview.skipped:,} exist there and are skipped; "
        f"{preview.overlapping:,} overlap with events there",
        err=is_json,
    )
    for warning in preview.warnings:
        click.secho(f"  {warning}", fg="yellow", err=is_json)


def _show_host(preview: HostChange, *, is_json: bool) -> None:
    hosts = f"{preview.former_hostname} → {preview.hostname}"
    if preview.merged is not None:
        click.echo(f"{hosts}, merged into the existing bucket:", err=is_json)
        _show_merge(preview.merged, is_json=is_json)
    elif preview.id == preview.former_id:
        click.echo(f"{hosts}: {preview.id}", err=is_json)
    else:
        click.echo(f"{hosts}: {preview.former_id} → {preview.id}", err=is_json)


def _ask(question: str, *, yes: bool, is_json: bool) -> None:
    if not yes:
        confirm(question, err=is_json)


def _report(answers: list[dict[str, Any]], *, is_json: bool) -> None:
    """Print how to undo the change."""
    if is_json:
        print_json(answers if len(answers) > 1 else answers[0])
        return
    for answer in answers:
        click.echo(f"Done. To undo it: dayline undo {answer['undo']}")


def _quoted(text: str) -> str:
    return quote(text, safe="")


DEVICES_EXAMPLES = """\b
Examples:
  dayline buckets devices
  dayline buckets devices --json
"""


@buckets.command(epilog=DEVICES_EXAMPLES)
@shows("/api/1/devices")
def devices(found: list[dict[str, Any]]) -> None:
    """List computers and phones, and possible renames."""
    print_rows(
        ("host name", "buckets", "events", "first seen", "last seen"),
        [
            (
                device["hostname"], str(len(device["buckets"])), f"{device['events']:,}",
                local_time(device["first_seen"]), local_time(device["last_seen"]),
            )
            for device in found
        ],
        empty="There are no buckets yet.",
    )  # fmt: skip
    for device in found:
        for other in device["looks_like"]:
            if not other["is_newer"]:
                click.echo(
                    f"{device['hostname']} may be the new name of {other['hostname']}: {other['reason']}.", err=True
                )
