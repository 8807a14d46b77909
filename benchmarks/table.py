"""What a measure yields: figures, printed as a table and written as JSON."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table

# A file has no width of its own, and 80 columns would break every line.
WIDTH_IN_A_FILE = 140


class Figure(Struct, frozen=True, kw_only=True):
    """One line of the table. `is_met` is None where there is no goal or nothing was measured."""

    name: str
    goal: str = ""
    measured: str
    yardstick: str = ""
    is_met: bool | None = None
    values: dict[str, float] = {}  # the numbers behind the words, with the unit in the name


class NotMeasured(Exception):
    """Why a measure cannot be taken here; the others go on."""


def not_measured(name: str, reason: str) -> Figure:
    """A line that says why there is no figure."""
    return Figure(name=name, measured=f"not measured: {reason}")


def print_table(figures: Sequence[Figure]) -> None:
    """Print the figures beside their goals."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH_IN_A_FILE
    table = Table(title="Dayline, measured")
    for heading in ("figure", "goal", "measured", "met", "yardstick"):
        table.add_column(heading, overflow="fold")
    for figure in figures:
        met = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[figure.is_met]
        table.add_row(figure.name, figure.goal, figure.measured, met, figure.yardstick)
    console.print(table)


def write_json(figures: Sequence[Figure], path: Path, *, is_quick: bool) -> None:
    """Write the figures and what they were measured on; folders are made as needed."""
    document = {
        "taken": datetime.now(UTC),
        "is_quick": is_quick,
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "figures": figures,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
