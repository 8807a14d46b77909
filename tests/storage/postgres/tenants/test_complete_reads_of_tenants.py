"""What a server reads of all its tenants every ten seconds, in case it missed a message."""

from collections.abc import Generator
from contextlib import contextmanager
from queue import Queue
from time import monotonic

import pytest

from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.writing import listener
from dayline.storage.postgres.writing.catalogue import ChangeMessage, send_messages
from dayline.storage.postgres.writing.listener import NotificationListener, RemoteChange
from tests.support.waiting import PATIENCE_S

TENANTS = ["ann", "", "bob"]


@contextmanager
def listening(address: str) -> Generator["Queue[RemoteChange]"]:
    """What the server `one` receives."""
    received: Queue[RemoteChange] = Queue()
    listen = NotificationListener(
        address, "one", tenants=lambda: TENANTS, hear=received.put, background=BackgroundWorkers()
    )
    listen.start()
    try:
        yield received
    finally:
        listen.close()


def reads(received: "Queue[RemoteChange]") -> list[RemoteChange]:
    """All since the last call, up to one of every tenant that began after this call."""
    now, found = monotonic(), list[RemoteChange]()
    while len({each.tenant for each in found if each.read > now}) < len(TENANTS):
        found.append(received.get(timeout=PATIENCE_S))
    return found


def changed_rules(received: "Queue[RemoteChange]") -> set[str]:
    """The tenants whose rules may have changed since the last call."""
    return {each.tenant for each in reads(received) if each.has_new_rules}


def save(address: str, tenant: str, table: str, key: str, json: str) -> None:
    """Save a setting without a message."""
    with connect(address) as db, transaction(db, tenant):
        statement = (
            f"INSERT INTO {table} VALUES(%s, %s, %s) ON CONFLICT (tenant, key) DO UPDATE SET json = excluded.json"
        )
        db.execute(statement.encode(), (tenant, key, json))


def make_bucket(address: str, tenant: str) -> None:
    with connect(address) as db, transaction(db, tenant):
        db.execute(
            "INSERT INTO bucket(tenant, id, type, client, hostname, created, data) VALUES(%s, %s, '', '', '', 0, '{}')",
            (tenant, f"of-{tenant}"),
        )


def test_each_tenant_gets_its_own_buckets_of_one_read(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_COMPARE_S", 0.0)
    for tenant in (*TENANTS, "eve"):
        make_bucket(address, tenant)

    with listening(address) as received:
        found = reads(received)

    assert {each.tenant: [state.bucket.id for state in each.buckets] for each in found} == {
        tenant: [f"of-{tenant}"] for tenant in TENANTS
    }
    assert {each.tenant for each in found if each.is_access} == {""}


def test_rules_are_reported_if_they_differ_from_the_last_read(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_COMPARE_S", 0.0)
    with listening(address) as received:
        assert changed_rules(received) == set(TENANTS)
        assert changed_rules(received) == set()

        save(address, "bob", "setting", FILTERS_KEY, "[]")
        assert changed_rules(received) == {"bob"}
        save(address, "", "own_setting", OWN_RULES_KEY, "[]")
        assert changed_rules(received) == {""}
        save(address, "ann", "setting", "another", "[]")
        assert changed_rules(received) == set()


@pytest.mark.parametrize("server", ["one", "two"])
def test_rules_are_reported_again_after_a_message_about_settings(
    address: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # They may have changed and, without a further message, changed back.
    monkeypatch.setattr(listener, "_COMPARE_S", 0.0)
    with listening(address) as received:
        assert changed_rules(received) == set(TENANTS)
        with connect(address) as db:
            send_messages(db, [ChangeMessage(server=server, tenant="bob", settings=[(FILTERS_KEY, False)])])

        assert changed_rules(received) | changed_rules(received) == {"bob"}
