"""`dayline import`: data from ActivityWatch, JSON exports and archives, recognized by their content."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct

from dayline.cli.calls.local import LocalServer, reading_server, storing_server
from dayline.cli.errors import INTERRUPTED
from dayline.cli.groups import WrongUsage
from dayline.cli.options.backup_key import with_archive_key
from dayline.cli.options.options import as_json, dry_run_option, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.maintenance.migration.model import FILE_HINT, file_kind
from dayline.model.errors import DaylineError, LostServer, NotFound
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.storage.sqlite.backup.encryption import Secret

EXAMPLES = """\b
Examples:
  dayline import --dry-run                        what ActivityWatch has on this computer
  dayline import                                  import all of it
  dayline import ~/backup/peewee-sqlite.v2.db     a database of ActivityWatch
  dayline import aw-buckets-export.json           a JSON export, or a folder of them
  dayline import days.jsonl.zst                   an archive, into a new database
"""
_COUNTS: Final = ("imported", "skipped", "invalid", "buckets")


class Outcome(Struct, frozen=True, kw_only=True):
    """The result for a file: a report, or an error."""

    file: Path
    report: dict[str, Any] | None = None
    error: DaylineError | None = None


@click.command("import", epilog=EXAMPLES)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@dry_run_option
@click.option("--proof", is_flag=True, help="Compare every event of a JSON export after the import.")
@click.option("--overwrite-settings", is_flag=True, help="Replace settings that differ with those of ActivityWatch.")
@as_json
@on_database
@with_archive_key
def import_(
    secret: "Secret | None",
    settings: Settings,
    paths: tuple[Path, ...],
    dry_run: bool,
    proof: bool,
    overwrite_settings: bool,
    is_json: bool,
) -> None:
    """Import ActivityWatch data, JSON exports or an archive.

    Without PATHS it imports the databases that ActivityWatch has on this computer. They are only read, and their server
    may run. Events that exist are skipped, so that you can run it again at any time, also after an interruption. The
    server keeps recording. The import of a database ends with a proof for every bucket, and exits with 1 if one fails.
    An archive is imported into a new or empty database.
    """
    files = list(_files(paths)) if paths else _of_this_computer()
    kinds = {file_kind(file) for file in files}
    if len(kinds) > 1:
        raise WrongUsage(
            f"cannot import {' and '.join(f'{kind}s' for kind in sorted(kinds))} at once",
            hint="run it once for each kind",
        )
    kind = kinds.pop()
    if kind != "archive" and secret is not None:
        raise WrongUsage("--key-file and --passphrase-file are for archives", hint="leave them out")
    if kind == "archive":
        if len(files) > 1:
            raise WrongUsage(
                "an archive is a whole database: import one of them",
                hint="choose another file with --database for each",
            )
        # Here and below, because the other kinds do not need it.
        from dayline.cli.data.transfer.archive import restore_archive, verify_archive
        from dayline.runtime.untrusted import limited_memory

        with limited_memory():
            if dry_run:
                verify_archive(files[0], secret, is_json=is_json)
            else:
                restore_archive(settings, files[0], secret, is_json=is_json)
    elif kind == "database" or proof:
        from dayline.cli.data.transfer.activitywatch import import_databases
        from dayline.runtime.untrusted import limited_memory

        with limited_memory():
            import_databases(settings, files, dry_run=dry_run, overwrite_settings=overwrite_settings, is_json=is_json)
    else:
        _import_documents(settings, files, dry_run=dry_run, is_json=is_json)


def _of_this_computer() -> list[Path]:
    from dayline.maintenance.migration.finding import usual_databases  # here, because imports of files do not need it

    databases = usual_databases()
    if not databases:
        raise NotFound("found no ActivityWatch data on this computer", hint=f"dayline import PATH: {FILE_HINT}")
    return databases


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files, and those of the folders. Raises NotFound for a missing file and for a folder without any."""
    for path in paths:
        if not path.exists():
            raise NotFound(f"no such file: {path}", hint=FILE_HINT)
        if not path.is_dir():
            yield path
            continue
        names = ("peewee-sqlite.v2.db", "sqlite.db")
        databases = [each for name in names for each in sorted((*path.glob(name), *path.glob(f"*/{name}")))]
        files = databases or sorted(each for each in path.glob("*.json") if each.is_file())
        if not files:
            raise NotFound(f"there are no .json files and no ActivityWatch databases in {path}", hint=FILE_HINT)
        yield from files


def _import_documents(settings: Settings, files: Sequence[Path], *, dry_run: bool, is_json: bool) -> None:
    outcomes: list[Outcome] = []
    is_interrupted = False
    with (reading_server if dry_run else storing_server)(settings) as server:
        try:
            for outcome in _outcomes(server, files, dry_run=dry_run):
                outcomes.append(outcome)
        except KeyboardInterrupt:
            is_interrupted = True
    if is_json:
        print_json([_plain(outcome) for outcome in outcomes])
    elif dry_run:
        _show_surveys(outcomes)
    else:
        _show_reports(outcomes)
    if is_interrupted:
        # Here, because most imports are not interrupted.
        from dayline.cli.calls.sending import AGAIN

        click.echo(f"Interrupted: {AGAIN}.", err=True)
        sys.exit(INTERRUPTED)
    _raise_first([outcome.error for outcome in outcomes if outcome.error is not None], len(outcomes))


def _outcomes(server: LocalServer, files: Sequence[Path], *, dry_run: bool) -> Iterator[Outcome]:
    """Import the files one after another. Stops when the connection to the server is lost."""
    # Here, because other commands start faster without it.
    from dayline.cli.calls.progress import sending_progress
    from dayline.cli.calls.sending import import_file, send_file

    with sending_progress() as progress:
        for file in files:
            try:
                if dry_run:
                    report = send_file(server, file, progress, dry_run="1")
                else:
                    report = import_file(server, file, progress)
                yield Outcome(file=file, report=report)
            except DaylineError as error:
                yield Outcome(file=file, error=error)
                if isinstance(error, LostServer):
                    return


def _plain(outcome: Outcome) -> dict[str, Any]:
    plain: dict[str, Any] = {"file": str(outcome.file), **(outcome.report or {})}
    if outcome.error is not None:
        plain["error"] = {"message": outcome.error.message, "hint": outcome.error.hint}
    return plain


def _raise_first(errors: Sequence[DaylineError], files: int) -> None:
    """Raise the first error, which also sets the exit code."""
    if not errors:
        return
    first = errors[0]
    if files > 1:
        others = f"{len(errors)} of {files} files could not be imported, the first of them: "
        first.message = others + first.message
    raise first


def _show_surveys(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.report is None:
            continue
        click.echo(outcome.file)
        print_table(
            ("bucket", "new", "known", "invalid", "dropped", ""),
            [
                (
                    bucket["id"],
                    *(f"{bucket[name]:,}" for name in ("new", "known", "invalid", "dropped")),
                    _note(bucket),
                )
                for bucket in outcome.report["buckets"]
            ],
        )
    click.echo("Nothing was changed. Run it without --dry-run to import.", err=True)


def _note(bucket: dict[str, Any]) -> str:
    if bucket["is_new"]:
        return "new bucket"
    if bucket["conflicts"]:
        return f"{', '.join(bucket['conflicts'])} differ; the stored values are kept"
    return ""


def _show_reports(outcomes: Sequence[Outcome]) -> None:
    if len(outcomes) > 1:
        _show_table(outcomes)
        return
    for outcome in outcomes:
        report = outcome.report
        if report is not None:
            dropped = f", {report['dropped']:,} dropped by privacy rules" if report.get("dropped") else ""
            click.echo(
                f"{outcome.file}: {quantity(report['imported'], 'event')} imported into "
                f"{quantity(report['buckets'], 'bucket')}, {report['skipped']:,} known, "
                f"{report['invalid']:,} invalid{dropped}"
            )


def _show_table(outcomes: Sequence[Outcome]) -> None:
    rows = [(str(outcome.file), *_cells(outcome)) for outcome in outcomes]
    reports = [outcome.report for outcome in outcomes if outcome.report is not None]
    sums = (f"{sum(report[name] for report in reports):,}" for name in _COUNTS[:-1])
    print_table(("file", "imported", "known", "invalid", "buckets", ""), [*rows, ("total", *sums, "", "")])


def _cells(outcome: Outcome) -> tuple[str, ...]:
    if outcome.report is None:
        assert outcome.error is not None
        return ("", "", "", "", outcome.error.message)
    dropped = outcome.report.get("dropped")
    note = f"{dropped:,} dropped by privacy rules" if dropped else ""
    return (*(f"{outcome.report[name]:,}" for name in _COUNTS), note)
