"""The process that measures what takes room in a database.

    python -m dayline.storage.sqlite.upkeep.space_worker DATABASE

Counting the pages of years and looking through all values takes a second or more of a processor, and none of that is
to be felt by what is recorded meanwhile.
"""

import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from dayline.model.errors import Unavailable
from dayline.model.upkeep import FileSpace
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.sqlite.upkeep.space import space_of

_NICENESS: Final = 5  # a little only: its reads must not last on a busy machine either


async def run_space(database: Path) -> FileSpace:
    """Measure the file in a process of its own. Raises Unavailable."""
    try:
        answer = await run_child("dayline.storage.sqlite.upkeep.space_worker", database)
    except ChildFailed as error:
        raise Unavailable(f"the room that the database takes cannot be told at present: {error}") from error
    return msgspec.json.decode(answer, type=FileSpace)


def main() -> None:
    """Write what takes room to the standard output, as JSON."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    sys.stdout.buffer.write(msgspec.json.encode(space_of(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
