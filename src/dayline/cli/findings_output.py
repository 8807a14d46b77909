"""What `dayline findings` prints."""

from datetime import datetime
from typing import Any, Final

import click

from dayline.cli.screens.amounts import counted, duration
from dayline.model.findings import MENDS

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
    events, buckets = counted(found["events"], "event"), counted(found["buckets"], "bucket")
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
    one, several = _NOUNS[kind]
    return f"{count:,} {one if count == 1 else several}"


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
