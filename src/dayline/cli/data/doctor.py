"""`dayline doctor`: check the database file and the recorded events, and repair both."""

import os
import shlex
import sys
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.groups import WrongUsage
from dayline.cli.options.names import bucket_ids
from dayline.cli.options.options import (
    OWNER_ONLY,
    as_json,
    check_database_exists,
    check_is_file,
    confirm,
    database_arguments,
    dry_run_option,
    on_database,
    postgres_library,
    server_stopped,
    yes_option,
)
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import print_answer, print_json, print_table
from dayline.model.time import now_us
from dayline.model.upkeep.findings import FINDING_KINDS, FIXABLE_KINDS, Example, Findings, FixedBucket, FixResult
from dayline.model.upkeep.findings import FIXES as FIXES
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.repair import Examination, RepairOutcome


_BRIEFLY: Final = 3  # examples of each finding, unless kinds are named
# The noun after the count of each kind, singular and plural.
_NOUNS: Final[dict[str, tuple[str, str]]] = {
    "duplicates": ("duplicate", "duplicates"),
    "overlaps": ("overlap", "overlaps"),
    "negative": ("event of negative length", "events of negative length"),
    "future": ("event in the future", "events in the future"),
    "zero_length": ("redundant event of zero length", "redundant events of zero length"),
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


def print_findings(answer: Any, *, is_brief: bool) -> None:
    """Print the findings, each with the command that fixes it."""
    report = msgspec.convert(answer, Findings)
    for finding in report.findings:
        kind, bucket = finding.kind, finding.bucket
        click.echo(f"{bucket}: {_counted(kind, finding.count)}{_TIMES[kind].format(duration(finding.seconds))}")
        for example in finding.examples[: _BRIEFLY if is_brief else None]:
            click.echo(f"    {_line(example)}")
        if finding.is_mendable:
            click.echo(f"  → dayline doctor --fix {kind} --bucket {bucket}")
    for host in report.renamed_hosts:
        click.echo(f"{host.old} and {host.new} look like one computer that was renamed: {host.reason}")
    events, buckets = quantity(report.events, "event"), quantity(report.buckets, "bucket")
    if not report.findings and not report.renamed_hosts:
        click.echo(f"No problems found in {events} of {buckets}.")
    else:
        click.echo(f"\nChecked {events} of {buckets}.", err=True)


def print_preview(planned: FixResult, *, to_stderr: bool = False) -> None:
    """Print what a fix would change."""
    if not planned.buckets:
        click.echo("There is nothing to fix.", err=True)
        return
    for bucket in planned.buckets:
        click.echo(f"{bucket.bucket}: {_amounts(bucket, 'would be ')}", err=to_stderr)
        for example in bucket.examples:
            becomes = example.becomes
            click.echo(f"    {_line(example)} → {'removed' if becomes is None else _seconds(becomes)}", err=to_stderr)
    click.echo(f"\n{FIXES[planned.kind].capitalize()}.", err=True)


def print_done(answer: Any) -> None:
    """Print what was fixed, and how to undo it."""
    done = msgspec.convert(answer, FixResult)
    if not done.buckets:
        click.echo("There is nothing to fix.", err=True)
    for bucket in done.buckets:
        skipped = f", {bucket.skipped:,} skipped because they changed" if bucket.skipped else ""
        click.echo(f"{bucket.bucket}: {_amounts(bucket, '')}{skipped}.")
        if bucket.undo is not None:
            click.echo(f"  → to undo it: dayline undo {bucket.undo}")


def _counted(kind: str, count: int) -> str:
    return quantity(count, *_NOUNS[kind])


def _amounts(bucket: FixedBucket, verb: str) -> str:
    counts = {"removed": bucket.removed, "changed": bucket.changed}
    amounts = [f"{count:,} {verb}{what}" for what, count in counts.items() if count]
    return ", ".join(amounts) or f"nothing {verb}changed"


def _line(example: Example) -> str:
    start, end = (
        f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M:%S}" for text in (example.start, example.end)
    )
    if example.event is None:
        return f"{start} to {end}  {duration(example.seconds)}"
    return f"{start}  {_seconds(example.seconds)}  {example.data}  (event {example.event})"


def _seconds(seconds: float) -> str:
    """Seconds to the millisecond, so that a preview shows small changes of long events."""
    return f"{f'{seconds:.3f}'.rstrip('0').rstrip('.')} s"


EXAMPLES = """\b
Examples:
  dayline doctor                                      check the file and the data
  dayline doctor --repair                             repair a damaged file
  dayline doctor duplicates overlaps --bucket aw-watcher-window_laptop
  dayline doctor gaps --gap-minutes 120
  dayline doctor --fix duplicates --dry-run
"""


@click.command(epilog=EXAMPLES)
@click.argument("kinds", nargs=-1, type=click.Choice(FINDING_KINDS), metavar="[KIND]...")
@click.option("--data", "is_data_only", is_flag=True, help="Check the data only, not the file.")
@click.option("--bucket", shell_complete=bucket_ids, help="Only this bucket. [default: all]")
@click.option(
    "--gap-minutes", type=click.FloatRange(1, 1_000_000), default=30, show_default=True,
    help="Minimum length of a gap.",
)  # fmt: skip
@click.option("--fix", "fix", type=click.Choice(FIXABLE_KINDS), help="Fix all findings of one kind in the data.")
@click.option("--repair", "is_repair", is_flag=True, help="Repair the database. Stop the server first.")
@dry_run_option
@yes_option
@as_json
@on_database
def doctor(
    settings: Settings,
    kinds: tuple[str, ...],
    is_data_only: bool,
    bucket: str | None,
    gap_minutes: float,
    fix: str | None,
    is_repair: bool,
    dry_run: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Check the database file and the data, and repair them.

    KIND limits the check to duplicates, overlaps, negative, future, zero_length or gaps in the data. Gaps of browsers,
    editors and stopwatches are shown with --bucket only. --fix shows what it would change and asks first; `dayline
    undo` reverts it. --repair writes a new file with every readable row, fills in missing rows from the newest backup,
    and keeps the damaged file. On PostgreSQL, it gives new ids to events that have the id of another one. Exits with 1
    if there is something to repair.
    """
    if is_repair and (kinds or fix or bucket or is_data_only or dry_run):
        raise WrongUsage("--repair repairs the whole database", hint="leave out the other options; --fix fixes data")
    if dry_run and fix is None:
        raise WrongUsage("--dry-run needs --fix", hint=f"choose what to fix: {', '.join(FIXABLE_KINDS)}")
    if fix is not None and kinds:
        raise WrongUsage("--fix cannot be combined with a KIND to check", hint=f"dayline doctor --fix {fix}")
    if fix is not None:
        _fix(settings, {"kind": fix, "bucket": bucket}, is_dry=dry_run, is_asking=not yes, is_json=is_json)
    elif kinds or bucket or is_data_only:
        answer = _data(settings, kinds=",".join(kinds) or None, bucket=bucket, gap_minutes=gap_minutes)
        print_answer(answer, partial(print_findings, is_brief=not kinds), is_json=is_json)
    elif settings.postgres is not None and is_repair:
        _repair_ids(settings.postgres, yes=yes, is_json=is_json)
    elif settings.postgres is not None:
        _check_postgres(settings, settings.postgres, gap_minutes, is_json=is_json)
    else:
        _check_file(settings, gap_minutes, is_repair=is_repair, yes=yes, is_json=is_json)


def _data(settings: Settings, **query: object) -> Any:
    """The findings, as `Findings`."""
    with reading_server(settings) as server:
        return server.call("GET", "/api/1/doctor", **query)


def _fix(settings: Settings, request: dict[str, Any], *, is_dry: bool, is_asking: bool, is_json: bool) -> None:
    with (reading_server if is_dry else local_server)(settings) as server:
        if is_dry or is_asking:
            preview: Any = server.call("POST", "/api/1/doctor/mend", {**request, "dry_run": True})
            planned = msgspec.convert(preview, FixResult)
            if is_json and is_dry:
                print_json(preview)
            else:
                print_preview(planned, to_stderr=is_json)
            if is_dry or not planned.buckets:
                return
            confirm("Fix this?")
        answer: Any = server.call("POST", "/api/1/doctor/mend", request)
    print_answer(answer, print_done, is_json=is_json)


def _check_postgres(settings: Settings, address: str, gap_minutes: float, *, is_json: bool) -> None:
    """Check the data and its ids; the database server checks its own files."""
    data, repeated = _data(settings, gap_minutes=gap_minutes), _repeated_ids(address)
    findings = [{"kind": "event_ids", "message": _describe_repeated(repeated)}] if repeated else []
    if is_json:
        print_json({"findings": findings, "damage": None, "data": data})
    else:
        print_findings(data, is_brief=True)
    if findings:
        if not is_json:
            click.secho(findings[0]["message"], fg="red")
            click.echo(f"  → {shlex.join(['dayline', 'doctor', '--repair', *database_arguments(settings)])}")
        sys.exit(CHECK_FAILED)


def _repair_ids(address: str, *, yes: bool, is_json: bool) -> None:
    repeated = _repeated_ids(address)
    if repeated and not yes:
        confirm(f"{_describe_repeated(repeated)}. Assign new ids?")
    if repeated:
        from dayline.storage.postgres.upkeep.event_ids import renumber_events  # an extra

        repeated = renumber_events(address)
    if is_json:
        print_json({"renumbered": repeated})
    else:
        click.echo(f"Assigned {quantity(repeated, 'new id')}." if repeated else "There is nothing to repair.")


def _repeated_ids(address: str) -> int:
    with postgres_library():
        from dayline.storage.postgres.upkeep.event_ids import count_repeated_ids  # an extra

    return count_repeated_ids(address)


def _describe_repeated(events: int) -> str:
    return f"{quantity(events, 'event has', 'events have')} the id of another event"


def _check_file(settings: Settings, gap_minutes: float, *, is_repair: bool, yes: bool, is_json: bool) -> None:
    # Here, because other commands start faster without it.
    from dayline.maintenance.repair import examine

    os.umask(OWNER_ONLY)
    check_is_file(settings)
    check_database_exists(settings)
    examined = examine(settings.database, report=_log)
    if not is_repair:
        _report(settings, examined, gap_minutes, is_json=is_json)
        return
    if not examined.findings:
        click.echo("The file is not damaged: there is nothing to repair.", err=True)
        return
    if not yes:
        for finding in examined.findings:
            click.echo(finding.message, err=True)
        confirm(f"Repair {settings.database}?")
    _repair(settings, examined.damage, is_json)


def _report(settings: Settings, examined: "Examination", gap_minutes: float, *, is_json: bool) -> None:
    """Print the damage of the file and exit with 1; if it is not damaged, print problems in the data."""
    if examined.findings:
        if is_json:
            print_json({"findings": examined.findings, "damage": examined.damage, "data": None})
        else:
            for finding in examined.findings:
                click.secho(finding.message, fg="red")
            click.echo(f"  → {shlex.join(['dayline', 'doctor', '--repair', *database_arguments(settings)])}")
        sys.exit(CHECK_FAILED)
    data = _data(settings, gap_minutes=gap_minutes)
    if is_json:
        print_json({"findings": [], "damage": None, "data": data})
    else:
        click.echo("The database file is not damaged.")
        print_findings(data, is_brief=True)


def _repair(settings: Settings, damage: str | None, is_json: bool) -> None:
    # Here, because other commands start faster without it.
    from dayline.cli.options.backup_key import secret_of
    from dayline.maintenance.backups.folder import BackupFolder, folder_of
    from dayline.maintenance.repair import rebuild_derived, repair

    database = settings.database
    with server_stopped(settings):
        if damage is None:
            rebuild_derived(database)
            click.echo("The file is not damaged. Derived data was rebuilt.", err=True)
            return
        secret = secret_of(settings.backup)
        folder = BackupFolder(folder_of(database, settings.backup), database)
        outcome = repair(database, folder, finding=damage, now=now_us(), report=_log, secret=secret)
    print_answer(outcome, _print, is_json=is_json)


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
        click.echo("There was no good backup to fill in missing rows from.", err=True)
    else:
        click.echo(f"Missing rows were filled in from {outcome.backup}.", err=True)
    if outcome.tables:
        click.echo(f"Taken from the backup, so check them: {', '.join(outcome.tables)}.", err=True)
    click.echo(f"The damaged file was kept: {outcome.kept}", err=True)


def _log(text: str) -> None:
    click.echo(text, err=True)
