"""A database from before several people had a place in it: what was of all is of the person without a name then."""

import asyncio

import psycopg
import pytest

from dayline.model.access import AuditFilter, Once
from dayline.model.errors import AlreadyDone
from dayline.model.preferences import HistoryFilter
from dayline.storage.postgres.rows.access import PostgresAccess
from dayline.storage.postgres.schema.migrate import migrate
from dayline.storage.postgres.schema.tables import STEPS
from tests.postgres.cluster import Cluster
from tests.postgres.scribing import desk

ROWS = """
INSERT INTO own_setting VALUES('theme', '"dark"');
INSERT INTO own_setting_history VALUES(1, 'theme', '"light"', 5), (2, 'theme', '"dark"', 6);
INSERT INTO once VALUES('used', 9000000000000000);
INSERT INTO audit VALUES(7, 1, 'open', '', '::1', 'get_events', 'b', 200, 1, 2, 3);
INSERT INTO access_key(id, name, scope, buckets, created, salt, digest) VALUES('k', 'n', 'full', '[]', 1, 's', 'd');
"""


@pytest.fixture
def upgraded(postgres: Cluster) -> str:
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute("CREATE DATABASE before_people")
    address = postgres.address("before_people")
    migrate(address, STEPS[:1])
    with psycopg.connect(address, autocommit=True, options="-c search_path=dayline") as db:
        db.execute(ROWS)
    migrate(address)
    return address


def test_what_was_of_all_is_of_the_one_without_a_name(upgraded: str) -> None:
    async def look() -> None:
        async with desk(upgraded) as own, desk(upgraded, tenant="ann") as other:
            mine, theirs = PostgresAccess(own.scribe, own.readers), PostgresAccess(other.scribe, other.readers)
            assert mine.own_settings() == {"theme": b'"dark"'}
            assert [change.number for change in mine.own_setting_history(HistoryFilter())] == [2, 1]
            assert [(entry.number, entry.call) for entry in mine.audit(AuditFilter())] == [(7, "get_events")]
            assert [(key.id, key.tenant) for key in mine.all_keys()] == [("k", "")]
            with pytest.raises(AlreadyDone):
                await own.scribe.once(Once(token="used", until=9)).begin()

            assert (theirs.own_settings(), theirs.own_setting_history(HistoryFilter())) == ({}, [])
            assert theirs.audit(AuditFilter()) == []
            await other.scribe.once(Once(token="used", until=9)).begin()

    asyncio.run(look())
