"""What an import would do: staged rows are compared with those of the database, a few thousand at a time."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from dayline.storage.base import ImportSurvey, SurveyedBucket
from dayline.storage.postgres.connections.connection import Connection, Readers
from dayline.storage.postgres.transfer.import_slices import known_places, stored_keys
from dayline.storage.postgres.transfer.staged_rows import StagedRows, StagedRun, runs_of
from dayline.storage.postgres.writing.turn import FIELDS, Found, found_of
from dayline.storage.transfer.staged import Staged, StagedBucket
from dayline.storage.transfer.surveyed import StoredHead, survey_of, surveyed_bucket

_ROWS_AT_ONCE: Final = 5000
# By its own id, or else by an alias, as the import will find it.
_FIND: Final = f"""
SELECT {FIELDS} FROM bucket
WHERE tenant = %(tenant)s AND deleted IS NULL
AND (id = %(id)s OR key = (SELECT bucket FROM alias WHERE tenant = %(tenant)s AND id = %(id)s))
ORDER BY id <> %(id)s LIMIT 1
"""


def survey(readers: Readers, tenant: str, path: Path, staged: Staged) -> ImportSurvey:
    """Compare what is staged with what is stored."""
    runs = runs_of(staged)
    with closing(StagedRows(path)) as rows:
        return survey_of(
            [
                _surveyed(readers, tenant, rows, bucket, [run for run in runs if run.bucket == bucket.number])
                for bucket in staged.buckets
            ]
        )


def _surveyed(
    readers: Readers, tenant: str, rows: StagedRows, bucket: StagedBucket, runs: Sequence[StagedRun]
) -> SurveyedBucket:
    with readers.transaction(tenant) as db:
        ours = _find(db, tenant, bucket.id)
    count = sum(run.last - run.first + 1 for run in runs)
    if ours is None:
        return surveyed_bucket(bucket, rows=count, known=0, stored=None)
    known = sum(_known(readers, tenant, ours.key, rows, run) for run in runs)
    head = ours.bucket
    stored = StoredHead(type=head.type, client=head.client, hostname=head.hostname, data=head.data)
    return surveyed_bucket(bucket, rows=count, known=known, stored=stored)


def _find(db: Connection, tenant: str, bucket_id: str) -> Found | None:
    row = db.execute(_FIND, {"tenant": tenant, "id": bucket_id}).fetchone()
    return None if row is None else found_of(row)


def _known(readers: Readers, tenant: str, key: int, rows: StagedRows, run: StagedRun) -> int:
    """How many of the rows the bucket has already."""
    count, keys = 0, dict[int, int]()
    for first in range(run.first, run.last + 1, _ROWS_AT_ONCE):
        found = rows.rows(first, min(first + _ROWS_AT_ONCE - 1, run.last))
        texts = rows.texts({row.value for row in found} - keys.keys())
        # A transaction each, so that none lasts.
        with readers.transaction(tenant) as db:
            stored = stored_keys(db, tenant, key, texts)
            keys |= {text.number: stored.get(text.number, 0) for text in texts}
            count += len(known_places(db, tenant, key, found, keys))
    return count
