"""A query process: python -m dayline.cli.serve.query_process --cache-mib N --memory-mib N DATABASE [--still].

Without a DATABASE, the PostgreSQL database that DAYLINE_QUERY_DATABASE names. Each job says whose data it is about,
and whether it may be read from the standby that DAYLINE_QUERY_REPLICA names, if any.
"""

import os
from argparse import ArgumentParser
from functools import partial
from pathlib import Path

from dayline.insight.tasks import Answers
from dayline.query.processes.messages import DATABASE_VARIABLE, REPLICA_VARIABLE
from dayline.query.processes.worker import confine, serve
from dayline.storage.columns.cache import TenantColumns
from dayline.storage.opening import Location, open_columns


def main(answers: Answers | None = None) -> None:
    """Serve queries until standard input ends."""
    parser = ArgumentParser(prog="python -m dayline.cli.serve.query_process", description="Started by the server.")
    parser.add_argument("database", type=Path, nargs="?")
    parser.add_argument("--cache-mib", type=int, required=True)
    parser.add_argument("--memory-mib", type=int, required=True)
    parser.add_argument("--still", action="store_true")
    options = parser.parse_args()
    if options.database is None and DATABASE_VARIABLE not in os.environ:
        parser.error(f"there is neither a DATABASE nor {DATABASE_VARIABLE}")
    confine(memory_mib=options.memory_mib)
    cache_bytes = options.cache_mib << 20
    location: Location = options.database or os.environ[DATABASE_VARIABLE]
    replica = os.environ.get(REPLICA_VARIABLE)
    opened = partial(open_columns, location, cache_bytes=cache_bytes, is_still=options.still, replica=replica)
    columns = TenantColumns(opened, cache_bytes=cache_bytes)
    try:
        serve(columns, (answers or Answers()).answer)
    finally:
        columns.close()


if __name__ == "__main__":
    main()
