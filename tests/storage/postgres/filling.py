"""Buckets and events put into a database in one transaction, with the ids that they are given."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from dayline.model.event import Event
from dayline.storage.engine.rows import EventRow
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import ValueDictionary

_BUCKET = """
INSERT INTO bucket(tenant, id, type, client, hostname, created, data)
VALUES(%s, %s, 'test.type', 'test-client', 'laptop', 0, '{}')
"""


@contextmanager
def changing(address: str, tenant: str = "") -> Generator[PostgresTransaction]:
    """A transaction that is committed at the end."""
    with connect(address) as db, transaction(db, tenant):
        turn = PostgresTransaction(db, tenant, ValueDictionary())
        yield turn
        turn.finish()


def make_bucket(address: str, bucket_id: str, events: Sequence[Event] = (), *, tenant: str = "") -> None:
    with changing(address, tenant) as turn:
        turn.db.execute(_BUCKET, (tenant, bucket_id))
    put(address, bucket_id, events, tenant=tenant)


def put(address: str, bucket_id: str, events: Sequence[Event], *, tenant: str = "") -> None:
    """Add events, which have ids."""
    with changing(address, tenant) as turn:
        found = turn.find(bucket_id)
        numbers = turn.value_numbers((found, event.data) for event in events)
        for event in events:
            value = numbers[found.key, event.data]
            turn.put(EventRow(found.key, event.start, event.id, event.duration, value), is_new=True)


def add_alias(address: str, alias: str, bucket_id: str) -> None:
    with changing(address) as turn:
        statement = "INSERT INTO alias(tenant, id, bucket, made) VALUES('', %s, %s, 0)"
        turn.db.execute(statement, (alias, turn.find(bucket_id).key))


def delete_bucket(address: str, bucket_id: str) -> None:
    with changing(address) as turn:
        turn.db.execute("UPDATE bucket SET deleted = 1 WHERE tenant = '' AND key = %s", (turn.find(bucket_id).key,))


def end_connections(db: Connection) -> None:
    """End every other connection to a database, as when its server starts again."""
    db.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
