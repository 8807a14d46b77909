"""Previews an import in its own process: compares staged rows with those of the database.

   python -m dayline.storage.sqlite.transfer.import_worker STAGED DATABASE

The process reads the staging result as JSON and prints an ImportSurvey. It only reads, a few thousand rows at a time,
so that no transaction lasts long.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.storage.background import ChildFailed, run_child
from dayline.storage.disk_faults import child_error
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.store import ImportSurvey, SurveyedBucket
from dayline.storage.transfer.staging import (
    STAGED_FROM,
    Staged,
    StagedBucket,
    StoredHead,
    stage_documents,
    survey_of,
    surveyed_bucket,
)
from dayline.transform.privacy import PrivacyRules

_ROWS_AT_ONCE: Final = 5000
# By its own id, or else by an alias, as the import will find it.
_BUCKET: Final = """
SELECT key, type, client, hostname, json(data) FROM main.bucket
WHERE deleted IS NULL AND (id = :id OR key = (SELECT bucket FROM main.alias WHERE id = :id)) ORDER BY id <> :id LIMIT 1
"""
_KNOWN: Final = """
SELECT count(*) FROM staged.row AS new CROSS JOIN staged.value AS text
WHERE new.number BETWEEN :first AND :last AND text.number = new.value
AND EXISTS (
    SELECT 1 FROM main.value AS ours CROSS JOIN main.event AS old
    WHERE ours.hash = text.hash AND ours.bucket = :bucket AND ours.json = text.json
    AND old.bucket = :bucket AND old.start = new.start - :origin AND old.duration = new.duration
    AND old.value = ours.key
)
"""


async def survey_import(
    database: Path, documents: Sequence[Path], *, rules: PrivacyRules, folder: Path
) -> ImportSurvey:
    """Stage the documents and compare them. `folder` is for the staged file. Raises what an import would raise."""
    path = (folder / "staged.db").resolve()
    staged = await stage_documents(path, documents, rules)
    try:
        answer = await run_child(
            "dayline.storage.sqlite.transfer.import_worker", path, database, given=msgspec.json.encode(staged)
        )
    except ChildFailed as error:
        raise child_error("cannot preview the import", str(error), database) from error
    return msgspec.json.decode(answer, type=ImportSurvey)


def survey(path: Path, database: Path, staged: Staged) -> ImportSurvey:
    """Compare the staged rows with the stored ones."""
    with closing(open_without_trace(database)) as db:
        db.execute("ATTACH ? AS staged", (f"{path.as_uri()}?mode=ro&immutable=1",))
        return survey_of([_surveyed(db, bucket, staged) for bucket in staged.buckets])


def _surveyed(db: apsw.Connection, bucket: StagedBucket, staged: Staged) -> SurveyedBucket:
    ours: tuple[Any, ...] | None = db.execute(_BUCKET, {"id": bucket.id}).fetchone()
    ranges = [(part.first, part.last) for part in staged.parts if part.bucket == bucket.number]
    rows = sum(last - first + 1 for first, last in ranges)
    if ours is None:
        return surveyed_bucket(bucket, rows=rows, known=0, stored=None)
    key, kind, client, hostname, data = ours
    known = sum(_known(db, int(key), first, last) for first, last in ranges)
    stored = StoredHead(type=str(kind), client=str(client), hostname=str(hostname), data=msgspec.json.decode(str(data)))
    return surveyed_bucket(bucket, rows=rows, known=known, stored=stored)


def _known(db: apsw.Connection, key: int, first: int, last: int) -> int:
    """The number of rows that the bucket already has."""
    count = 0
    for low in range(first, last + 1, _ROWS_AT_ONCE):
        place = {
            "bucket": key,
            "origin": ORIGIN - STAGED_FROM,
            "first": low,
            "last": min(low + _ROWS_AT_ONCE - 1, last),
        }
        count += int(db.execute(_KNOWN, place).get)
    return count


def main() -> None:
    path, database = map(Path, sys.argv[1:])
    staged = msgspec.json.decode(sys.stdin.buffer.read(), type=Staged)
    sys.stdout.buffer.write(msgspec.json.encode(survey(path, database, staged)))


if __name__ == "__main__":
    main()
