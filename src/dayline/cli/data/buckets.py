"""`dayline buckets` and `dayline devices`: list, rename, merge, and change the host."""

from typing import Any
from urllib.parse import quote

import click
import msgspec

from dayline.cli.calls.local import LocalServer, local_server, reading_server
from dayline.cli.options.completion import bucket_ids
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json, print_list, screen_of_output
from dayline.cli.screens.status import buckets_screen
from dayline.model.errors import Invalid, NotFound
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline buckets
  dayline buckets rename aw-watcher-window_laptop aw-watcher-window_desktop
  dayline buckets merge aw-watcher-afk_laptop aw-watcher-afk_desktop
  dayline buckets rehost --host laptop desktop
"""
REHOST_EXAMPLES = """\b
Examples:
  dayline buckets rehost aw-watcher-window_laptop desktop
  dayline buckets rehost --host laptop desktop            every bucket of that computer
  dayline buckets rehost --host laptop desktop --merge    also where the new id is in use already
"""

_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group(epilog=EXAMPLES, invoke_without_command=True)
@as_json
@on_database
@click.pass_context
def buckets(context: click.Context, settings: Settings, is_json: bool) -> None:
    """List, rename and merge buckets, or move them to another host. Without a command they are listed.

    A bucket is still found under its old id then, so that its watcher goes on. Each change can be undone: dayline undo.
    """
    if context.invoked_subcommand is None:
        _list(settings, is_json=is_json)
        return
    # What was said before the command counts for it: another database must never be taken for the one that was named.
    said = {name: context.params[name] for name in ("database", "testing", "config") if context.params[name]}
    context.default_map = dict.fromkeys(buckets.commands, said)


@buckets.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List the buckets with their events, how their watchers are, and their aliases."""
    _list(settings, is_json=is_json)


def _list(settings: Settings, *, is_json: bool) -> None:
    with reading_server(settings) as server:
        states: dict[str, Any] = server.call("GET", "/api/1/buckets")
        if is_json:
            print_json(_listed(server, states))
            return
        view = view_of(server)
    screen = screen_of_output(view.duration_style)
    # Here, because --help and --json need none of it.
    from dayline.insight.now.model import BucketStates

    screen.show(buckets_screen(screen, msgspec.convert(states, BucketStates), view.now()))


def _listed(server: LocalServer, states: dict[str, Any]) -> list[dict[str, Any]]:
    """Every bucket as /api/0 tells it, with what /api/1 knows besides."""
    found: dict[str, dict[str, Any]] = server.call("GET", "/api/0/buckets/")
    for state in states["buckets"]:
        bucket = found[state["id"]]
        del bucket["events"]
        bucket["event_count"] = state["events"]
        bucket |= {name: state[name] for name in ("aliases", "bytes", "health", "silent_since")}
    return list(found.values())


@buckets.command(epilog="\b\nExample:\n  dayline buckets rename aw-watcher-window_laptop aw-watcher-window_desktop")
@click.argument("bucket", shell_complete=bucket_ids)
@click.argument("new_id")
@click.option("--no-alias", is_flag=True, help="Do not let it be found under its old id too.")
@_yes
@as_json
@on_database
def rename(settings: Settings, bucket: str, new_id: str, no_alias: bool, yes: bool, is_json: bool) -> None:
    """Give BUCKET another id."""
    with local_server(settings) as server:
        found: dict[str, Any] = server.call("GET", f"/api/0/buckets/{_quoted(bucket)}")
        also = "the old id is free then" if no_alias else "it is found under the old id too"
        click.echo(f"{found['id']} → {new_id} ({also})", err=is_json)
        _ask("Rename it?", yes=yes, is_json=is_json)
        body = {"id": new_id, "alias": not no_alias}
        _tell([server.call("POST", f"/api/1/buckets/{_quoted(bucket)}/rename", body)], is_json=is_json)


@buckets.command(epilog="\b\nExample:\n  dayline buckets merge aw-watcher-afk_laptop aw-watcher-afk_desktop")
@click.argument("bucket", shell_complete=bucket_ids)
@click.argument("into", shell_complete=bucket_ids)
@click.option("--force", is_flag=True, help="Also where the buckets are of different types.")
@_yes
@as_json
@on_database
def merge(settings: Settings, bucket: str, into: str, force: bool, yes: bool, is_json: bool) -> None:
    """Move all events of BUCKET into another, which is found under both ids from then on."""
    with local_server(settings) as server:
        path = f"/api/1/buckets/{_quoted(bucket)}/merge"
        _show_merge(server.call("POST", path, {"into": into, "dry_run": True}), is_json=is_json)
        _ask("Merge them?", yes=yes, is_json=is_json)
        _tell([server.call("POST", path, {"into": into, "force": force})], is_json=is_json)


@buckets.command(epilog=REHOST_EXAMPLES)
@click.argument("bucket", shell_complete=bucket_ids)
@click.argument("hostname")
@click.option("--host", "is_host", is_flag=True, help="BUCKET is the name of a host: all its buckets are moved.")
@click.option("--no-rename", is_flag=True, help="Leave ids as they are, also those that end in the old host name.")
@click.option("--merge", "merges", is_flag=True, help="Where there is a bucket of the new id already, merge into it.")
@_yes
@as_json
@on_database
def rehost(
    settings: Settings,
    bucket: str,
    hostname: str,
    is_host: bool,
    no_rename: bool,
    merges: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Move BUCKET to another host: for a computer that was given another name."""
    body = {"hostname": hostname, "rename": not no_rename, "merge": merges}
    with local_server(settings) as server:
        paths = [f"/api/1/buckets/{_quoted(one)}/rehost" for one in (_of_host(server, bucket) if is_host else [bucket])]
        previews = [server.call("POST", path, {**body, "dry_run": True}) for path in paths]
        for preview in previews:
            _show_rehost(preview, is_json=is_json)
        taken = [preview["id"] for preview in previews if preview["merged"] is not None]
        if taken and not merges:
            raise Invalid(
                f"there are buckets of the new ids already: {', '.join(taken)}",
                hint="--merge merges into them; --no-rename changes the host names alone",
            )
        _ask("Move them?" if is_host else "Move it?", yes=yes, is_json=is_json)
        _tell([server.call("POST", path, body) for path in paths], is_json=is_json)


@buckets.command(epilog="\b\nExample:\n  dayline buckets unalias aw-watcher-window_laptop")
@click.argument("alias")
@_yes
@as_json
@on_database
def unalias(settings: Settings, alias: str, yes: bool, is_json: bool) -> None:
    """Let a bucket no longer be found under ALIAS."""
    with local_server(settings) as server:
        _ask(f"A watcher that uses {alias} makes a bucket of its own then. Remove it?", yes=yes, is_json=is_json)
        _tell([server.call("DELETE", f"/api/1/aliases/{_quoted(alias)}")], is_json=is_json)


def _of_host(server: LocalServer, hostname: str) -> list[str]:
    found: dict[str, Any] = server.call("GET", "/api/0/buckets/")
    ids = [bucket_id for bucket_id, bucket in found.items() if bucket["hostname"] == hostname]
    if not ids:
        raise NotFound(f"no bucket is of the host {hostname!r}", hint="dayline buckets shows their hosts")
    return ids


def _show_merge(preview: dict[str, Any], *, is_json: bool) -> None:
    click.echo(f"{preview['bucket']} → {preview['into']}", err=is_json)
    click.echo(
        f"  {quantity(preview['moved'], 'event goes', 'events go')} over; "
        f"{preview['skipped']:,} are there already and are skipped; "
        f"{preview['overlapping']:,} overlap with others there",
        err=is_json,
    )
    for warning in preview["warnings"]:
        click.secho(f"  {warning}", fg="yellow", err=is_json)


def _show_rehost(preview: dict[str, Any], *, is_json: bool) -> None:
    hosts = f"{preview['former_hostname']} → {preview['hostname']}"
    if preview["merged"] is not None:
        click.echo(f"{hosts}, merged into the bucket that is there:", err=is_json)
        _show_merge(preview["merged"], is_json=is_json)
    elif preview["id"] == preview["former_id"]:
        click.echo(f"{hosts}: {preview['id']}", err=is_json)
    else:
        click.echo(f"{hosts}: {preview['former_id']} → {preview['id']}", err=is_json)


def _ask(question: str, *, yes: bool, is_json: bool) -> None:
    if not yes:
        click.confirm(question, abort=True, err=is_json)


def _tell(answers: list[dict[str, Any]], *, is_json: bool) -> None:
    """Say that it is done, and what undoes it."""
    if is_json:
        print_json(answers if len(answers) > 1 else answers[0])
        return
    for answer in answers:
        click.echo(f"Done. To undo it: dayline undo {answer['undo']}")


def _quoted(text: str) -> str:
    return quote(text, safe="")


# `dayline devices`: the computers and phones that recorded.


DEVICES_EXAMPLES = """\b
Examples:
  dayline devices
  dayline devices --json
"""


@click.command(epilog=DEVICES_EXAMPLES)
@as_json
@on_database
def devices(settings: Settings, is_json: bool) -> None:
    """List the computers and phones that recorded, by host name, and those that look like one that was renamed."""
    with reading_server(settings) as server:
        found: list[dict[str, Any]] = server.call("GET", "/api/1/devices")
    is_table = print_list(
        found,
        ("host name", "buckets", "events", "first seen", "last seen"),
        [
            (
                device["hostname"], str(len(device["buckets"])), f"{device['events']:,}",
                device["first_seen"] or "-", device["last_seen"] or "-",
            )
            for device in found
        ],
        empty="There are no buckets yet.",
        is_json=is_json,
    )  # fmt: skip
    for device in found if is_table else ():
        for other in device["looks_like"]:
            if not other["is_newer"]:
                click.echo(
                    f"{device['hostname']} may be {other['hostname']} with a new name: {other['reason']}.", err=True
                )
