"""The process that looks for values that nobody has.

    python -m dayline.storage.sqlite.upkeep.unused_values_worker DATABASE

It writes their numbers, eight bytes each, in order.
"""

import os
import sys
from array import array
from pathlib import Path
from typing import Final

from dayline.model.errors import Unavailable
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.upkeep.value_use import ValueUse

_NICENESS: Final = 5  # a little only: its reads must not last on a busy machine either


async def run_search(database: Path) -> list[int]:
    """The numbers of values that nobody has, looked for by a process of its own. Raises Unavailable."""
    try:
        answer = await run_child("dayline.storage.sqlite.upkeep.unused_values_worker", database)
    except ChildFailed as error:
        raise Unavailable(f"the values that nobody has cannot be looked for at present: {error}") from error
    return array("q", answer).tolist()


def main() -> None:
    """Write the numbers to the standard output."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    db = open_reader(Path(sys.argv[1]))
    try:
        sys.stdout.buffer.write(array("q", ValueUse(db).unused()).tobytes())
    finally:
        db.close()


if __name__ == "__main__":
    main()
