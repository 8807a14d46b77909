"""`dayline demo`: invented activity to look around with, the same for the same seed."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import BinaryIO, cast

import click

from dayline.client.key_file import read_key_file
from dayline.model.errors import Invalid

EXAMPLES = """\b
Examples:
  dayline demo --days 30                       into the server on this machine
  dayline demo --days 30 --output demo.json    into a file, as an export document
"""


@click.command(epilog=EXAMPLES)
@click.option("--seed", default=7, show_default=True, help="Another seed is another life.")
@click.option("--days", type=click.IntRange(1, 4000), default=400, show_default=True, help="How many days.")
@click.option("--devices", type=click.IntRange(1, 9), default=3, show_default=True, help="Laptop, desktop, phone, …")
@click.option(
    "--end", type=click.DateTime(["%Y-%m-%d"]), help="The last day. [default: today, up to now]",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="File, or - for stdout."
)
@click.option("--to", "url", default="http://127.0.0.1:5600", show_default=True, help="Server to send it to.")
@click.option(
    "--key-file", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with a key of scope full, where the server asks for one.",
)  # fmt: skip
def demo(
    seed: int, days: int, devices: int, end: datetime | None, output: Path | None, url: str, key_file: Path | None
) -> None:
    """Make demo activity: buckets of several devices, as watchers would have recorded them.

    Sent to a server it can be removed again by deleting its buckets: their host names are laptop, desktop and phone.
    """
    # Here, because the other commands start quicker without them.
    from dayline.cli.upload import upload_to
    from dayline.demo.export import write_export
    from dayline.demo.history import History

    now = datetime.now(UTC)
    last_day: date = now.date() if end is None else end.date()
    history = History(seed=seed, days=days, devices=devices, end=last_day, until=now if end is None else None)
    if output is None:
        with upload_to(url, key=None if key_file is None else read_key_file(key_file)) as upload:
            write_export(history.buckets(), cast("BinaryIO", upload))
            report = upload.finish()
        click.echo(
            f"{report.imported:,} events in {report.buckets} buckets are now at {url} ({report.skipped:,} were there)",
            err=True,
        )
    else:
        with _opened(output) as file:
            count = write_export(history.buckets(), file)
        click.echo(f"{count:,} events written to {output}", err=True)


@contextmanager
def _opened(output: Path) -> Generator[BinaryIO]:
    if str(output) == "-":
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise Invalid(f"cannot write {output}: {error.strerror}") from error
