"""The index of words: its rows, what is left to index, and clearing it in slices."""

import asyncio
import struct
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import Scribe
from dayline.transform.text import TEXT_FIELDS, Document, document_of

# Up to so many new values are counted: it is asked again and again.
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
    """Buckets whose index does not fit their texts, and those with values that are not indexed."""

    stale: list[int]
    new: list[int]


def word_work(db: Connection, tenant: str, *, min_values: int) -> WordWork:
    """What there is to do. Where fewer values are new than that, they are as quickly looked through."""
    stale = [key for (key,) in db.execute(_STALE, {"tenant": tenant}).fetchall()]
    rows = db.execute(_NEW, {"tenant": tenant, "least": min_values}).fetchall()
    is_worth_it = sum(count for _, count in rows) >= min_values
    return WordWork(stale, [key for key, count in rows if count] if is_worth_it else [])


def has_words_to_index(db: Connection, tenant: str, *, min_values: int) -> bool:
    """Whether the index is to be brought up to date."""
    return word_work(db, tenant, min_values=min_values) != WordWork([], [])


# The places of words, each a number: in which value a word is, in which of its fields, and where.
#
#     value, 39 bits │ field, 3 bits │ place, 21 bits
#
# A word that follows another in the same string has the next number. Between two strings of a field one is left out.


FIELD_SHIFT: Final = 21
VALUE_SHIFT: Final = 24
MAX_VALUES: Final = 1 << 39  # higher ones are not indexed
# In the place of a word: values with more words than there are places. None of theirs is indexed.
TOO_LONG: Final = ""

_FIELDS: Final = {field: number << FIELD_SHIFT for number, field in enumerate(TEXT_FIELDS)}
_MOST_PLACES: Final = (1 << FIELD_SHIFT) - 1  # the last one stays free: it is next to the first of another field

# Words by the places that they have, in ascending order.
Postings = dict[str, list[int]]


def postings_of(values: Iterable[tuple[int, CanonicalJson]]) -> Postings:
    """The words of values, which are given in ascending order."""
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
    """In how many values some places are."""
    return len({place >> VALUE_SHIFT for place in places})


def packed(places: list[int]) -> bytes:
    """Places as they are stored."""
    return struct.pack(f"<{len(places)}q", *places)


def _is_too_long(document: Document) -> bool:
    return any(sum(len(words) + 1 for words in strings) > _MOST_PLACES for strings in document.values())


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


class BucketPlace(Struct, frozen=True):
    """A bucket, as rows call it."""

    tenant: str
    bucket: int

    def named(self, **more: object) -> dict[str, object]:
        """What statements call it, and what else they ask for."""
        return {"tenant": self.tenant, "bucket": self.bucket, **more}


class Mark(Struct, frozen=True):
    """How far a bucket is indexed, after how many changes of its texts."""

    dictionary: int
    upto: int
    part: int
    part_places: int


class IndexState(Struct, frozen=True):
    """A bucket's count of changed texts, None where the bucket is gone or in the trash, and its mark."""

    dictionary: int | None
    mark: Mark | None


def state_of(db: Connection, place: BucketPlace) -> IndexState:
    row = db.execute(_STATE, place.named()).fetchone()
    assert row is not None
    dictionary, is_living, *mark = row
    return IndexState(dictionary if is_living else None, None if mark[0] is None else Mark(*mark))


def values_after(db: Connection, place: BucketPlace, after: int, *, rows: int) -> Iterator[tuple[int, CanonicalJson]]:
    """The values of a bucket with higher numbers, in their order, read as they are taken; at most so many."""
    with db.cursor("values", binary=True) as cursor:
        cursor.itersize = 500
        cursor.execute(_VALUES, place.named(after=after, most=MAX_VALUES, rows=rows))
        yield from cursor


def begin(db: Connection, place: BucketPlace, dictionary: int) -> None:
    """An empty index of a bucket that has none."""
    db.execute(_BEGIN, place.named(dictionary=dictionary))


def add(db: Connection, place: BucketPlace, mark: Mark, postings: Postings, *, upto: int) -> bool:
    """Index the next values, up to one; False, and nothing, where the mark or the texts are not as they were."""
    if db.execute(_LOCK, place.named()).fetchone() != (mark.dictionary, mark.upto):
        return False
    # Not locked, which heartbeats would wait for. Where texts change from now on, the mark does not fit them any more,
    # and who removes it waits for us.
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


# Removing the index of words of a bucket, a slice at a time.


SLICE_ROWS: Final = 2000
_SPOILT: Final = -1  # no bucket has counted so many changes

_LOCK_FOR_CLEARING: Final = """
SELECT dictionary FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s FOR UPDATE SKIP LOCKED
"""
_IS_THERE: Final = "SELECT EXISTS (SELECT 1 FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s)"
_SPOIL: Final = """
UPDATE word_mark SET dictionary = %(spoilt)s WHERE tenant = %(tenant)s AND bucket = %(bucket)s
"""
# By ranges of the key: what is to go is found by going along the index, whatever the planner knows of the table.
_CLEAR: Final = """
DELETE FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND word <= (SELECT coalesce((
    SELECT word FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    ORDER BY word LIMIT 1 OFFSET %(rows)s
), %(last)s))
"""
_FORGET: Final = "DELETE FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s"

Left: TypeAlias = Literal["more", "busy", "nothing"]


def clear_slice(db: Connection, place: BucketPlace, *, is_begun: bool) -> Left:
    """Remove some rows of an index, and at last its mark; what is left of it.

    Where this has begun, it ends when another has come to the end of it, who may have begun a new one by now.
    """
    row = db.execute(_LOCK_FOR_CLEARING, place.named()).fetchone()
    if row is None:
        [is_there] = db.execute(_IS_THERE, place.named()).fetchone() or (False,)
        return "busy" if is_there else "nothing"
    if is_begun and row[0] != _SPOILT:
        return "nothing"
    if db.execute(_CLEAR, place.named(rows=SLICE_ROWS, last="\U0010ffff")).rowcount:
        db.execute(_SPOIL, place.named(spoilt=_SPOILT))
        return "more"
    db.execute(_FORGET, place.named())
    return "nothing"


# Removes the index of words of a bucket while recording goes on: its texts have changed, or it is purged.


_BUSY_S: Final = 0.1  # before another look at an index that is being added to, which takes seconds at most


async def clear_words(scribe: Scribe, bucket: int) -> None:
    """Remove the index of a bucket. Nobody searches in it from the first slice on; it may be made anew afterwards."""
    is_begun = False
    while (left := await scribe.change(partial(_clear, bucket=bucket, is_begun=is_begun))) != "nothing":
        is_begun = is_begun or left == "more"
        if left == "busy":
            await asyncio.sleep(_BUSY_S)  # not in the transaction: heartbeats would wait for it too


def _clear(turn: PostgresTransaction, *, bucket: int, is_begun: bool) -> Left:
    return clear_slice(turn.db, BucketPlace(turn.tenant, bucket), is_begun=is_begun)
