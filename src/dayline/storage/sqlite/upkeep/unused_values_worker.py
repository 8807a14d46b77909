"""The process that finds unused values.

   python -m dayline.storage.sqlite.upkeep.unused_values_worker DATABASE

It writes their keys, eight bytes each, in order.
"""

import os
import sys
from array import array
from pathlib import Path
from typing import Final

from dayline.model.errors import Unavailable
from dayline.storage.operations.background import ChildFailed, run_child
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.upkeep.value_use import ValueUse

_NICENESS: Final = 5  # low: its reads must not take long on a busy machine either


async def run_search(database: Path) -> list[int]:
    """The keys of unused values, found in a child process. Raises Unavailable."""
    try:
        answer = await run_child("dayline.storage.sqlite.upkeep.unused_values_worker", database)
    except ChildFailed as error:
        raise Unavailable(f"cannot search for unused values: {error}") from error
    return array("q", answer).tolist()


def main() -> None:
    """Write the keys to standard output."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    db = open_reader(Path(sys.argv[1]))
    try:
        sys.stdout.buffer.write(array("q", ValueUse(db).unused()).tobytes())
    finally:
        db.close()


if __name__ == "__main__":
    main()
