"""A segment builder that halts at a chosen point.

    python -m tests.support.storage.halted_builder ENGINE POINT [DATABASE]

Like the real one, it reads a job from its standard input. At the point `wait` it waits until it is killed; at the
others it kills itself: at `first` before anything is stored, at `middle` within the transaction that stores the second
bucket, at `second` after it.
"""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import msgspec

from dayline.storage.columns.builder import SegmentBuilding
from dayline.storage.columns.months import SegmentKey
from dayline.storage.postgres.derived import builder as of_postgres
from dayline.storage.postgres.derived.job import BuildJob as PostgresJob
from dayline.storage.sqlite.derived import builder as of_sqlite
from dayline.storage.sqlite.derived.job import BuildJob as SqliteJob

Segment = tuple[SegmentKey, bytes]
MODULE = "tests.support.storage.halted_builder"


class Deadly(list[Segment]):
    """Segments of which only the first can be read."""

    def __iter__(self) -> Iterator[Segment]:
        yield self[0]
        _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _halt(kind: type[of_sqlite.BucketBuild] | type[of_postgres.BucketBuild], point: str) -> None:
    """Let it halt when it stores segments."""
    keep, count = kind.keep, 0

    def kept(build: SegmentBuilding, segments: list[Segment]) -> None:
        nonlocal count
        count += 1
        if point == "wait":
            signal.pause()
        if point == "first":
            _die()
        keep(build, Deadly(segments) if (point, count) == ("middle", 2) else segments)  # type: ignore[arg-type]
        if count == 2:
            _die()

    kind.keep = kept  # type: ignore[assignment]


def main() -> None:
    engine, point, *rest = sys.argv[1:]
    job = sys.stdin.buffer.read()
    if engine == "sqlite":
        _halt(of_sqlite.BucketBuild, point)
        of_sqlite.build(Path(rest[0]), msgspec.json.decode(job, type=SqliteJob))
    else:
        _halt(of_postgres.BucketBuild, point)
        of_postgres.build(msgspec.json.decode(job, type=PostgresJob))


if __name__ == "__main__":
    main()
