"""What an import would do: staged rows are compared with those of the database, in a process of its own.

    python -m dayline.storage.sqlite.import_survey STAGED DATABASE

The process is given what was staged as JSON, and answers with an ImportSurvey. It only reads, a few thousand rows at a
time, so that no transaction of it lasts.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.storage.base import ImportSurvey, SurveyedBucket
from dayline.storage.sqlite.child import ChildFailed, run_child
from dayline.storage.sqlite.connection import BUSY_TIMEOUT_MS
from dayline.storage.sqlite.faults import child_failed
from dayline.storage.sqlite.imports import stage_documents
from dayline.storage.sqlite.staged import Staged, StagedBucket
from dayline.transform.privacy import PrivacyRules

_ROWS_AT_ONCE: Final = 5000
_BUCKET: Final = "SELECT key, type, client, hostname, json(data) FROM main.bucket WHERE id = ? AND deleted IS NULL"
_KNOWN: Final = """
SELECT count(*) FROM staged.row AS new CROSS JOIN staged.value AS text
WHERE new.number BETWEEN :first AND :last AND text.number = new.value
AND EXISTS (
    SELECT 1 FROM main.value AS ours CROSS JOIN main.event AS old
    WHERE ours.hash = text.hash AND ours.bucket = :bucket AND ours.json = text.json
    AND old.bucket = :bucket AND old.start = new.start AND old.duration = new.duration AND old.value = ours.key
)
"""


async def survey_import(
    database: Path, documents: Sequence[Path], *, rules: PrivacyRules, folder: Path
) -> ImportSurvey:
    """Stage the documents, and compare. `folder` takes the staged file. Raises what an import would raise."""
    path = (folder / "staged.db").resolve()
    staged = await stage_documents(path, documents, rules)
    try:
        answer = await run_child(
            "dayline.storage.sqlite.import_survey", path, database, given=msgspec.json.encode(staged)
        )
    except ChildFailed as error:
        raise child_failed("nobody can tell what the import would do", str(error), database) from error
    return msgspec.json.decode(answer, type=ImportSurvey)


def survey(path: Path, database: Path, staged: Staged) -> ImportSurvey:
    """Compare what is staged with what is stored."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(str(database), flags=flags)) as db:
        db.set_busy_timeout(BUSY_TIMEOUT_MS)
        db.execute("ATTACH ? AS staged", (f"{path.as_uri()}?mode=ro&immutable=1",))
        found: dict[str, SurveyedBucket] = {}
        for bucket in staged.buckets:
            ranges = [(part.first, part.last) for part in staged.parts if part.bucket == bucket.number]
            surveyed = _surveyed(db, bucket, ranges)
            before = found.get(bucket.id)
            found[bucket.id] = surveyed if before is None else _together(before, surveyed)
    return ImportSurvey(buckets=list(found.values()))


def _surveyed(db: apsw.Connection, bucket: StagedBucket, ranges: Sequence[tuple[int, int]]) -> SurveyedBucket:
    ours: tuple[Any, ...] | None = db.execute(_BUCKET, (bucket.id,)).fetchone()
    rows = sum(last - first + 1 for first, last in ranges)
    known = 0 if ours is None else sum(_known(db, int(ours[0]), first, last) for first, last in ranges)
    return SurveyedBucket(
        id=bucket.id,
        is_new=ours is None,
        new=rows - known,
        known=known + bucket.events - rows,  # an event that the document has twice is there already the second time
        invalid=bucket.invalid,
        dropped=bucket.dropped,
        conflicts=[] if ours is None else _conflicts(bucket, ours),
    )


def _known(db: apsw.Connection, key: int, first: int, last: int) -> int:
    """How many of the rows the bucket has already."""
    count = 0
    for low in range(first, last + 1, _ROWS_AT_ONCE):
        place = {"bucket": key, "first": low, "last": min(low + _ROWS_AT_ONCE - 1, last)}
        count += int(db.execute(_KNOWN, place).get)
    return count


def _conflicts(bucket: StagedBucket, ours: tuple[Any, ...]) -> list[str]:
    """The fields that the document has otherwise. Those that are stored stay."""
    _, kind, client, hostname, data = ours
    pairs = {
        "type": (bucket.type, kind),
        "client": (bucket.client, client),
        "hostname": (bucket.hostname, hostname),
        "data": (bucket.data, msgspec.json.decode(str(data))),
    }
    return [name for name, (theirs, mine) in pairs.items() if theirs != mine]


def _together(one: SurveyedBucket, other: SurveyedBucket) -> SurveyedBucket:
    return SurveyedBucket(
        id=one.id,
        is_new=one.is_new,
        new=one.new + other.new,
        known=one.known + other.known,
        invalid=one.invalid + other.invalid,
        dropped=one.dropped + other.dropped,
        conflicts=sorted({*one.conflicts, *other.conflicts}),
    )


def main() -> None:
    path, database = map(Path, sys.argv[1:])
    staged = msgspec.json.decode(sys.stdin.buffer.read(), type=Staged)
    sys.stdout.buffer.write(msgspec.json.encode(survey(path, database, staged)))


if __name__ == "__main__":
    main()
