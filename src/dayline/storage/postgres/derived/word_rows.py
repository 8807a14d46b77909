"""The rows of the index of words: how far it goes, and adding values to it.

mark   none ──▶ right up to a number ──▶ of another count of changes, or spoilt ──▶ cleared (word_clearing.py)
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.derived.postings import MOST_VALUES, Postings, packed, values_in

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
        cursor.execute(_VALUES, place.named(after=after, most=MOST_VALUES, rows=rows))
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
