"""The process that measures the disk space used by a database.

   python -m dayline.storage.sqlite.upkeep.space_worker DATABASE

Counting pages and scanning all values takes a second or more of CPU time, which must not slow down recording.
"""

import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from dayline.model.errors import Unavailable
from dayline.model.upkeep import FileSpace
from dayline.storage.operations.background import ChildFailed, run_child
from dayline.storage.sqlite.upkeep.space import space_of

_NICENESS: Final = 5  # low: its reads must not take long on a busy machine either


async def run_space(database: Path) -> FileSpace:
    """Measure the file in a child process. Raises Unavailable."""
    try:
        answer = await run_child("dayline.storage.sqlite.upkeep.space_worker", database)
    except ChildFailed as error:
        raise Unavailable(f"cannot measure the disk space of the database: {error}") from error
    return msgspec.json.decode(answer, type=FileSpace)


def main() -> None:
    """Print the measurement as JSON."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    sys.stdout.buffer.write(msgspec.json.encode(space_of(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
