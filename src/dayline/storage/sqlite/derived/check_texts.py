"""Compares the full-text index with the texts it was made from."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.sqlite.derived.file import UNUSABLE, DerivedReader, derived_path, epoch_of, identity
from dayline.storage.sqlite.derived.text_index import Indexed, TextIndex
from dayline.transform.text import Clause, TextQuery, document_of

SAMPLE: Final = 1000  # values searched per bucket
_MAX_WORDS: Final = 100  # of a string: a long text takes long to search for

_BUCKETS: Final = "SELECT key, id, dictionary FROM bucket WHERE deleted IS NULL"
_COUNT: Final = "SELECT count(*) FROM value WHERE bucket = ? AND key <= ?"
_EVERY: Final = """
SELECT key, json FROM (
    SELECT key, json, row_number() OVER (ORDER BY key) AS number FROM value WHERE bucket = ? AND key <= ?
) WHERE number % ? = 0
"""


def check_texts(db: apsw.Connection, path: Path) -> list[str]:
    """The differences, as text. An index that no search would use is skipped."""
    if identity(derived_path(path)) is None:
        return []
    try:
        with closing(DerivedReader(derived_path(path), epoch=epoch_of(db))) as reader:
            return list(_compared_texts(db, reader.texts))
    except UNUSABLE as error:
        # Of another file, or outdated: it is rebuilt automatically.
        return [f"the full-text index cannot be read: {error}"] if isinstance(error, apsw.Error) else []


def _compared_texts(db: apsw.Connection, texts: TextIndex) -> Iterator[str]:
    marks = texts.marks()
    for bucket, bucket_id, dictionary in msgspec.convert(db.execute(_BUCKETS).fetchall(), list[tuple[int, str, int]]):
        if marks.has_table(bucket, dictionary):
            wrong = sum(not _is_there(texts, bucket, key, text) for key, text in _sample(db, marks.indexed[bucket]))
            if wrong:
                yield f"{bucket_id}: the full-text index differs from the dictionary in {wrong:,} values"


def _sample(db: apsw.Connection, indexed: Indexed) -> list[tuple[int, str]]:
    """A sample of values from all parts of the bucket."""
    count = int(db.execute(_COUNT, (indexed.bucket, indexed.upto)).get)
    rows = db.execute(_EVERY, (indexed.bucket, indexed.upto, max(1, count // SAMPLE))).fetchall()
    return msgspec.convert(rows, list[tuple[int, str]])


def _is_there(texts: TextIndex, bucket: int, key: int, text: str) -> bool:
    clauses = [
        Clause(words=tuple(words[:_MAX_WORDS]), field=field)
        for field, strings in document_of(text.encode()).items()
        for words in strings
        if words
    ]
    return not clauses or texts.has(bucket, key, TextQuery(tuple(clauses)))
