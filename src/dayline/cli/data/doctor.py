"""`dayline doctor` and `dayline findings`: check the database and its events, and repair both."""

import os
import shlex
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from dayline.cli.calls.local import local_server, reading_server
from dayline.cli.options.options import OURS_ALONE, as_json, check_is_file, database_arguments, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Invalid, NotFound, StoreLocked, Unavailable
from dayline.model.health import FINDING_KINDS, MEND_KINDS, MENDS
from dayline.model.time import now_us
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.repair import Examination
    from dayline.storage.sqlite.repair.finish import RepairOutcome


_BRIEFLY: Final = 3  # examples of each finding, where nobody asked for one kind in particular
# What stands behind the count of each kind, for one and for several.
_NOUNS: Final[dict[str, tuple[str, str]]] = {
    "duplicates": ("duplicate", "duplicates"),
    "overlaps": ("overlap", "overlaps"),
    "negative": ("event of negative length", "events of negative length"),
    "future": ("event in the future", "events in the future"),
    "zero_length": ("needless event of no length", "needless events of no length"),
    "gaps": ("gap", "gaps"),
}
_TIMES: Final[dict[str, str]] = {
    "duplicates": ", {} counted twice",
    "overlaps": ", {} counted twice",
    "negative": ", {} together",
    "future": ", {} together",
    "zero_length": "",
    "gaps": ", {} without an event while others of the same host have some",
}


def print_findings(found: dict[str, Any], *, is_brief: bool) -> None:
    """What was found, each with the command that mends it."""
    for finding in found["findings"]:
        kind, bucket = finding["kind"], finding["bucket"]
        click.echo(f"{bucket}: {_counted(kind, finding['count'])}{_TIMES[kind].format(duration(finding['seconds']))}")
        for example in finding["examples"][: _BRIEFLY if is_brief else None]:
            click.echo(f"    {_line(example)}")
        if finding["is_mendable"]:
            click.echo(f"  → dayline findings --mend {kind} --bucket {bucket}")
    for host in found["renamed_hosts"]:
        click.echo(f"{host['old']} and {host['new']} look like one computer that was renamed: {host['reason']}")
    events, buckets = quantity(found["events"], "event"), quantity(found["buckets"], "bucket")
    if not found["findings"] and not found["renamed_hosts"]:
        click.echo(f"Nothing looks wrong in {events} of {buckets}.")
    else:
        click.echo(f"\n{events} of {buckets} were looked at.", err=True)


def print_preview(planned: dict[str, Any], *, is_aside: bool = False) -> None:
    """What mending would do; aside, where the output is for a program."""
    if not planned["buckets"]:
        click.echo("There is nothing to mend.", err=True)
        return
    for bucket in planned["buckets"]:
        click.echo(f"{bucket['bucket']}: {_amounts(bucket, 'would be ')}", err=is_aside)
        for example in bucket["examples"]:
            becomes = example["becomes"]
            click.echo(f"    {_line(example)} → {'removed' if becomes is None else _seconds(becomes)}", err=is_aside)
    click.echo(f"\n{MENDS[planned['kind']].capitalize()}.", err=True)


def print_done(done: dict[str, Any]) -> None:
    """What was mended, and how to undo it."""
    if not done["buckets"]:
        click.echo("There is nothing to mend.", err=True)
    for bucket in done["buckets"]:
        skipped = f", {bucket['skipped']:,} left alone (changed meanwhile)" if bucket["skipped"] else ""
        click.echo(f"{bucket['bucket']}: {_amounts(bucket, '')}{skipped}.")
        if bucket["undo"] is not None:
            click.echo(f"  → to undo it: dayline undo {bucket['undo']}")


def _counted(kind: str, count: int) -> str:
    return quantity(count, *_NOUNS[kind])


def _amounts(bucket: dict[str, Any], verb: str) -> str:
    amounts = [f"{bucket[what]:,} {verb}{what}" for what in ("removed", "changed") if bucket[what]]
    return ", ".join(amounts) or f"nothing {verb}changed"


def _line(example: dict[str, Any]) -> str:
    start, end = (
        f"{datetime.fromisoformat(example[name]).astimezone():%Y-%m-%d %H:%M:%S}" for name in ("start", "end")
    )
    if example["event"] is None:
        return f"{start} to {end}  {duration(example['seconds'])}"
    return f"{start}  {_seconds(example['seconds'])}  {example['data']}  (event {example['event']})"


def _seconds(seconds: float) -> str:
    """A number of seconds to the millisecond, so that a preview shows what changes also in an event of many hours."""
    return f"{f'{seconds:.3f}'.rstrip('0').rstrip('.')} s"


# `dayline doctor`: whether the database is as it should be, and the repair of one that is not.


EXAMPLES = """\b
Examples:
  dayline doctor
  dayline doctor --repair
  dayline doctor --repair --yes --json
"""


@click.command(epilog=EXAMPLES)
@click.option("--repair", "is_repair", is_flag=True, help="Repair what is wrong. The server has to be stopped first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def doctor(settings: Settings, is_repair: bool, yes: bool, is_json: bool) -> None:
    """Check the database file, what is derived from its rows, and the data; repair the file with --repair.

    A repair makes a new file of every row that can be read, takes what is missing from the newest backup, and keeps the
    damaged file. What looks wrong in the data is mended by dayline findings. Exits with 1 where the file is not well.
    """
    # Here, because other commands start quicker without it.
    from dayline.maintenance.repair import examine

    os.umask(OURS_ALONE)
    check_is_file(settings)
    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="name it with --database")
    examined = examine(settings.database, report=_tell)
    if not is_repair:
        _report(settings, examined, is_json)
        return
    if not examined.findings:
        click.echo("Everything is well: there is nothing to repair.", err=True)
        return
    if not yes:
        for finding in examined.findings:
            click.echo(finding.message, err=True)
        click.confirm(f"Repair {settings.database}?", abort=True, err=True)
    _repair(settings, examined.damage, is_json)


def _report(settings: Settings, examined: "Examination", is_json: bool) -> None:
    """Say what is wrong with the file, and exit with 1; where nothing is, what looks wrong in the data."""
    if examined.findings:
        if is_json:
            print_json({"findings": examined.findings, "damage": examined.damage, "data": None})
        else:
            for finding in examined.findings:
                click.secho(finding.message, fg="red")
            click.echo(f"  → {shlex.join(['dayline', 'doctor', '--repair', *database_arguments(settings)])}")
        sys.exit(1)
    with reading_server(settings) as server:
        data: dict[str, Any] = server.call("GET", "/api/1/doctor")
    if is_json:
        print_json({"findings": [], "damage": None, "data": data})
    else:
        click.echo("The file and what is derived from its rows: everything is well.")
        print_findings(data, is_brief=True)


def _repair(settings: Settings, damage: str | None, is_json: bool) -> None:
    # Here, because other commands start quicker without it.
    from dayline.cli.options.backup_key import secret_of
    from dayline.maintenance.backups.folder import BackupFolder, folder_of
    from dayline.maintenance.repair import repair
    from dayline.storage.sqlite.derived.check import rebuild_derived

    database = settings.database
    try:
        if damage is None:
            rebuild_derived(database)
            click.echo("The file is whole. What is derived from its rows was made anew.", err=True)
            return
        secret = secret_of(settings.backup)
        folder = BackupFolder(folder_of(database, settings.backup), database)
        outcome = repair(database, folder, finding=damage, now=now_us(), report=_tell, secret=secret)
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {database.name}", hint="stop it first, then run this again; it is quick to start again"
        ) from error
    if is_json:
        print_json(outcome)
    else:
        _print(outcome)


def _print(outcome: "RepairOutcome") -> None:
    print_table(
        ("bucket", "saved", "recorded since", "from the backup", "lost", "data from the backup", "data lost"),
        [
            (
                each.id,
                *(f"{count:,}" for count in (each.saved, each.recorded, each.filled, each.lost)),
                *(f"{count:,}" for count in (each.data_filled, each.without_data)),
            )
            for each in outcome.buckets
        ],
    )
    if outcome.backup is None:
        click.echo("There was no good backup to fill holes from.", err=True)
    else:
        click.echo(f"Holes were filled from {outcome.backup}.", err=True)
    if outcome.tables:
        click.echo(
            f"As the backup had them: {', '.join(outcome.tables)}. Look whether they are as you want them.", err=True
        )
    click.echo(f"The damaged file is kept: {outcome.kept}", err=True)


def _tell(text: str) -> None:
    click.echo(text, err=True)


# `dayline findings`: what looks wrong in the data themselves, and mending it.


FINDINGS_EXAMPLES = """\b
Examples:
  dayline findings
  dayline findings duplicates overlaps --bucket aw-watcher-window_laptop
  dayline findings gaps --gap-minutes 120
  dayline findings --mend duplicates --dry-run
  dayline findings --mend duplicates --bucket aw-watcher-window_laptop
"""


@click.command(epilog=FINDINGS_EXAMPLES)
@click.argument("kinds", nargs=-1, type=click.Choice(FINDING_KINDS), metavar="[KIND]...")
@click.option("--bucket", help="The bucket to look at, or to mend. [default: all]")
@click.option(
    "--gap-minutes", type=click.FloatRange(1, 1_000_000), default=30, show_default=True,
    help="How long a gap has to be.",
)  # fmt: skip
@click.option("--mend", "kind", type=click.Choice(MEND_KINDS), help="Mend what there is of one kind.")
@click.option("--dry-run", is_flag=True, help="Show what --mend would do, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def findings(
    settings: Settings,
    kinds: tuple[str, ...],
    bucket: str | None,
    gap_minutes: float,
    kind: str | None,
    dry_run: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Look for what is wrong with the data: events twice, at the same time, of negative length, in the future, ...

    KIND is one or several of duplicates, overlaps, negative, future, zero_length and gaps; without one, everything is
    looked for. Gaps of browsers, editors and stopwatches are shown with --bucket only. With --mend, one kind is mended:
    what would be done is shown first, and dayline undo takes it back.
    """
    if kind is None:
        if dry_run:
            raise Invalid("--dry-run is for --mend", hint=f"name what to mend: {', '.join(MEND_KINDS)}")
        with reading_server(settings) as server:
            query = {"kinds": ",".join(kinds) or None, "bucket": bucket, "gap_minutes": gap_minutes}
            found: dict[str, Any] = server.call("GET", "/api/1/doctor", **query)
        if is_json:
            print_json(found)
        else:
            print_findings(found, is_brief=not kinds)
        return
    if kinds:
        raise Invalid("a KIND is something to look for; what to mend is said by --mend alone")
    _mend(settings, {"kind": kind, "bucket": bucket}, is_dry=dry_run, is_asking=not yes, is_json=is_json)


def _mend(settings: Settings, wish: dict[str, Any], *, is_dry: bool, is_asking: bool, is_json: bool) -> None:
    with (reading_server if is_dry else local_server)(settings) as server:
        if is_dry or is_asking:
            planned: dict[str, Any] = server.call("POST", "/api/1/doctor/mend", {**wish, "dry_run": True})
            if is_json and is_dry:
                print_json(planned)
            else:
                print_preview(planned, is_aside=is_json)
            if is_dry or not planned["buckets"]:
                return
            click.confirm("Mend this?", abort=True, err=True)
        done: dict[str, Any] = server.call("POST", "/api/1/doctor/mend", wish)
    if is_json:
        print_json(done)
    else:
        print_done(done)
