"""What commands print: tables for people, JSON for programs."""

from collections.abc import Iterable, Sequence

import click
import msgspec


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings; as plain text where the output is not a terminal."""
    # Here, because most commands print none, and start quicker without it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # as text: a name may hold what rich takes for markup
    if not console.is_terminal:
        console.width = 10_000  # nothing is folded in a file
    console.print(table)


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
