"""A segment builder that halts at a chosen point.

At the point `wait` it waits until it is killed; at the
others it kills itself: at `first` before anything is stored, at `middle` within the transaction that stores the second
bucket, at `second` after it.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from dayline.storage.columns.builder import SegmentBuilding
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey
from dayline.storage.operations.children import ChildFunction
from dayline.storage.postgres.derived import builder as of_postgres
from dayline.storage.sqlite.derived import builder as of_sqlite

Segment = tuple[SegmentKey, bytes]

halted_sqlite = ChildFunction("tests.support.storage.halted_builder:build_sqlite", BuildReport)
halted_postgres = ChildFunction("tests.support.storage.halted_builder:build_postgres", BuildReport)


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


def build_sqlite(point: str, database: Path, places: list[SegmentKey], *, is_from_scratch: bool) -> BuildReport:
    _halt(of_sqlite.BucketBuild, point)
    return of_sqlite.build(database, places, is_from_scratch=is_from_scratch)


def build_postgres(point: str, address: str, tenant: str, places: list[SegmentKey]) -> BuildReport:
    _halt(of_postgres.BucketBuild, point)
    return of_postgres.build(address, tenant, places)
