"""The process that previews downsampling.

   python -m dayline.storage.sqlite.upkeep.downsampling_worker DATABASE

It reads buckets with their ages (JSON) from standard input. Grouping years of events takes seconds of CPU time.
"""

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep import DownsamplingPreview
from dayline.storage.operations.background import ChildFailed, run_child
from dayline.storage.retention.downsampling import preview
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.upkeep.downsampling import SqliteDownsamplingReads

_NICENESS: Final = 5  # low: its reads must not take long on a busy machine either


class PreviewJob(Struct, frozen=True, kw_only=True):
    """Buckets with the age at which they are downsampled."""

    now: Microseconds
    days: dict[str, int]


async def run_preview(database: Path, job: PreviewJob) -> list[DownsamplingPreview]:
    """Preview downsampling in a child process. Raises Unavailable."""
    try:
        answer = await run_child(
            "dayline.storage.sqlite.upkeep.downsampling_worker", database, given=msgspec.json.encode(job)
        )
    except ChildFailed as error:
        raise Unavailable(f"cannot preview retention: {error}") from error
    return msgspec.json.decode(answer, type=list[DownsamplingPreview])


def main() -> None:
    """Print the preview as JSON."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=PreviewJob)
    db = open_without_trace(Path(sys.argv[1]))
    try:
        previews = preview(SqliteDownsamplingReads(lambda: nullcontext(db)), job.days, now=job.now)
    finally:
        db.close()
    sys.stdout.buffer.write(msgspec.json.encode(previews))


if __name__ == "__main__":
    main()
