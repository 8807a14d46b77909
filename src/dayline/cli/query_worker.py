"""A query process: python -m dayline.cli.query_worker --cache-mib N --memory-mib N DATABASE [--still].

Without a DATABASE, the PostgreSQL database that DAYLINE_QUERY_DATABASE names, of which [--tenant T].
"""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from dayline.cli.query_command import DATABASE_VARIABLE
from dayline.insight.work import answer
from dayline.query.confinement import confine
from dayline.query.worker import serve

if TYPE_CHECKING:
    from dayline.storage.postgres.columns import PostgresColumns
    from dayline.storage.sqlite.columns import SqliteColumns


def main() -> None:
    """Serve queries until standard input ends."""
    parser = ArgumentParser(prog="python -m dayline.cli.query_worker", description="Started by the server.")
    parser.add_argument("database", type=Path, nargs="?")
    parser.add_argument("--tenant", default="")
    parser.add_argument("--cache-mib", type=int, required=True)
    parser.add_argument("--memory-mib", type=int, required=True)
    parser.add_argument("--still", action="store_true")
    options = parser.parse_args()
    if options.database is None and DATABASE_VARIABLE not in os.environ:
        parser.error(f"there is neither a DATABASE nor {DATABASE_VARIABLE}")
    confine(memory_mib=options.memory_mib)
    columns = _columns(options)
    try:
        serve(columns, answer)
    finally:
        columns.close()


def _columns(options: Namespace) -> "SqliteColumns | PostgresColumns":
    # Imported here: a process needs one of them, and psycopg is not everywhere.
    cache_bytes = options.cache_mib << 20
    if options.database is not None:
        from dayline.storage.sqlite.columns import SqliteColumns

        return SqliteColumns(options.database, cache_bytes=cache_bytes, is_still=options.still)
    from dayline.storage.postgres.columns import PostgresColumns

    return PostgresColumns(os.environ[DATABASE_VARIABLE], options.tenant, cache_bytes=cache_bytes)


if __name__ == "__main__":
    main()
