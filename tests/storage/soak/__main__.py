"""`make soak`: everything together for some minutes, with faults; prints how far it is, and what came of it.

Half of the time the server stores its data in a file, half of the time in PostgreSQL.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import click

from tests.storage.soak.soaking import Soak
from tests.support.postgres.cluster import cluster


def _log(text: str) -> None:
    is_live = sys.stdout.isatty()
    click.echo(f"\r\x1b[K{text}" if is_live else text, nl=not is_live)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="decides what happens when")
    options = parser.parse_args()
    click.echo(f"{options.minutes:g} minutes, --seed {options.seed}")
    _soak(None, options.minutes / 2, options.seed)
    with cluster() as postgres:
        _soak(postgres.new_database(), options.minutes / 2, options.seed)
    click.echo("Every bucket holds exactly what was acknowledged.")


def _soak(address: str | None, minutes: float, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), seed=seed, address=address, log=_log)
        deadline = time.monotonic() + minutes * 60
        soak.run(lambda: time.monotonic() >= deadline)
    click.echo(
        f"{'SQLite' if address is None else 'PostgreSQL'}: {soak.changes:,} changes by {len(soak.clients)} clients"
    )
    click.echo("faults: " + ", ".join(f"{name} {count}" for name, count in sorted(soak.faults.items())))
    if soak.backups:
        click.echo("backups: " + ", ".join(f"{name} {count}" for name, count in sorted(soak.backups.items())))


if __name__ == "__main__":
    main()
