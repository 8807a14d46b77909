"""A key of a value is never assigned again in a file or a copy of it."""

import asyncio
from contextlib import closing
from pathlib import Path

import apsw

from dayline.maintenance.database_copy import copy_database
from dayline.storage.sqlite.file.schema import migrate
from dayline.storage.sqlite.transfer.copying import copied_file, new_file
from dayline.storage.sqlite.writing.values import ValueDictionary, delete_values
from tests.support.storage.opened import beat, bucket, opened


def test_deleting_the_newest_value_again_and_again_leaves_one_row_in_its_place() -> None:
    with closing(apsw.Connection(":memory:")) as db:
        migrate(db)
        values = ValueDictionary(db)
        keys = [values.number(1, b'{"app":"%d"}' % number) for number in range(3)]

        assert delete_values(db, [keys[2]]) == 1
        [reserved] = [key for (key,) in db.execute("SELECT key FROM value WHERE bucket = 0")]
        assert delete_values(db, [keys[1], reserved]) == 1

        assert db.execute("SELECT key FROM value").fetchall() == [(keys[0],), (reserved,)]
        assert values.number(1, b'{"app":"new"}') > reserved


def test_a_copy_does_not_assign_keys_that_the_original_has_assigned(tmp_path: Path) -> None:
    async def record(path: Path, app: str) -> None:
        async with opened(path) as store:
            if not store.buckets():
                await store.create_bucket(bucket("window"))
            await store.insert("window", [beat(0, app=app)])

    original, copy = tmp_path / "original.db", tmp_path / "copy.db"
    asyncio.run(record(original, "first"))
    with closing(apsw.Connection(str(original))) as db:
        newest = ValueDictionary(db).number(1, b'{"app":"deleted"}')
        delete_values(db, [newest])

    with copied_file(original) as source, new_file(copy) as target:
        copy_database(source, target, on_events=lambda _: None)
        target.keep()
    asyncio.run(record(copy, "second"))

    with closing(apsw.Connection(str(copy))) as db:
        assert int(db.execute('SELECT key FROM value WHERE json = \'{"app":"second"}\'').get) > newest


def test_of_two_equal_rows_of_the_dictionary_the_first_is_used() -> None:
    # The lookup returned both keys, which was taken for none: every event added another row.
    with closing(apsw.Connection(":memory:")) as db:
        migrate(db)
        first = ValueDictionary(db).number(1, b'{"app":"a"}')
        db.execute("INSERT INTO value(bucket, hash, json) SELECT bucket, hash, json FROM value")

        assert ValueDictionary(db).number(1, b'{"app":"a"}') == first
        assert db.execute("SELECT count(*) FROM value").get == 2
