"""The list of buckets is read on threads while the event loop publishes commits, and misses none of them."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from time import monotonic
from typing import Protocol

import apsw
import pytest
from msgspec import structs

from dayline.model.bucket import Bucket
from dayline.storage.history.buckets import delete_bucket
from dayline.storage.history.renaming import rename_bucket
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.writing.catalogue import Catalogue as PostgresCatalogue
from dayline.storage.sqlite.file.schema import migrate
from dayline.storage.sqlite.writing.catalogue import Catalogue as SqliteCatalogue
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import ValueDictionary
from dayline.storage.writing.published_buckets import BucketList
from tests.support.storage.opened import beat, bucket
from tests.support.tracing import before_each_line

BLOCKED_S = 0.01  # a publication that takes longer waits for the reader


class Catalogue(Protocol):
    """What a server knows of its buckets. Each change is committed and published."""

    def create(self, bucket_id: str) -> None: ...

    def delete(self, bucket_id: str) -> None: ...

    def rename(self, bucket_id: str, new_id: str) -> None: ...

    def record(self, bucket_id: str) -> None: ...

    def read(self) -> BucketList: ...


class OnSqlite:
    def __init__(self, db: apsw.Connection) -> None:
        migrate(db)
        self._db = db
        self._catalogue = SqliteCatalogue(db)

    def create(self, bucket_id: str) -> None:
        self._commit(lambda changes: changes.create_bucket(bucket(bucket_id)))

    def delete(self, bucket_id: str) -> None:
        self._commit(lambda changes: delete_bucket(changes, bucket_id, now=0))

    def rename(self, bucket_id: str, new_id: str) -> None:
        self._commit(lambda changes: rename_bucket(changes, changes.find(bucket_id), new_id, keeps_alias=True, now=0))

    def record(self, bucket_id: str) -> None:
        self._commit(lambda changes: changes.heartbeat(bucket_id, beat(0), 0))

    def read(self) -> BucketList:
        return self._catalogue.published.current

    def _commit(self, change: Callable[[SqliteTransaction], object]) -> None:
        changes = SqliteTransaction(self._db.cursor(), self._catalogue, ValueDictionary(self._db))
        change(changes)
        changes.finish()
        self._catalogue.publish(changes.touched)


class OnPostgres:
    def __init__(self) -> None:
        self._catalogue = PostgresCatalogue()
        self._known: dict[str, BucketRecord] = {}
        self._aliases: dict[str, str] = {}

    def create(self, bucket_id: str) -> None:
        self._take(BucketRecord(key=len(self._known) + 1, bucket=bucket(bucket_id), dictionary=0, version=0))

    def delete(self, bucket_id: str) -> None:
        self._take(structs.replace(self._known[bucket_id], is_deleted=True))

    def rename(self, bucket_id: str, new_id: str) -> None:
        known = self._known[bucket_id]
        self._aliases[bucket_id] = new_id
        self._take(structs.replace(known, bucket=structs.replace(known.bucket, id=new_id)))

    def record(self, bucket_id: str) -> None:
        known = self._known[bucket_id]
        event = beat(0)
        self._take(structs.replace(known, bucket=structs.replace(known.bucket, start=event.start, end=event.start)))

    def read(self) -> BucketList:
        return self._catalogue.published.current

    def _take(self, found: BucketRecord) -> None:
        found = self._known[found.bucket.id] = structs.replace(found, version=found.version + 1)
        self._catalogue.take([found], dict(self._aliases))


@contextmanager
def catalogue_of(engine: str) -> Generator[Catalogue]:
    if engine == "postgres":
        yield OnPostgres()
    else:
        with closing(apsw.Connection(":memory:")) as db:
            yield OnSqlite(db)


class Reader(threading.Thread):
    """Reads the list, and is interrupted at one of the lines that run for that."""

    def __init__(self, catalogue: Catalogue, interrupt: Callable[[], object], *, line: int) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._interrupt = interrupt
        self.lines_left = line
        self.error: Exception | None = None

    def run(self) -> None:
        with before_each_line(self._count, of=lambda path: "/dayline/storage/" in path):
            try:
                self._catalogue.read()
            except Exception as error:
                self.error = error

    def _count(self) -> None:
        self.lines_left -= 1
        if self.lines_left == 0:
            self._interrupt()


def at_every_line_of_a_read(engine: str, change: Callable[[Catalogue], object]) -> Iterator[BucketList]:
    """What is read after a read during which something was published, for each line at which that can happen."""
    line, is_reached = 0, True
    while is_reached:
        line += 1
        with catalogue_of(engine) as catalogue:
            for bucket_id in ("first", "second"):
                catalogue.create(bucket_id)
            publishing = threading.Thread(target=change, args=[catalogue])

            def publish(publishing: threading.Thread = publishing) -> None:
                publishing.start()
                publishing.join(BLOCKED_S)

            reader = Reader(catalogue, publish, line=line)
            reader.start()
            reader.join()
            assert reader.error is None
            is_reached = reader.lines_left <= 0
            if is_reached:
                publishing.join()
                yield catalogue.read()


@pytest.fixture(params=["sqlite", "postgres"])
def engine_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_a_bucket_that_is_created_during_a_read_is_listed_by_the_next(engine_name: str) -> None:
    seen = [list(buckets.by_id) for buckets in at_every_line_of_a_read(engine_name, lambda c: c.create("third"))]

    assert seen == [["first", "second", "third"]] * len(seen)
    assert seen


def test_a_bucket_that_is_deleted_during_a_read_is_not_listed_by_the_next(engine_name: str) -> None:
    seen = [list(buckets.by_id) for buckets in at_every_line_of_a_read(engine_name, lambda c: c.delete("first"))]

    assert seen == [["second"]] * len(seen)
    assert seen


def test_what_is_recorded_during_a_read_is_seen_by_the_next(engine_name: str) -> None:
    starts = [
        buckets.by_id["second"].start for buckets in at_every_line_of_a_read(engine_name, lambda c: c.record("second"))
    ]

    assert starts == [beat(0).start] * len(starts)
    assert starts


def test_a_list_that_was_read_stays_as_it_is(engine_name: str) -> None:
    with catalogue_of(engine_name) as catalogue:
        catalogue.create("first")
        read = catalogue.read()
        before: dict[str, Bucket] = dict(read.by_id)

        catalogue.record("first")
        assert catalogue.read().by_id["first"].start == beat(0).start
        catalogue.create("second")
        catalogue.rename("first", "renamed")
        assert list(catalogue.read().by_id) == ["renamed", "second"]
        assert catalogue.read().own_id("first") == "renamed"

        assert (dict(read.by_id), read.own_id("first")) == (before, "first")


def test_aliases_that_were_read_before_a_commit_of_ours_do_not_replace_those_of_the_commit() -> None:
    # On PostgreSQL a bucket that was just renamed was not found under its old id for up to 10 s.
    catalogue = PostgresCatalogue()
    old = BucketRecord(key=1, bucket=bucket("old"), dictionary=0, version=1)
    catalogue.take([old], {})
    began = monotonic()
    catalogue.take([structs.replace(old, bucket=bucket("new"), version=2)], {"old": "new"})

    catalogue.replace([old], {}, read=began)

    assert catalogue.published.current.find("old").id == "new"
    catalogue.replace([structs.replace(old, bucket=bucket("new"), version=2)], {}, read=monotonic())
    assert catalogue.published.own_id("old") == "old"
