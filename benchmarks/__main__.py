"""Measures Dayline and prints the table of the design's figures.

    python -m benchmarks [--only NAME ...] [--quick] [--json FILE]

Figures are printed, never asserted: they move with the machine, and only what is measured in one run can be compared.
"""

import argparse
import http.client
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks import (
    all_time,
    backups,
    exporting,
    extremes,
    growth,
    guarded,
    heartbeats,
    importing,
    insight,
    mixed,
    operations,
    queries,
    reads,
    rest,
    rust_server,
    sync,
    timelines,
)
from benchmarks.server import dayline_command
from benchmarks.table import Figure, NotMeasured, not_measured, print_table, write_json
from benchmarks.workbench import Workbench

HERE: Final = Path(__file__).parent

MEASURES: Final[dict[str, Callable[[Workbench], Iterator[Figure]]]] = {
    "heartbeats": heartbeats.measure,
    "guarded": guarded.measure,
    "import": importing.measure,
    "export": exporting.measure,
    "rust-server": rust_server.measure,
    "reads": reads.measure,
    "queries": queries.measure,
    "timelines": timelines.measure,
    "timelines-all-time": timelines.measure_all_time,
    "mixed": mixed.measure,
    "backups": backups.measure,
    "operations": operations.measure,
    "memory": rest.measure_memory,
    "start": rest.measure_start,
    "growth": growth.measure,
    "all-time": all_time.measure,
    "insight": insight.measure,
    "insight-all-time": insight.measure_all_time,
    "extremes": extremes.measure,
    "sync": sync.measure,
}


def main() -> None:
    """Take the measures asked for, one after the other, and print them together."""
    options = _options()
    progress = Console(stderr=True)
    cache = HERE / "cache"
    cache.mkdir(exist_ok=True)
    figures: list[Figure] = []
    # Beside the cache, not in the system's temporary folder: that may lie in memory, where a commit costs nothing.
    with tempfile.TemporaryDirectory(prefix="run-", dir=cache) as folder:
        bench = Workbench(command=options.command, folder=Path(folder), cache=cache, is_quick=options.quick)
        for name in options.only or MEASURES:
            with progress.status(f"measuring: {name}"):
                figures += _taken(name, bench)
    print_table(figures)
    write_json(figures, options.json, is_quick=options.quick)


def _taken(name: str, bench: Workbench) -> list[Figure]:
    """The figures of one measure. One that cannot be taken says so and leaves the others alone."""
    figures: list[Figure] = []
    try:
        for figure in MEASURES[name](bench):
            figures.append(figure)
    except (NotMeasured, OSError, http.client.HTTPException, subprocess.CalledProcessError) as error:
        figures.append(not_measured(name, str(error) or type(error).__name__))
    return figures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Dayline.")
    parser.add_argument("--only", nargs="+", choices=MEASURES, metavar="NAME", help=f"of: {', '.join(MEASURES)}")
    parser.add_argument("--quick", action="store_true", help="short rounds, 60 days of data, no growth")
    parser.add_argument("--json", type=Path, default=HERE / "results" / "latest.json", metavar="FILE")
    parser.add_argument(
        "--command", type=shlex.split, default=dayline_command(), help="the server to measure; default: dayline"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
