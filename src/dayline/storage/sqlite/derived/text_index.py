"""The full-text index in the derived file: an FTS5 table for each bucket.

   value keys    1 ─────────── upto ──── newest
                 └── indexed ──┘└ scanned by a search ┘

`transform/text.py` splits texts into words first, so SQLite only has to split at blanks: the index matches exactly what
a scan of the texts matches. Keys of values only grow, and a changed text raises the `dictionary` count of its bucket:
an index is right for all values up to a key, or not at all.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from itertools import chain
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.transform.text import TEXT_FIELDS, Clause, Document, TextQuery

TEXT_TABLES: Final = """
CREATE TABLE text_index(
    bucket INTEGER PRIMARY KEY,
    dictionary INTEGER NOT NULL,    -- the bucket's count of changed texts
    upto INTEGER NOT NULL           -- every value of the bucket up to this number is in its table
) STRICT;
"""
BETWEEN_STRINGS: Final = "|"  # a word that cannot be searched for: phrases do not extend from one string to the next

LIVING: Final = "SELECT key, dictionary FROM bucket WHERE deleted IS NULL"

_MAX_WORDS: Final = 5000  # checked for a suggestion
_COLUMNS: Final = ", ".join(TEXT_FIELDS)
_UPTO: Final = "text_upto"  # in `meta`: all buckets that existed are indexed up to this key ...
_BUCKETS: Final = "text_buckets"  # ... and this was the highest key of a bucket
_RECOVERING: Final = """
SELECT EXISTS(SELECT 1 FROM meta WHERE key = 'recovery') AND NOT EXISTS(SELECT 1 FROM meta WHERE key = 'repaired')
"""


class Indexed(Struct, frozen=True, array_like=True):
    """How far a bucket is indexed, and after how many changes of its texts."""

    bucket: int
    dictionary: int
    upto: int


class TextMarks(Struct, frozen=True, kw_only=True):
    """How far all buckets are indexed."""

    upto: int = 0
    buckets: int = 0
    indexed: dict[int, Indexed] = {}

    def upto_of(self, bucket: int, dictionary: int) -> int:
        """Values above this key have to be scanned; 0: all of the bucket."""
        least = self.upto if bucket > self.buckets else 0  # a bucket that did not exist only has newer values
        indexed = self.indexed.get(bucket)
        return max(indexed.upto, least) if indexed is not None and indexed.dictionary == dictionary else least

    def has_table(self, bucket: int, dictionary: int) -> bool:
        indexed = self.indexed.get(bucket)
        return indexed is not None and indexed.dictionary == dictionary


class TextIndex:
    """The full-text index in an open derived file. Writers must have a transaction open."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def marks(self) -> TextMarks:
        rows = self._db.execute("SELECT bucket, dictionary, upto FROM text_index").fetchall()
        numbers = self._db.execute("SELECT key, value FROM meta WHERE key IN (?, ?)", (_UPTO, _BUCKETS)).fetchall()
        stored = dict(msgspec.convert(numbers, list[tuple[str, int]]))
        return TextMarks(
            upto=stored.get(_UPTO, 0),
            buckets=stored.get(_BUCKETS, 0),
            indexed={row.bucket: row for row in msgspec.convert(rows, list[Indexed])},
        )

    def find(self, bucket: int, query: TextQuery) -> list[int]:
        """The indexed values that match; for a query that only excludes, the values to exclude."""
        rows = self._db.execute(f"SELECT rowid FROM {_table(bucket)}(?)", (_expression(query),))
        return msgspec.convert(list(chain.from_iterable(rows)), list[int])

    def words_like(self, bucket: int, word: str) -> list[tuple[str, int]]:
        """Words with the same first letter and a similar length, most frequent first, with their numbers of values."""
        vocabulary = f"temp.vocabulary_{bucket}"
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vocabulary} USING fts5vocab(main, {_table(bucket)}, row)"
        )
        rows = self._db.execute(
            f"SELECT term, doc FROM {vocabulary} WHERE term >= ? AND term < ? AND abs(length(term) - ?) <= 2 "
            "ORDER BY doc DESC LIMIT ?",
            (word[0], f"{word[0]}\U0010ffff", len(word), _MAX_WORDS),
        ).fetchall()
        return msgspec.convert(rows, list[tuple[str, int]])

    def has(self, bucket: int, key: int, query: TextQuery) -> bool:
        """Whether one value matches."""
        statement = f"SELECT count(*) FROM {_table(bucket)}(?) WHERE rowid = ?"
        return bool(self._db.execute(statement, (_expression(query), key)).get)

    def begin(self, bucket: int, dictionary: int) -> None:
        """Create an empty index for a bucket, replacing an existing one."""
        self.forget(bucket)
        # Without FTS5's own copy of the words and their counts per value, which no query uses.
        self._db.execute(
            f"CREATE VIRTUAL TABLE {_table(bucket)} USING fts5({_COLUMNS}, content='', columnsize=0, detail=full, "
            f"tokenize=\"ascii tokenchars '{BETWEEN_STRINGS}'\")"
        )
        self._db.execute("INSERT INTO text_index(bucket, dictionary, upto) VALUES(?, ?, 0)", (bucket, dictionary))

    def forget(self, bucket: int) -> None:
        self._db.execute(f"DROP TABLE IF EXISTS {_table(bucket)}")
        self._db.execute("DELETE FROM text_index WHERE bucket = ?", (bucket,))

    def add(self, bucket: int, documents: Iterable[tuple[int, Document]], *, upto: int) -> None:
        """Index values of a bucket; afterwards all of its values up to `upto` are indexed."""
        marks = ", ".join("?" * (len(TEXT_FIELDS) + 1))
        insert = f"INSERT INTO {_table(bucket)}(rowid, {_COLUMNS}) VALUES({marks})"
        self._db.executemany(insert, ((key, *_columns(document)) for key, document in documents))
        self._db.execute("UPDATE text_index SET upto = max(upto, ?) WHERE bucket = ?", (upto, bucket))

    def mark(self, *, upto: int, buckets: int) -> None:
        """Record that all buckets up to this key are indexed up to a value."""
        numbers = [(_UPTO, upto), (_BUCKETS, buckets)]
        self._db.executemany("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", numbers)
        self._db.execute("UPDATE text_index SET upto = max(upto, ?)", (upto,))

    def transaction(self) -> AbstractContextManager[object]:
        return self._db


def is_being_recovered(db: apsw.Connection) -> bool:
    """Whether this is the recovery file of a damaged database: it still gets values with lower keys."""
    return bool(db.execute(_RECOVERING).get)


def has_texts_to_index(db: apsw.Connection, marks: TextMarks | None, *, min_values: int) -> bool:
    """Whether at least `min_values` values are not indexed, or all those of a bucket."""
    if is_being_recovered(db):
        return False
    current = marks or TextMarks()
    if int(db.execute("SELECT coalesce(max(key), 0) FROM value").get) - current.upto >= min_values:
        return True
    living = msgspec.convert(db.execute(LIVING).fetchall(), list[tuple[int, int]])
    return any(key <= current.buckets and not current.has_table(key, dictionary) for key, dictionary in living)


def _expression(query: TextQuery) -> str:
    """The FTS5 expression of a query."""
    wanted, unwanted = " AND ".join(map(_phrase, query.wanted)), " OR ".join(map(_phrase, query.unwanted))
    return f"({wanted}) NOT ({unwanted})" if wanted and unwanted else wanted or unwanted


def _phrase(clause: Clause) -> str:
    field = f"{clause.field} : " if clause.field is not None else ""
    return f'{field}"{" ".join(clause.words)}"{" *" if clause.is_prefix else ""}'


def _columns(document: Document) -> list[str]:
    between = f" {BETWEEN_STRINGS} "
    return [between.join(" ".join(words) for words in document.get(field, ())) for field in TEXT_FIELDS]


def _table(bucket: int) -> str:
    return f"words_{bucket}"
