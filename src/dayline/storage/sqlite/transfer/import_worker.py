"""Previews an import: compares staged rows with those of the database.

It only reads, a few thousand rows at a time, so that no transaction lasts long.
"""

from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.runtime.sqlite_file import UNCHANGING, attach
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.transfer.report import ImportSurvey
from dayline.storage.transfer.staging import STAGED_FROM, Staged, StagedRange
from dayline.storage.transfer.survey import StoredHead, survey

# By its own id, or else by an alias, as the import will find it.
_BUCKET: Final = """
SELECT key, type, client, hostname, json(data) FROM main.bucket
WHERE deleted IS NULL AND (id = :id OR key = (SELECT bucket FROM main.alias WHERE id = :id)) ORDER BY id <> :id LIMIT 1
"""
_KNOWN: Final = """
SELECT count(*) FROM staged.row AS new CROSS JOIN staged.value AS text
WHERE new.number BETWEEN :first AND :last AND text.number = new.value
AND EXISTS (
    SELECT 1 FROM main.event AS old CROSS JOIN main.value AS ours
    WHERE old.bucket = :bucket AND old.start = new.start - :origin AND old.duration = new.duration
    AND ours.key = old.value AND ours.json = text.json
)
"""


class AttachedRows:
    """See StoredRows: the database with the staged rows attached."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        attach(db, path, "staged", options=UNCHANGING)

    def find(self, bucket_id: str) -> StoredHead | None:
        row: tuple[Any, ...] | None = self._db.execute(_BUCKET, {"id": bucket_id}).fetchone()
        if row is None:
            return None
        key, kind, client, hostname, data = row
        return StoredHead(
            key=int(key),
            type=str(kind),
            client=str(client),
            hostname=str(hostname),
            data=msgspec.json.decode(str(data)),
        )

    def known(self, bucket: int, rows: StagedRange) -> int:
        place = {"bucket": bucket, "origin": ORIGIN - STAGED_FROM, "first": rows.first, "last": rows.last}
        return int(self._db.execute(_KNOWN, place).get)


def survey_import(path: Path, database: Path, staged: Staged) -> ImportSurvey:
    """What importing a staged file would do. It may take seconds: call it in a child process."""
    with closing(open_without_trace(database)) as db:
        return survey(staged, AttachedRows(db, path))
