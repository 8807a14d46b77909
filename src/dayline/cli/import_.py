"""`dayline import`: export documents into the database, with a look at what they hold before."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from dayline.cli.local import LocalServer, local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json, print_table
from dayline.model.errors import Invalid, Unavailable

WAIT_S: Final = 1  # between two looks at how far it is
EXAMPLES = """\b
Examples:
  dayline import aw-buckets-export.json --dry-run      what would happen
  dayline import aw-buckets-export.json
  dayline import laptop.json phone.json --json
"""


@click.command("import", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Tell what would happen, and change nothing.")
@as_json
@on_database
def import_(settings: Settings, files: tuple[Path, ...], dry_run: bool, is_json: bool) -> None:
    """Import export documents of this or of another server.

    Events that are there already are skipped, so that importing a file again changes nothing. Recording goes on
    meanwhile. Databases of other servers are for dayline migrate.
    """
    with local_server(settings) as server:
        told = [_sent(server, file, dry_run="1") if dry_run else _imported(server, file) for file in files]
    if is_json:
        print_json([{"file": str(file), **each} for file, each in zip(files, told, strict=True)])
    elif dry_run:
        _show_surveys(files, told)
    else:
        _show_reports(files, told)


def _sent(server: LocalServer, path: Path, **query: str) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            answer: dict[str, Any] = server.send("/api/1/imports", file, **query)
            return answer
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error


def _imported(server: LocalServer, path: Path) -> dict[str, Any]:
    """The report on a file. Raises Unavailable with the job's own words where it did not come to its end."""
    job = _sent(server, path)
    with _progress(path.name) as show:
        try:
            while job["state"] == "running":
                job = server.call("GET", f"/api/1/jobs/{job['id']}", wait_s=WAIT_S)
                show(job["progress"])
        except KeyboardInterrupt:
            job = server.call("DELETE", f"/api/1/jobs/{job['id']}")
    if job["state"] != "done":
        error = job["error"]
        raise Unavailable(f"{path.name}: {error['message']}", hint=error["hint"])
    report: dict[str, Any] = job["result"]
    return report


def _show_surveys(files: Sequence[Path], surveys: Sequence[dict[str, Any]]) -> None:
    for file, survey in zip(files, surveys, strict=True):
        click.echo(file)
        print_table(
            ("bucket", "new", "known", "unusable", "dropped", ""),
            [
                (
                    bucket["id"],
                    *(f"{bucket[name]:,}" for name in ("new", "known", "invalid", "dropped")),
                    _remark(bucket),
                )
                for bucket in survey["buckets"]
            ],
        )
    click.echo("Nothing was changed. Without --dry-run it is imported.", err=True)


def _remark(bucket: dict[str, Any]) -> str:
    if bucket["is_new"]:
        return "a new bucket"
    if bucket["conflicts"]:
        return f"{', '.join(bucket['conflicts'])} differ; those that are stored stay"
    return ""


def _show_reports(files: Sequence[Path], reports: Sequence[dict[str, Any]]) -> None:
    for file, report in zip(files, reports, strict=True):
        dropped = f", {report['dropped']:,} dropped by privacy rules" if report.get("dropped") else ""
        click.echo(
            f"{file}: {report['imported']:,} events imported into {report['buckets']:,} buckets, "
            f"{report['skipped']:,} were there, {report['invalid']:,} cannot be used{dropped}"
        )


@contextmanager
def _progress(name: str) -> Generator[Callable[[dict[str, Any]], None]]:
    """What is to be told of a job's progress; shown where somebody looks."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    # Here, because it takes its time, and nobody may be looking.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("events"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        yield lambda told: progress.update(task, completed=told["done"], total=told["total"])
