"""A query process on a database: python -m dayline.cli.query_worker DATABASE --cache-mib N --memory-mib N [--still]."""

from argparse import ArgumentParser
from pathlib import Path

from dayline.insight.work import answer
from dayline.query.confinement import confine
from dayline.query.worker import serve
from dayline.storage.sqlite.columns import SqliteColumns


def main() -> None:
    """Serve queries until standard input ends."""
    parser = ArgumentParser(prog="python -m dayline.cli.query_worker", description="Started by the server.")
    parser.add_argument("database", type=Path)
    parser.add_argument("--cache-mib", type=int, required=True)
    parser.add_argument("--memory-mib", type=int, required=True)
    parser.add_argument("--still", action="store_true")
    options = parser.parse_args()
    confine(memory_mib=options.memory_mib)
    columns = SqliteColumns(options.database, cache_bytes=options.cache_mib << 20, is_still=options.still)
    try:
        serve(columns, answer)
    finally:
        columns.close()


if __name__ == "__main__":
    main()
