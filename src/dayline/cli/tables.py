"""What commands print: tables for people, JSON for programs."""

from collections.abc import Iterable, Sequence

import click
import msgspec

from dayline.cli.screens.folding import folded_table
from dayline.cli.screens.screen import screen_of_output


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings; as plain text where the output is not a terminal."""
    screen = screen_of_output()
    screen.show(folded_table(screen, columns, [*rows]))


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
