"""`dayline logs`: the log of the server, and the audit log."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TextIO

import click
import msgspec
from msgspec import Struct

from dayline.cli.calls.local import reading_server
from dayline.cli.groups import Group
from dayline.cli.options.names import bucket_ids, key_ids
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_list
from dayline.config.data_folder import DataFile, data_file
from dayline.config.sections import LOG_LEVELS
from dayline.model.audit import AuditLine, AuditPage
from dayline.model.errors import NotFound, Unavailable

EXAMPLES = """\b
Examples:
  dayline logs
  dayline logs --follow
  dayline logs audit --rejected --last 7d
"""
SHOW_EXAMPLES = """\b
Examples:
  dayline logs
  dayline logs -n 200 --level warning
  dayline logs --follow
  dayline logs --json | jq .message
"""
AUDIT_EXAMPLES = """\b
Examples:
  dayline logs audit
  dayline logs audit --rejected --last 7d
  dayline logs audit --bucket aw-watcher-window_laptop --json
"""
INTERVAL_S: Final = 0.5  # between two reads while following


class _Record(Struct):
    timestamp: str = ""
    level: str = ""
    message: str = ""


@click.group(cls=Group, default="show", epilog=EXAMPLES)
def logs() -> None:
    """Show the server's log, or the audit log."""


@logs.command(epilog=SHOW_EXAMPLES)
@click.option("--follow", "-f", "is_followed", is_flag=True, help="Print new lines as they are written, until Ctrl-C.")
@click.option("--lines", "-n", type=click.IntRange(0), default=50, show_default=True, help="Number of lines.")
@click.option("--level", type=click.Choice(LOG_LEVELS), default="debug", help="Minimum level. [default: all]")
@as_json
@on_database
def show(settings: Settings, is_followed: bool, lines: int, level: str, is_json: bool) -> None:
    """Show the log of the server.

    --json prints one JSON object per line. The log is a file in the folder of the database, which the server rotates
    at 5 MiB. You can read it while no server runs.
    """
    path = data_file(settings.database, DataFile.LOG)
    try:
        opened = path.open(encoding="utf-8", errors="replace")
    except FileNotFoundError as error:
        raise NotFound(f"there is no log {path}", hint="the server creates it when it starts: dayline serve") from error
    except OSError as error:
        raise Unavailable(
            f"cannot read the log {path}: {error.strerror}", hint="run this as the user who runs the server"
        ) from error
    wanted = LOG_LEVELS[LOG_LEVELS.index(level) :]
    with opened as file:
        for line in deque((line for line in file if _is_wanted(line, wanted)), maxlen=lines):
            _print(line, is_json=is_json)
        if is_followed:
            sys.stdout.flush()
            for line in _following(path, file):
                if _is_wanted(line, wanted):
                    _print(line, is_json=is_json)
                    sys.stdout.flush()


def readable_line(line: str) -> str:
    """A line of the log as text: time in this computer's zone, level, message."""
    try:
        record = msgspec.json.decode(line, type=_Record)
    except msgspec.MsgspecError:
        return line.rstrip("\n")
    local = datetime.fromisoformat(record.timestamp).astimezone()
    return f"{local:%Y-%m-%d %H:%M:%S} {record.level:<7} {record.message}"


def _is_wanted(line: str, levels: tuple[str, ...]) -> bool:
    if len(levels) == len(LOG_LEVELS):
        return True
    try:
        return msgspec.json.decode(line, type=_Record).level in levels
    except msgspec.MsgspecError:
        return False


def _print(line: str, *, is_json: bool) -> None:
    click.echo(line.rstrip("\n") if is_json else readable_line(line))


def _following(path: Path, file: TextIO) -> Iterator[str]:
    """New lines of a file that is appended to. Continues with the new file after a rotation."""
    pending = ""
    try:
        while True:
            pending += file.readline()
            if pending.endswith("\n"):
                yield pending
                pending = ""
                continue
            if _is_rotated(path, file):
                file = path.open(encoding="utf-8", errors="replace")
                continue
            time.sleep(INTERVAL_S)
    finally:
        file.close()


def _is_rotated(path: Path, file: TextIO) -> bool:
    import os  # here, because only --follow needs it

    try:
        return os.stat(path).st_ino != os.fstat(file.fileno()).st_ino
    except OSError:
        return False  # between the rename and the new file


@logs.command(epilog=AUDIT_EXAMPLES)
@click.option("--key", shell_complete=key_ids, help="Only requests with the key of this id.")
@click.option("--bucket", shell_complete=bucket_ids, help="Only requests about this bucket.")
@click.option("--rejected", is_flag=True, help="Only rejected requests.")
@range_options()
@limit_option(50, maximum=1000)
@as_json
@on_database
def audit(
    settings: Settings, key: str | None, bucket: str | None, rejected: bool, range_: Range, limit: int, is_json: bool
) -> None:
    """Show the audit log, newest first.

    Requests that record or read are counted per day, rejected ones per hour. Every request that deletes data has its
    own line.
    """
    with reading_server(settings) as server:
        since, until = range_.edges(view_of(server)) if range_.is_given else (None, None)
        answer: Any = server.call(
            "GET", "/api/1/audit", key=key, bucket=bucket, refused="1" if rejected else None, since=since, until=until,
            limit=limit,
        )  # fmt: skip
    page = msgspec.convert(answer, AuditPage)
    is_table = print_list(
        answer["lines"],
        ("last", "times", "who", "from", "request", "bucket", "status"),
        [_row(line) for line in page.lines],
        empty="The audit log has no matching lines.",
        is_json=is_json,
    )
    if is_table and page.cursor:
        click.echo(f"There are more: --limit {min(limit * 2, 1000)}", err=True)


def _row(line: AuditLine) -> tuple[str, ...]:
    last = datetime.fromisoformat(line.last).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    who = f"{line.who} ({line.key_name})" if line.key_name else line.who
    return last, f"{line.count:,}", who, line.address, line.call, line.bucket or "-", str(line.status)
