"""The output of `dayline database`: the state of a PostgreSQL database, and what was copied."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click
import msgspec
from msgspec import Struct

from dayline.cli.screens.layout import print_table
from dayline.model.time import SECOND
from dayline.runtime.text import format_size, quantity

if TYPE_CHECKING:
    from dayline.maintenance.database_copy import CopyProof
    from dayline.maintenance.migration.model import Sums
    from dayline.storage.postgres.overview import Overview

_STATES: Final = {
    "empty": "no tables yet: dayline database init creates them",
    "old": "from an older Dayline: dayline database upgrade upgrades them",
    "current": "up to date",
    "newer": "from a newer Dayline, compatible with this one",
    "too_new": "from a newer Dayline, not compatible with this one",
}
_WORDS: Final = {
    "value": "distinct values", "month": "months", "alias": "aliases", "setting": "settings",
    "setting_history": "changes of settings", "operation": "undo entries", "operation_event": "events in the trash",
    "access_key": "keys", "session": "sessions", "once": "idempotency keys", "audit": "lines of the audit log",
    "own_setting": "internal settings", "own_setting_history": "changes of internal settings",
}  # fmt: skip


class FileOverview(Struct, frozen=True, kw_only=True):
    """A database file. `server` is the address of the server that uses it, or null."""

    file: str
    bytes: int
    is_encrypted: bool
    server: str | None
    buckets: int
    events: int


def print_file(overview: FileOverview) -> None:
    """Print the state of a database file."""
    click.echo(f"{overview.file}, {format_size(overview.bytes)}{', encrypted' if overview.is_encrypted else ''}")
    click.echo(f"data: {quantity(overview.buckets, 'bucket')}, {quantity(overview.events, 'event')}")
    click.echo(f"server: {overview.server or 'none'}")


def print_overview(overview: "Overview") -> None:
    """Print the state of a database."""
    click.echo(f"{overview.name}, PostgreSQL {overview.postgres}")
    click.echo(f"tables: {_STATES[overview.state]}" + (f" (schema {overview.version})" if overview.version else ""))
    if overview.state in ("current", "newer"):
        click.echo(f"data: {quantity(overview.buckets, 'bucket')}, {quantity(overview.events, 'event')}")
    if overview.tenants:
        click.echo(f"other tenants with keys: {', '.join(overview.tenants)}")
    click.echo(f"other connections of Dayline: {overview.connections}")


def print_copied(proof: "CopyProof", *, tenant: str) -> None:
    """Print what was copied, and the proof."""
    click.echo(f"from {proof.source}\nto   {proof.target}")
    print_proof(
        (each.bucket, "in the trash" if each.is_deleted else "", each.there, each.here) for each in proof.buckets
    )
    for table in proof.tables:
        if table.table in _WORDS and table.there.events and table.is_proven:
            click.echo(f"{_WORDS[table.table]}: {table.there.events:,}, equal")
        elif not table.is_proven:
            click.secho(
                f"{table.table}: {table.there.events:,} in the source, {table.here.events:,} in the target, DIFFERS",
                fg="red",
            )
    for words in proof.left_out:
        click.echo(f"not copied: {words}")
    if proof.is_proven and proof.left_out:
        click.echo(f"Copied the tenant {tenant or 'without a name'}: source and target are equal.", err=True)
        click.echo("  → copy other tenants one by one, with --tenant", err=True)
    elif proof.is_proven:
        click.echo("Copied everything: source and target are equal.", err=True)
    else:
        click.secho("The copy differs from its source and was deleted.", fg="red", err=True)


def as_document(proof: "CopyProof") -> str:
    """The same as JSON. Durations are in microseconds."""
    document = {
        **msgspec.structs.asdict(proof),
        "is_proven": proof.is_proven,
        "buckets": [{**msgspec.structs.asdict(each), "is_proven": each.is_proven} for each in proof.buckets],
        "tables": [{**msgspec.structs.asdict(each), "is_proven": each.is_proven} for each in proof.tables],
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode()


def print_proof(rows: Iterable[tuple[str, str, "Sums", "Sums"]]) -> None:
    """Print the proof of each bucket: its id, a remark, and the sums of the source above those of the target."""
    print_table(
        ("bucket", "", "events", "time", "checksum", "proof"),
        [
            row
            for bucket, remark, source, target in rows
            for row in (
                (bucket, "source", *_sums(source), ""),
                (f"  {remark}" if remark else "", "target", *_sums(target), "equal" if source == target else "DIFFERS"),
            )
        ],
    )


def _sums(sums: "Sums") -> tuple[str, str, str]:
    length = f"{sums.duration / SECOND:,.6f}".rstrip("0").rstrip(".")
    return f"{sums.events:,}", f"{length} s", sums.checksum[:12]
