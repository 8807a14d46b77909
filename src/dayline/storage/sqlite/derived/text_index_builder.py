"""Brings the full text of values up to date, in the process that builds segments."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.storage.sqlite.derived.segment_file import DerivedWriter, noticing_damage
from dayline.storage.sqlite.derived.text_index import LIVING, is_being_recovered
from dayline.transform.text_query import Document, document_of

PAGE: Final = 2000  # values that are read and indexed together

_NEWEST = "SELECT (SELECT coalesce(max(key), 0) FROM value), (SELECT coalesce(max(key), 0) FROM bucket)"
_VALUES = "SELECT key, bucket, json FROM value WHERE key > ? AND key <= ? ORDER BY key LIMIT ?"


class _Value(Struct, frozen=True, array_like=True):
    key: int
    bucket: int
    json: str


class TextIndexBuild:
    """One pass over the values that are not indexed yet. What is committed stays, whenever it ends."""

    def __init__(self, db: apsw.Connection, file: DerivedWriter) -> None:
        self._db = db
        self._texts = file.texts

    def run(self) -> None:
        if is_being_recovered(self._db):
            return
        living, newest, newest_bucket = self._state()
        upto = self._begin(living)
        after = min(upto.values(), default=newest)
        while after < newest:
            now, page = self._page(after, newest)
            for bucket in [bucket for bucket in upto if now.get(bucket) != living[bucket]]:
                del upto[bucket]  # removed, or its texts have changed: for another time
                self._forget(bucket)
            after = page[-1].key if len(page) == PAGE else newest
            self._add(page, upto, after)
        with noticing_damage(), self._texts.transaction():
            self._texts.mark(upto=newest, buckets=newest_bucket)

    def _state(self) -> tuple[dict[int, int], int, int]:
        """The living buckets, and the highest numbers: buckets made later have newer values."""
        with self._reading():
            [numbers] = msgspec.convert(self._db.execute(_NEWEST).fetchall(), list[tuple[int, int]])
            return self._living(), *numbers

    def _page(self, after: int, newest: int) -> tuple[dict[int, int], list[_Value]]:
        """The living buckets, and some values as they are at the same moment."""
        with self._reading():
            rows = self._db.execute(_VALUES, (after, newest, PAGE)).fetchall()
            return self._living(), msgspec.convert(rows, list[_Value])

    @contextmanager
    def _reading(self) -> Generator[None]:
        """One state of the database for several reads."""
        with self._db:
            yield

    def _begin(self, living: dict[int, int]) -> dict[int, int]:
        """How far each living bucket is indexed; what fits no more is begun anew."""
        with noticing_damage():
            marks = self._texts.marks()
        for bucket in marks.indexed.keys() - living.keys():
            self._forget(bucket)
        upto: dict[int, int] = {}
        for bucket, dictionary in living.items():
            upto[bucket] = marks.upto_of(bucket, dictionary)
            if not marks.has_table(bucket, dictionary):
                with noticing_damage(), self._texts.transaction():
                    self._texts.begin(bucket, dictionary)
        return upto

    def _forget(self, bucket: int) -> None:
        with noticing_damage(), self._texts.transaction():
            self._texts.forget(bucket)

    def _add(self, page: Sequence[_Value], upto: dict[int, int], last: int) -> None:
        documents: dict[int, list[tuple[int, Document]]] = {bucket: [] for bucket in upto}
        for value in page:
            if value.key > upto.get(value.bucket, last):
                documents[value.bucket].append((value.key, document_of(value.json.encode())))
        with noticing_damage(), self._texts.transaction():
            for bucket, added in documents.items():
                self._texts.add(bucket, added, upto=last)

    def _living(self) -> dict[int, int]:
        return dict(msgspec.convert(self._db.execute(LIVING).fetchall(), list[tuple[int, int]]))
