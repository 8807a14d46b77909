"""`dayline demo`: demo data, the same for the same seed."""

import shlex
import socket
import tempfile
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.options.options import as_json, database_arguments, on_database, shown_database
from dayline.cli.options.settings import Settings, default_database, make_data_home
from dayline.cli.options.types import InputFile
from dayline.cli.screens.layout import print_json
from dayline.demo.export import demo_classes
from dayline.model.bucket import is_demo
from dayline.model.errors import Conflict, NotFound, Unavailable
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.cli.calls.remote_server import RemoteServer
    from dayline.demo.history import History
    from dayline.maintenance.migration.stored import Calls

EXAMPLES = """\b
Examples:
  dayline demo                                 the last 30 days, in your database
  dayline demo --serve                         in a separate database, and serve it
  dayline demo --database demo.db              in a separate file
  dayline demo --days 30 --output demo.json    as a JSON export
  dayline demo --remove                        delete the demo data
"""
# Not the port of watchers: their events must not end up in the demo.
FIRST_PORT: Final = 5700

_CLASSES = "/api/0/settings/classes"


@click.command(epilog=EXAMPLES)
@click.option("--seed", default=7, show_default=True, help="Random seed.")
@click.option("--days", type=click.IntRange(1, 4000), default=30, show_default=True, help="Number of days.")
@click.option(
    "--devices",
    type=click.IntRange(1, 9),
    default=3,
    show_default=True,
    help="Number of devices: laptop, desktop, phone, …",
)
@click.option(
    "--end", metavar="TIME",
    help="End: 2026-03-05, 2026-03-05T14:30, yesterday, monday 9:30. A day is included. [default: now]",
)  # fmt: skip
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write a JSON export to this file, or - for standard output.",
)
@click.option("--to", "url", metavar="URL", help="Server to send it to. [default: the server of the database]")
@click.option(
    "--key-file", type=InputFile(),
    help="File with a key of scope full, if the server needs one.",
)  # fmt: skip
@click.option(
    "--ca-file", type=InputFile(),
    help="Certificate of the server's authority, if the system does not know it.",
)  # fmt: skip
@click.option("--fingerprint", metavar="SHA256", help="Fingerprint of the server's certificate, instead of --ca-file.")
@click.option("--force", is_flag=True, help="Add it to recorded data, or replace the file of --output.")
@click.option("--serve", "is_served", is_flag=True, help="Serve it from a separate file.")
@click.option("--port", type=int, help=f"Port to serve it at. [default: the first free port from {FIRST_PORT}]")
@click.option("--remove", "is_removed", is_flag=True, help="Move the demo buckets to the trash.")
@as_json
@on_database
def demo(
    settings: Settings,
    is_json: bool,
    seed: int,
    days: int,
    devices: int,
    end: str | None,
    output: Path | None,
    url: str | None,
    key_file: Path | None,
    ca_file: Path | None,
    fingerprint: str | None,
    force: bool,
    is_served: bool,
    port: int | None,
    is_removed: bool,
) -> None:
    """Create demo data.

    It consists of buckets of several devices and a few categories, and is added to your database if that is empty.
    --remove deletes it.
    """
    if (
        is_served
        and settings.postgres is None
        and settings.database == default_database(is_testing=settings.is_testing).absolute()
    ):
        make_data_home(settings)
        settings = msgspec.structs.replace(settings, database=settings.database.with_name("demo.db"))
    if is_removed:
        changed = _remove(settings, None if url is None else _remote(url, key_file, ca_file, fingerprint))
        if is_json:
            print_json(changed)
        return
    history = _history(seed=seed, days=days, devices=devices, end=end)
    if output is not None:
        added = _write(history, output, replaces=force)
    elif url is not None:
        added = _send(history, _remote(url, key_file, ca_file, fingerprint), is_forced=force)
    else:
        added = _fill(history, settings, is_forced=force, is_served=is_served, port=port)
    if is_json:
        print_json(msgspec.structs.asdict(added))
    if added.is_to_serve:
        _serve(settings, port)


def _history(*, seed: int, days: int, devices: int, end: str | None) -> "History":
    # Here and below, because other commands start faster without them.
    from zoneinfo import ZoneInfo

    from dayline.cli.options.time_zone import machine_zone
    from dayline.demo.history import History

    zone = machine_zone() or "UTC"
    if end is not None:
        from dayline.cli.options.ranges import TimeParser, is_day
        from dayline.cli.options.view import View

        parser = TimeParser(View(time_zone=zone))
        if is_day(end):
            return History(seed=seed, days=days, devices=devices, end=parser.day(end, "--end"))
        until = parser.time(end, "--end")
        return History(seed=seed, days=days, devices=devices, end=until.date(), until=until, zone=zone)
    now = datetime.now(ZoneInfo(zone))
    return History(seed=seed, days=days, devices=devices, end=now.date(), until=now, zone=zone)


class _Added(msgspec.Struct, frozen=True, kw_only=True):
    """What `demo` added, and whether it is to be served now."""

    events: int
    buckets: int
    is_to_serve: bool = False


def _write(history: "History", output: Path, *, replaces: bool) -> _Added:
    from dayline.cli.output_files import opened_for_writing
    from dayline.demo.export import write_export

    with opened_for_writing(output, replaces=replaces) as file:
        count = write_export(history.buckets(), file)
    click.echo(f"{quantity(count, 'event')} written to {output}", err=True)
    return _Added(events=count, buckets=len([*history.buckets()]))


def _remote(url: str, key_file: Path | None, ca_file: Path | None, fingerprint: str | None) -> "RemoteServer":
    from dayline.cli.calls.remote_server import RemoteServer

    return RemoteServer(url, key_file=key_file, ca_file=ca_file, fingerprint=fingerprint)


def _send(history: "History", server: "RemoteServer", *, is_forced: bool) -> _Added:
    """Send it to a server by its address."""
    ids = [bucket.id for bucket in history.buckets()]
    check_empty(server, ids, where=f"the server at {server.url}", is_forced=is_forced)
    with _document(history) as document:
        report = server.import_document(document)
    set_categories(server)
    known = f"({report.skipped:,} known)"
    events, buckets = quantity(report.imported, "event"), quantity(report.buckets, "bucket")
    click.echo(f"{events} in {buckets} are now at {server.url} {known}", err=True)
    return _Added(events=report.imported, buckets=report.buckets)


@contextmanager
def _document(history: "History") -> Generator[Path]:
    """The history as a temporary export file."""
    from dayline.demo.export import write_export

    with tempfile.TemporaryDirectory(prefix="dayline-demo-") as folder:
        document = Path(folder) / "demo.json"
        with document.open("wb") as file:
            write_export(history.buckets(), file)
        yield document


def _fill(history: "History", settings: Settings, *, is_forced: bool, is_served: bool, port: int | None) -> _Added:
    """Import it through the running server, or into the file."""
    from dayline.cli.calls.local import storing_server
    from dayline.cli.calls.progress import sending_progress
    from dayline.cli.calls.sending import import_file

    ids = [bucket.id for bucket in history.buckets()]
    with storing_server(settings) as server:
        check_empty(server, ids, where=_name(settings), is_forced=is_forced)
        with _document(history) as document, sending_progress() as progress:
            report = import_file(server, document, progress)
        has_set = set_categories(server)
        is_running = server.is_server
    _report(history, settings, report, has_set=has_set)
    if is_running:
        click.echo("  dayline open     opens it", err=True)
    elif not is_served:
        click.echo(f"  {shlex.join(_serve_command(settings, port))}     serves it", err=True)
    return _Added(events=report["imported"], buckets=report["buckets"], is_to_serve=is_served and not is_running)


def _report(history: "History", settings: Settings, report: dict[str, Any], *, has_set: bool) -> None:
    known = f" ({report['skipped']:,} known)" if report["skipped"] else ""
    categories = ", with categories" if has_set else ""
    click.echo(
        f"{quantity(report['imported'], 'event')} of {quantity(history.days, 'day')} in "
        f"{quantity(report['buckets'], 'bucket')} are now in "
        f"{shown_database(settings)}{known}{categories}.",
        err=True,
    )
    click.echo(
        f"  {shlex.join(['dayline', 'demo', '--remove', *database_arguments(settings)])}     deletes it", err=True
    )


def _serve(settings: Settings, port: int | None) -> None:
    from dayline.cli.serve.serve import serve

    words = _serve_command(settings, port)
    click.echo(f"Running {shlex.join(words)}; stop it with Ctrl-C.", err=True)
    serve.main(args=words[2:], prog_name="dayline serve", standalone_mode=False)


def _serve_command(settings: Settings, port: int | None) -> list[str]:
    own = database_arguments(settings)
    # Testing mode has a port of its own.
    chosen = port if port is not None or settings.is_testing or not own else _free_port()
    return ["dayline", "serve", *own, *([] if chosen is None else ["--port", str(chosen)])]


def _name(settings: Settings) -> str:
    return settings.database.name if settings.postgres is None else shown_database(settings)


def _free_port() -> int:
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        with suppress(OSError), socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            return port
    raise Unavailable(f"no free port from {FIRST_PORT}", hint="choose one with --port")


def _remove(settings: Settings, remote: "RemoteServer | None") -> dict[str, Any]:
    from dayline.cli.calls.local import local_server

    if remote is not None:
        removed, where = remote.call("DELETE", "/api/1/demo"), remote.url
    else:
        with local_server(settings) as server:
            removed, where = server.call("DELETE", "/api/1/demo"), _name(settings)
    if not removed["buckets"]:
        raise NotFound(f"there is no demo data in {where}")
    click.echo(f"Moved {quantity(len(removed['buckets']), 'demo bucket')} to the trash.", err=True)
    if remote is None:
        undo = shlex.join(["dayline", "undo", *map(str, removed["undo"]), *database_arguments(settings)])
        click.echo(f"  {undo}     restores everything", err=True)
    return {"buckets": removed["buckets"], "undo": removed["undo"]}


def check_empty(server: "Calls", ids: Collection[str], *, where: str, is_forced: bool) -> None:
    """Raise Conflict if demo data would be mixed with recorded data."""
    buckets: dict[str, dict[str, Any]] = server.call("GET", "/api/0/buckets/")
    recorded = [bucket_id for bucket_id, bucket in buckets.items() if not is_demo(bucket.get("data"))]
    taken = [bucket_id for bucket_id in recorded if bucket_id in ids]
    apart = "dayline demo --serve uses a separate database"
    if taken:
        # Not even with --force: the demo events could not be removed again.
        raise Conflict(f"{where} has a recorded bucket {taken[0]!r}", hint=apart)
    if recorded and not is_forced:
        raise Conflict(
            f"{where} has recorded data: {quantity(len(recorded), 'bucket')}",
            hint=f"{apart}, dayline demo --database demo.db a separate file, and --force adds it to your data",
        )


def set_categories(server: "Calls") -> bool:
    """Set the demo categories if there are none. Returns whether it did."""
    if server.call("GET", _CLASSES) is not None:
        return False
    server.call("POST", _CLASSES, demo_classes())
    return True
