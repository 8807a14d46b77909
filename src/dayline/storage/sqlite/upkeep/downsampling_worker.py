"""The process that previews downsampling.

   python -m dayline.storage.sqlite.upkeep.downsampling_worker DATABASE

It reads buckets with their ages (JSON) from standard input. Grouping years of events takes seconds of CPU time.
"""

import os
import sys
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import BucketNotFound, Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep import DownsamplingPreview
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.retention.downsampling import cutoff_of
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.upkeep.downsampling import count_removed, months_to_downsample
from dayline.storage.sqlite.upkeep.space import table_sizes

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
    sys.stdout.buffer.write(msgspec.json.encode(preview(Path(sys.argv[1]), job)))


def preview(database: Path, job: PreviewJob) -> list[DownsamplingPreview]:
    """Preview downsampling of buckets, in short transactions."""
    db = open_without_trace(database)
    try:
        event_bytes = _event_bytes(db)
        found: list[DownsamplingPreview] = []
        for bucket_id, days in job.days.items():
            try:
                key = bucket_key(db, bucket_id)
            except BucketNotFound:
                continue
            spans = months_to_downsample(db, key, cutoff_of(job.now, days))
            removed = sum(count_removed(db, key, span) for span in spans)
            events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month WHERE bucket = ?", (key,)).get)
            size = round(removed * event_bytes)
            found.append(
                DownsamplingPreview(bucket=bucket_id, days=days, events=events, after=events - removed, bytes=size)
            )
        return found
    finally:
        db.close()


def _event_bytes(db: apsw.Connection) -> float:
    """The average size of an event with its share of the index."""
    events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
    return table_sizes(db).of("event", "event_id") / events if events else 0.0


if __name__ == "__main__":
    main()
