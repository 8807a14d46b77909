"""The word index: its rows, and what is left to index."""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.storage.postgres.connection import Connection
from dayline.transform.text import TEXT_FIELDS, Document, document_of

# New values are counted up to this limit, because the count is repeated often.
_NEW: Final = """
SELECT bucket.key, (
    SELECT count(*) FROM (
        SELECT 1 FROM value WHERE value.tenant = %(tenant)s AND value.bucket = bucket.key
        AND value.key > coalesce(mark.upto, 0) ORDER BY value.key LIMIT %(least)s
    ) AS few
)
FROM bucket
LEFT JOIN word_mark AS mark
    ON mark.tenant = %(tenant)s AND mark.bucket = bucket.key AND mark.dictionary = bucket.dictionary
WHERE bucket.tenant = %(tenant)s AND bucket.deleted IS NULL ORDER BY bucket.key
"""
_STALE: Final = """
SELECT mark.bucket FROM word_mark AS mark
LEFT JOIN bucket ON bucket.tenant = %(tenant)s AND bucket.key = mark.bucket
WHERE mark.tenant = %(tenant)s AND bucket.dictionary IS DISTINCT FROM mark.dictionary ORDER BY mark.bucket
"""


class WordWork(Struct, frozen=True):
    """Buckets with an invalid index, and those with values that are not indexed."""

    stale: list[int]
    new: list[int]


def word_work(db: Connection, tenant: str, *, min_values: int) -> WordWork:
    """What there is to index. Fewer new values than `min_values` are scanned by searches instead."""
    stale = [key for (key,) in db.execute(_STALE, {"tenant": tenant}).fetchall()]
    rows = db.execute(_NEW, {"tenant": tenant, "least": min_values}).fetchall()
    is_worth_it = sum(count for _, count in rows) >= min_values
    return WordWork(stale, [key for key, count in rows if count] if is_worth_it else [])


def has_words_to_index(db: Connection, tenant: str, *, min_values: int) -> bool:
    """Whether the index needs an update."""
    return word_work(db, tenant, min_values=min_values) != WordWork([], [])


# The places of words, each a number: in which value a word is, in which of its fields, and where.
#
#     value, 39 bits │ field, 3 bits │ place, 21 bits
#
# A word that follows another in the same string has the next number. Between two strings of a field one is left out.
FIELD_SHIFT: Final = 21
VALUE_SHIFT: Final = 24
MAX_VALUES: Final = 1 << 39  # higher ones are not indexed
# In place of a word: values with more words than positions. None of their words is indexed.
TOO_LONG: Final = ""

_FIELDS: Final = {field: number << FIELD_SHIFT for number, field in enumerate(TEXT_FIELDS)}
_MAX_POSITIONS: Final = (1 << FIELD_SHIFT) - 1  # the last one stays unused: it is next to the first of another field

# Words with their positions, ascending.
Postings = dict[str, list[int]]


def postings_of(values: Iterable[tuple[int, CanonicalJson]]) -> Postings:
    """The words of values, which must be in ascending order."""
    postings: Postings = {}
    for key, text in values:
        document = document_of(text)
        if _is_too_long(document):
            document = {}
            postings.setdefault(TOO_LONG, []).append(key << VALUE_SHIFT)
        for field in sorted(document, key=_FIELDS.__getitem__):
            place = key << VALUE_SHIFT | _FIELDS[field]
            for words in document[field]:
                for number, word in enumerate(words, start=place):
                    postings.setdefault(word, []).append(number)
                place += len(words) + 1
    return postings


def values_in(places: Iterable[int]) -> int:
    """The number of values that some positions belong to."""
    return len({place >> VALUE_SHIFT for place in places})


def packed(places: list[int]) -> bytes:
    """Positions as stored."""
    return struct.pack(f"<{len(places)}q", *places)


def _is_too_long(document: Document) -> bool:
    return any(sum(len(words) + 1 for words in strings) > _MAX_POSITIONS for strings in document.values())


# The rows of the index of words: how far it goes, and adding values to it.
#
# mark   none ──▶ right up to a number ──▶ of another count of changes, or spoilt ──▶ cleared
PART_PLACES: Final = 500_000  # 4 MB; a value has some 12

_STATE: Final = """
SELECT bucket.dictionary, bucket.deleted IS NULL, mark.dictionary, mark.upto, mark.part, mark.part_places
FROM (SELECT) AS one
LEFT JOIN bucket ON bucket.tenant = %(tenant)s AND bucket.key = %(bucket)s
LEFT JOIN word_mark AS mark ON mark.tenant = %(tenant)s AND mark.bucket = %(bucket)s
"""
_VALUES: Final = """
SELECT key, convert_to(json, 'UTF8') FROM value
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key > %(after)s AND key < %(most)s ORDER BY key LIMIT %(rows)s
"""
_BEGIN: Final = """
INSERT INTO word_mark(tenant, bucket, dictionary) VALUES(%(tenant)s, %(bucket)s, %(dictionary)s) ON CONFLICT DO NOTHING
"""
_LOCK: Final = """
SELECT dictionary, upto FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s FOR UPDATE
"""
_DICTIONARY: Final = """
SELECT dictionary FROM bucket WHERE tenant = %(tenant)s AND key = %(bucket)s AND deleted IS NULL
"""
_ADD: Final = """
INSERT INTO word_places AS kept (tenant, bucket, word, part, in_values, places)
SELECT %(tenant)s, %(bucket)s, new.word, %(part)s, new.in_values, new.places
FROM unnest(%(words)s::text[], %(counts)s::integer[], %(places)b::bytea[]) AS new(word, in_values, places)
ON CONFLICT (tenant, bucket, word, part) DO UPDATE
SET in_values = kept.in_values + excluded.in_values, places = kept.places || excluded.places
"""
_MARK: Final = """
UPDATE word_mark SET upto = %(upto)s, part = %(part)s, part_places = %(part_places)s
WHERE tenant = %(tenant)s AND bucket = %(bucket)s
"""


class IndexedBucket(Struct, frozen=True):
    """A bucket by its keys."""

    tenant: str
    bucket: int

    def named(self, **more: object) -> dict[str, object]:
        """The parameters of a statement for this bucket."""
        return {"tenant": self.tenant, "bucket": self.bucket, **more}


class Mark(Struct, frozen=True):
    """How far a bucket is indexed, after how many changes of its texts."""

    dictionary: int
    upto: int
    part: int
    part_places: int


class IndexState(Struct, frozen=True):
    """A bucket's count of text changes, None if it is gone or in the trash, and its mark."""

    dictionary: int | None
    mark: Mark | None


def state_of(db: Connection, place: IndexedBucket) -> IndexState:
    row = db.execute(_STATE, place.named()).fetchone()
    assert row is not None
    dictionary, is_living, *mark = row
    return IndexState(dictionary if is_living else None, None if mark[0] is None else Mark(*mark))


def values_after(db: Connection, place: IndexedBucket, after: int, *, rows: int) -> Iterator[tuple[int, CanonicalJson]]:
    """The values of a bucket with higher keys in order, streamed; at most `rows`."""
    with db.cursor("values", binary=True) as cursor:
        cursor.itersize = 500
        cursor.execute(_VALUES, place.named(after=after, most=MAX_VALUES, rows=rows))
        yield from cursor


def begin(db: Connection, place: IndexedBucket, dictionary: int) -> None:
    """Create an empty index for a bucket that has none."""
    db.execute(_BEGIN, place.named(dictionary=dictionary))


def add(db: Connection, place: IndexedBucket, mark: Mark, postings: Postings, *, upto: int) -> bool:
    """Index the next values up to one; False, with nothing written, if the mark or the texts have changed."""
    if db.execute(_LOCK, place.named()).fetchone() != (mark.dictionary, mark.upto):
        return False
    # Not locked, because heartbeats would wait. If texts change from now on, the mark becomes invalid, and deleting it
    # waits for us.
    if db.execute(_DICTIONARY, place.named()).fetchone() != (mark.dictionary,):
        return False
    is_full = mark.part_places >= PART_PLACES
    part, part_places = (mark.part + 1, 0) if is_full else (mark.part, mark.part_places)
    if postings:
        words = sorted(postings)
        counts = [values_in(postings[word]) for word in words]
        places = [packed(postings[word]) for word in words]
        db.execute(_ADD, place.named(part=part, words=words, counts=counts, places=places))
        part_places += sum(map(len, postings.values()))
    db.execute(_MARK, place.named(upto=upto, part=part, part_places=part_places))
    return True
