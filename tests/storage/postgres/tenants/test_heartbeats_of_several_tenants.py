"""Heartbeats of several tenants in one statement: each reaches the buckets of its own tenant, once."""

from typing import Final
from uuid import uuid4

import pytest

from dayline.model.access import Once
from dayline.model.errors import AlreadyDone, BucketNotFound
from dayline.model.event import Event
from dayline.model.time import SECOND, now_us
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.writing.heartbeats import (
    AlreadyCommitted,
    Beat,
    CommitMarker,
    TenantHeartbeats,
    beat,
    read_outcome,
)

TENANTS: Final = ("", "ann", "bob")
EVENTS: Final = """
SELECT event.id, start, duration, json FROM event
JOIN value ON value.tenant = event.tenant AND value.bucket = event.bucket AND value.key = event.value
WHERE event.tenant = %s ORDER BY start
"""


def prepared(address: str) -> Connection:
    """A connection to a database in which all tenants have a bucket with the same key."""
    db = connect(address)
    for tenant in TENANTS:
        with transaction(db, tenant):
            db.execute("INSERT INTO tenant(id) VALUES(%s) ON CONFLICT DO NOTHING", (tenant,))
            db.execute(
                "INSERT INTO bucket(tenant, key, id, type, client, hostname, created, data) "
                "VALUES(%s, 7, 'window', '', '', '', 0, '{}')",
                (tenant,),
            )
            db.execute("INSERT INTO alias VALUES(%s, 'old', 7, 0)", (tenant,))
    return db


def at(second: int, text: str, name: str = "window", *, once: str = "") -> Beat:
    tokens = (Once(token=once, until=now_us() + SECOND),) if once else ()
    return Beat(name, Event(start=second * SECOND, duration=0, data=text.encode()), 5 * SECOND, tokens)


def stored(db: Connection, tenant: str) -> list[tuple[int, int, int, str]]:
    with transaction(db, tenant):
        rows = db.execute(EVENTS, (tenant,)).fetchall()
    return [(number, start // SECOND, duration // SECOND, text) for number, start, duration, text in rows]


def test_each_heartbeat_reaches_the_bucket_of_its_tenant(address: str) -> None:
    parts = [
        TenantHeartbeats("", [at(1, '{"a":1}'), at(3, '{"a":1}', "old")]),
        TenantHeartbeats("ann", [at(1, '{"a":2}'), at(2, "{}", "none"), at(2, '{"a":3}'), at(4, '{"a":3}')]),
        TenantHeartbeats("bob", [at(9, '{"a":1}')]),
    ]
    with prepared(address) as db:
        made = beat(db, CommitMarker(server=str(uuid4()), number=1), parts)

        assert stored(db, "") == [(1, 1, 2, '{"a":1}')]
        assert stored(db, "ann") == [(1, 1, 0, '{"a":2}'), (2, 2, 2, '{"a":3}')]
        assert stored(db, "bob") == [(1, 9, 0, '{"a":1}')]
    numbers = [[each.id if isinstance(each, Event) else type(each) for each in part.outcomes] for part in made]
    assert numbers == [[1, 1], [1, BucketNotFound, 2, 2], [1]]
    grown = [(each.changed.tenant, [(g.key, g.start, g.end) for g in each.changed.grown]) for each in made]
    assert grown == [
        ("", [(7, SECOND, 3 * SECOND)]),
        ("ann", [(7, SECOND, 4 * SECOND)]),
        ("bob", [(7, 9 * SECOND, 9 * SECOND)]),
    ]


def test_a_token_counts_for_its_tenant_alone(address: str) -> None:
    with prepared(address) as db:
        beat(db, CommitMarker(server=str(uuid4()), number=1), [TenantHeartbeats("ann", [at(1, "{}", once="t")])])

        ann, bob = beat(
            db,
            CommitMarker(server=str(uuid4()), number=1),
            [TenantHeartbeats(tenant, [at(20, "{}", once="t")]) for tenant in ("ann", "bob")],
        )

        assert isinstance(ann.outcomes[0], AlreadyDone)
        assert isinstance(bob.outcomes[0], Event)
        assert len(stored(db, "ann")) == len(stored(db, "bob")) == 1


def test_a_retry_is_rejected_and_reads_the_results_of_the_first_attempt(address: str) -> None:
    parts = [TenantHeartbeats(tenant, [at(1, "{}"), at(60, "{}")]) for tenant in TENANTS]
    mark = CommitMarker(server=str(uuid4()), number=1)
    with prepared(address) as db:
        made = beat(db, mark, parts)

        with pytest.raises(AlreadyCommitted):
            beat(db, mark, parts)

        again = read_outcome(db, mark, parts)
        assert [each.outcomes for each in again] == [each.outcomes for each in made]
        assert [len(stored(db, tenant)) for tenant in TENANTS] == [2, 2, 2]


def test_no_statement_after_it_sees_several_tenants(address: str) -> None:
    with prepared(address) as db:
        beat(
            db,
            CommitMarker(server=str(uuid4()), number=1),
            [TenantHeartbeats(tenant, [at(1, "{}")]) for tenant in TENANTS],
        )

        with transaction(db, "ann"):
            assert db.execute("SELECT DISTINCT tenant FROM event").fetchall() == [("ann",)]
