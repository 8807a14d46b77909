"""`dayline import`: export documents into the database, with a look at what they hold before."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
from msgspec import Struct

from dayline.cli.calls.local import LocalServer, reading_server, storing_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import DaylineError, Invalid, LostServer
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline import aw-buckets-export.json --dry-run      what would happen
  dayline import aw-buckets-export.json
  dayline import laptop.json phone.json --json
  dayline import exports/                              every .json file of a folder
"""
INTERRUPTED: Final = 130  # as shells have it for Ctrl-C
_COUNTS: Final = ("imported", "skipped", "invalid", "buckets")


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of a file: a report, or why there is none."""

    file: Path
    report: dict[str, Any] | None = None
    error: DaylineError | None = None


@click.command("import", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Tell what would happen, and change nothing.")
@as_json
@on_database
def import_(settings: Settings, files: tuple[Path, ...], dry_run: bool, is_json: bool) -> None:
    """Import export documents of this or of another server: FILES, or folders of them.

    Events that are there already are skipped, so that importing a file again changes nothing, and an import that was
    interrupted goes on when the same command is given again. Recording goes on meanwhile. A file that cannot be used
    does not keep the others out; the exit code tells. Databases of other servers are for dayline migrate.
    """
    outcomes: list[Outcome] = []
    is_interrupted = False
    with (reading_server if dry_run else storing_server)(settings) as server:
        try:
            for outcome in _outcomes(server, list(documents(files)), dry_run=dry_run):
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
        # Here, because most imports come to their end.
        from dayline.cli.calls.sending import AGAIN

        click.echo(f"Interrupted: {AGAIN}.", err=True)
        sys.exit(INTERRUPTED)
    _raise_first([outcome.error for outcome in outcomes if outcome.error is not None], len(outcomes))


def documents(files: Sequence[Path]) -> Iterator[Path]:
    """The files, and those of the folders by name. Raises Invalid for a folder without any."""
    for file in files:
        if not file.is_dir():
            yield file
            continue
        found = sorted(each for each in file.glob("*.json") if each.is_file())
        if not found:
            raise Invalid(f"there are no .json files in {file}", hint="name the files themselves")
        yield from found


def _outcomes(server: LocalServer, files: Sequence[Path], *, dry_run: bool) -> Iterator[Outcome]:
    """What becomes of each file, one after another. A server that is lost ends it: the others would fare no better."""
    # Here, because the other commands start quicker without it.
    from dayline.cli.calls.sending import import_file, send_file, sending_progress

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
    told: dict[str, Any] = {"file": str(outcome.file), **(outcome.report or {})}
    if outcome.error is not None:
        told["error"] = {"message": outcome.error.message, "hint": outcome.error.hint}
    return told


def _raise_first(errors: Sequence[DaylineError], files: int) -> None:
    """Raise the first error, which gives the exit code too."""
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
            ("bucket", "new", "known", "unusable", "dropped", ""),
            [
                (
                    bucket["id"],
                    *(f"{bucket[name]:,}" for name in ("new", "known", "invalid", "dropped")),
                    _remark(bucket),
                )
                for bucket in outcome.report["buckets"]
            ],
        )
    click.echo("Nothing was changed. Without --dry-run it is imported.", err=True)


def _remark(bucket: dict[str, Any]) -> str:
    if bucket["is_new"]:
        return "a new bucket"
    if bucket["conflicts"]:
        return f"{', '.join(bucket['conflicts'])} differ; those that are stored stay"
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
                f"{quantity(report['buckets'], 'bucket')}, {report['skipped']:,} were there, "
                f"{report['invalid']:,} cannot be used{dropped}"
            )


def _show_table(outcomes: Sequence[Outcome]) -> None:
    rows = [(str(outcome.file), *_cells(outcome)) for outcome in outcomes]
    reports = [outcome.report for outcome in outcomes if outcome.report is not None]
    sums = (f"{sum(report[name] for report in reports):,}" for name in _COUNTS[:-1])
    print_table(("file", "imported", "were there", "unusable", "buckets", ""), [*rows, ("together", *sums, "", "")])


def _cells(outcome: Outcome) -> tuple[str, ...]:
    if outcome.report is None:
        assert outcome.error is not None
        return ("", "", "", "", outcome.error.message)
    dropped = outcome.report.get("dropped")
    remark = f"{dropped:,} dropped by privacy rules" if dropped else ""
    return (*(f"{outcome.report[name]:,}" for name in _COUNTS), remark)
