"""`make soak`: everything together for some minutes, with faults; prints how far it is, and what came of it."""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import click

from tests.soak.soaking import Soak


def _tell(text: str) -> None:
    is_live = sys.stdout.isatty()
    click.echo(f"\r\x1b[K{text}" if is_live else text, nl=not is_live)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="decides what happens when")
    options = parser.parse_args()
    click.echo(f"{options.minutes:g} minutes, --seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), seed=options.seed, tell=_tell)
        deadline = time.monotonic() + options.minutes * 60
        soak.run(lambda: time.monotonic() >= deadline)
    click.echo(f"{soak.changes:,} changes by {len(soak.people)} people")
    click.echo("faults: " + ", ".join(f"{name} {count}" for name, count in sorted(soak.faults.items())))
    click.echo("backups: " + ", ".join(f"{name} {count}" for name, count in sorted(soak.backups.items())))
    click.echo("Every bucket holds exactly what was acknowledged.")


if __name__ == "__main__":
    main()
