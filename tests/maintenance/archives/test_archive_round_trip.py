"""An archive of a server with something of everything, restored: the two are equal."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import apsw
import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.maintenance.documents import archived, lines, lines_of, raw_lines, restored

WINDOW: Final = "aw-watcher-window_laptop"
ODD: Final = 'bücket / with 100 % of "oddities"'
EVENTS: Final[list[dict[str, Any]]] = [
    {"timestamp": "2026-02-03T08:15:31.123456Z", "duration": 0.000001, "data": {"app": "Editor", "n": 1}},
    {"timestamp": "2026-02-03T08:15:31.123456Z", "duration": 12.5, "data": {"n": 1.0, "app": "Editor"}},
    {"timestamp": "1970-01-01T00:00:00Z", "duration": 9214646399.999999, "data": {}},
    {"timestamp": "2026-02-03T09:00:00Z", "duration": -2.25, "data": {"title": "a \u2028 line\n and 🚲", "in": [[{}]]}},
    {"timestamp": "2261-12-31T23:59:59.999999Z", "duration": 0, "data": {"big": 1234567890123456789, "no": None}},
]  # fmt: skip
ENVELOPE_KEY: Final = b"opens envelopes, is no hash: 32."
TABLES: Final = ("setting", "setting_history", "own_setting", "own_setting_history", "audit", "once")


class Kept(NamedTuple):
    """What was asked of the server before it was archived."""

    database: Path
    key: str
    revoked: str
    answers: dict[str, Any]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A database with something of everything."""
    database = tmp_path_factory.mktemp("first") / "days.db"
    with KeyedServer(database) as server:
        server.create(WINDOW, data={"b": 1, "a": [1.0]})
        server.create("empty", created="2020-01-01T00:00:00.000001Z")
        server.create("deleted")
        server.create(path_of(ODD))
        for bucket in (WINDOW, path_of(ODD), "deleted"):
            assert server.as_owner("POST", f"/api/0/buckets/{bucket}/events", EVENTS).status == 200
        beat = {"timestamp": "2026-03-01T10:00:00Z", "duration": 0, "data": {"app": "Editor"}}
        server.as_owner("POST", f"/api/0/buckets/{WINDOW}/heartbeat?pulsetime=5", beat)
        [newest] = server.as_owner("POST", f"/api/0/buckets/{WINDOW}/events", [beat]).json
        server.as_owner("DELETE", f"/api/0/buckets/{WINDOW}/events/{newest['id']}")
        server.as_owner("DELETE", "/api/0/buckets/deleted?force=1")
        for value in (b'{"b":1,"a":1.0}', b"null", b"false", b'"text"'):
            server.with_key(server.owner, "POST", "/api/0/settings/theme", raw=value)
        server.as_owner("POST", "/api/0/settings/gone", [1])
        server.as_owner("DELETE", "/api/0/settings/gone")
        rule = {"field": "title", "pattern": "(?i)bank", "action": "drop"}
        assert server.as_owner("PUT", "/api/1/privacy/rules", [rule]).status == 200
        key, revoked = server.key("read", "aw-*"), server.made_key("full", expires="2261-01-01T00:00:00Z")
        server.as_owner("DELETE", f"/api/1/keys/{revoked['id']}")
        once = {"Idempotency-Key": "a-token-of-a-relay"}
        server.as_owner("POST", "/api/0/settings/once", 1, headers=once)
        server.with_key(key, "GET", "/api/0/buckets/")
        server.with_key("dayline_nonsense", "GET", "/api/0/buckets/")
        answers = asked(server)
    with closing(apsw.Connection(str(database))) as db:
        window = db.execute("SELECT key FROM bucket WHERE id = ?", (WINDOW,)).get
        db.execute("UPDATE access_key SET envelope_key = ? WHERE revoked IS NOT NULL", (ENVELOPE_KEY,))
        db.execute("UPDATE bucket SET creator = 'moz-extension://abc' WHERE id = 'empty'")
        db.execute("INSERT INTO alias(id, bucket, made) VALUES('an old name', ?, 1)", (window,))
        db.execute("INSERT INTO own_setting_history(number, key, json, changed) VALUES(7, 'theme', NULL, 5)")
    return Kept(database, key, revoked["key"], answers)


@pytest.fixture(scope="module")
def archive(kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "days.jsonl.zst"
    archived(kept.database, path)
    return path


@pytest.fixture(scope="module")
def again(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that was made of the archive. No one writes to it."""
    database = tmp_path_factory.mktemp("again") / "days.db"
    restored(archive, database)
    return database


@pytest.fixture(scope="module")
def served(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[KeyedServer, dict[str, Any]]]:
    """A server on another one, and what it answered first."""
    database = tmp_path_factory.mktemp("served") / "days.db"
    restored(archive, database)
    with KeyedServer(database) as server:
        yield server, asked(server)


def path_of(bucket_id: str) -> str:
    return quote(bucket_id, safe="")


def asked(server: KeyedServer) -> dict[str, Any]:
    """All that a server answers about what it holds."""
    paths = [
        "/api/0/export", "/api/0/buckets/", "/api/0/settings", "/api/1/keys", "/api/1/privacy/rules",
        *(f"/api/0/buckets/{bucket}/events" for bucket in (WINDOW, path_of(ODD), "empty")),
    ]  # fmt: skip
    return {path: server.as_owner("GET", path).json for path in paths}


def rows(database: Path, table: str) -> list[Any]:
    return selected(database, f"* FROM {table} ORDER BY 1")


def selected(database: Path, columns: str) -> list[Any]:
    with closing(apsw.Connection(str(database))) as db:
        return db.execute(f"SELECT {columns}").fetchall()


Served = tuple[KeyedServer, dict[str, Any]]


def test_the_restored_server_answers_as_the_first_one_did(kept: Kept, served: Served) -> None:
    assert served[1] == kept.answers
    assert len(kept.answers["/api/0/export"]["buckets"][ODD]["events"]) == len(EVENTS)


@pytest.mark.parametrize("table", TABLES)
def test_tables_that_no_call_shows_have_the_same_rows(kept: Kept, again: Path, table: str) -> None:
    before = rows(kept.database, table)

    assert before
    assert rows(again, table) == before


def test_buckets_are_the_same_to_the_last_column_but_for_those_deleted(kept: Kept, again: Path) -> None:
    bucket = "id, type, client, hostname, created, data, creator FROM bucket WHERE deleted IS NULL ORDER BY key"
    alias = "alias.id, bucket.id, made FROM alias JOIN bucket ON bucket.key = bucket"

    for columns in (bucket, alias):
        assert selected(again, columns) == selected(kept.database, columns) != []


def test_a_key_that_was_made_before_still_opens_its_buckets_and_no_others(kept: Kept, served: Served) -> None:
    assert list(served[0].with_key(kept.key, "GET", "/api/0/buckets/").json) == [WINDOW]


def test_a_key_that_was_revoked_before_opens_nothing(kept: Kept, served: Served) -> None:
    assert served[0].with_key(kept.revoked, "GET", "/api/0/buckets/").status == 401


def test_a_call_that_was_made_once_before_is_not_made_again(served: Served) -> None:
    once = {"Idempotency-Key": "a-token-of-a-relay"}

    assert served[0].as_owner("POST", "/api/0/settings/once", 2, headers=once).status == 409
    assert served[0].as_owner("GET", "/api/0/settings/once").json == 1


def test_the_next_event_gets_the_id_that_it_would_have_had(kept: Kept, archive: Path, served: Served) -> None:
    highest = max(event["id"] for event in lines_of(archive, "event"))
    event: dict[str, Any] = {"timestamp": "2026-03-02T10:00:00Z", "duration": 1, "data": {}}

    [made] = served[0].as_owner("POST", "/api/0/buckets/empty/events", [event]).json

    # The deleted event had the id after the highest one, which is not used again.
    assert made["id"] == highest + 2


def test_an_archive_of_the_restored_database_is_the_same_to_the_byte(
    archive: Path, again: Path, tmp_path: Path
) -> None:
    archived(again, tmp_path / "second.zst")

    assert raw_lines(tmp_path / "second.zst") == raw_lines(archive)


def test_an_archive_holds_no_secret(archive: Path, kept: Kept) -> None:
    text = b"".join(raw_lines(archive))

    for secret in (kept.key.encode(), b64encode(ENVELOPE_KEY), ENVELOPE_KEY.hex().encode(), ENVELOPE_KEY):
        assert secret not in text
    assert [sorted(line) for line in lines_of(archive, "key")] == [
        sorted(["kind", "id", "name", "scope", "buckets", "created", "expires", "revoked", "salt", "digest",
                "last_used", "last_address"])
    ] * 2  # fmt: skip


def test_the_first_line_has_the_format_and_the_last_one_the_counts(archive: Path) -> None:
    first, *_, last = lines(archive)

    assert {name: first[name] for name in ("kind", "format", "version", "made", "server")} == {
        "kind": "header", "format": "dayline-archive", "version": 1, "made": "2026-03-01T12:00:00Z", "server": "1.2.3",
    }  # fmt: skip
    assert last["counts"]["event"] == first["events"] == 2 * len(EVENTS) + 1
    assert last["counts"]["bucket"] == 3
