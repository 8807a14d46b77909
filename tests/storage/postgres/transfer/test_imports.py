"""Imports on PostgreSQL: the same documents come to the same as on SQLite, and recording continues."""

import random
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dayline.storage.columns.hashes import hash_of
from dayline.storage.postgres.transfer.staged_rows import Slice, StagedRow, StagedText, merge_slice
from tests.storage.postgres.filling import changing, make_bucket
from tests.support.maintenance.documents import document
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.server import RunningServer

pytestmark = pytest.mark.long  # the suites of tests/storage hold the rest every day

HEAD: Final = {"type": "test.type", "client": "test-client", "hostname": "laptop", "created": "2026-01-01T00:00:00Z"}


class Both:
    """A server on either backend, which are sent the same."""

    def __init__(self, sqlite: RunningServer, postgres: PostgresServer) -> None:
        self.sqlite, self.postgres = sqlite, postgres

    def sent(self, path: str, body: object) -> Any:
        one, other = (server.call("POST", path, body) for server in (self.sqlite, self.postgres))
        assert (one.status, one.json) == (other.status, other.json)
        return one.json

    def compare(self) -> None:
        assert exported(self.sqlite) == exported(self.postgres)


@pytest.fixture(scope="module")
def both(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("both")
    (folder / "postgres").mkdir()
    with (
        RunningServer(folder / "days.db") as sqlite,
        PostgresServer(postgres.new_database(), folder / "postgres") as server,
    ):
        yield Both(sqlite, server)


def exported(server: RunningServer) -> Any:
    buckets = server.get("/api/0/export").json["buckets"]
    for bucket in buckets.values():
        # Events of the same start come in the order of their ids, which neither promises to be the same.
        bucket["events"].sort(key=msgspec.json.encode)
    return buckets


def event(second: int, *, duration: float = 1.0, month: int = 1, **data: object) -> dict[str, object]:
    moment = (
        f"2026-{month:02}-{second // 86400 + 1:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
    )
    return {"timestamp": moment, "duration": duration, "data": data}


def bucket_of(bucket_id: str, *events: object, **fields: object) -> dict[str, dict[str, object]]:
    return {"buckets": {bucket_id: {"id": bucket_id, **HEAD, **fields, "events": list(events)}}}


def test_events_of_many_kinds_come_to_the_same(both: Both) -> None:
    chance = random.Random(9)
    events: list[object] = [
        event(
            chance.randrange(2_000_000), duration=chance.randrange(40) / 4, month=chance.randrange(1, 7), n=number % 50
        )
        for number in range(3000)
    ]
    events += chance.sample(events, 300)  # some of them twice
    events += [{"timestamp": "yesterday"}, event(5, duration=-3, title='"quoted" \\ and ünïcode \u0000')]

    report = both.sent("/api/0/import", bucket_of("mixed", *events))

    assert (report["invalid"], report["skipped"]) == (1, 3301 - report["imported"])
    both.compare()


def test_what_is_there_already_is_skipped_and_counted(both: Both) -> None:
    events = [event(second, month=2, n=second % 3) for second in range(100)]
    both.sent("/api/0/import", bucket_of("again", *events[:60]))

    report = both.sent("/api/0/import", bucket_of("again", *events, event(1, month=2, n=7)))

    assert report == {"buckets": 1, "imported": 41, "skipped": 60, "invalid": 0}
    both.compare()


def test_the_dry_run_equals_the_import(both: Both) -> None:
    both.sent("/api/0/import", bucket_of("dry", *[event(second, n=1) for second in range(50)]))
    body = bucket_of("dry", *[event(second, n=second % 2) for second in range(80)], hostname="elsewhere")

    survey = both.sent("/api/1/imports?dry_run=1", body)

    assert survey["buckets"] == [
        {"id": "dry", "is_new": False, "new": 55, "known": 25, "invalid": 0, "dropped": 0, "conflicts": ["hostname"]}
    ]
    assert both.sent("/api/0/import", body)["imported"] == 55


def test_a_document_goes_to_the_bucket_that_has_its_id_as_an_alias(both: Both) -> None:
    both.sent("/api/0/import", bucket_of("old-name", event(1)))
    for server in (both.sqlite, both.postgres):
        assert server.post("/api/1/buckets/old-name/rename", {"id": "new-name"}).status == 200

    survey = both.sent("/api/1/imports?dry_run=1", bucket_of("old-name", event(1), event(2)))
    report = both.sent("/api/0/import", bucket_of("old-name", event(1), event(2)))

    assert [(each["is_new"], each["new"]) for each in survey["buckets"]] == [(False, 1)]
    assert (report["imported"], report["skipped"]) == (1, 1)
    both.compare()


def test_a_document_that_cannot_be_used_changes_nothing(both: Both) -> None:
    before = exported(both.postgres)
    text = document("broken", events=1000)[:-3]

    assert both.postgres.call("POST", "/api/0/import", raw=text).status == 400
    two = {"buckets": {**bucket_of("fine")["buckets"], **bucket_of("nul", client="a\0b")["buckets"]}}
    assert both.postgres.post("/api/0/import", two).status == 422

    assert exported(both.postgres) == before


def test_heartbeats_continue_in_the_bucket_that_is_imported_to(both: Both) -> None:
    server, events, answers = both.postgres, 20_000, list[int]()
    server.create("large")
    is_over = threading.Event()

    def beat() -> None:
        while not is_over.is_set():
            moment = f"2027-01-01T{len(answers) // 3600:02}:{len(answers) // 60 % 60:02}:{len(answers) % 60:02}Z"
            path = "/api/0/buckets/large/heartbeat?pulsetime=0.5"
            answers.append(server.post(path, {"timestamp": moment, "data": {"n": len(answers)}}).status)

    watcher = threading.Thread(target=beat)
    watcher.start()
    report = server.call("POST", "/api/0/import", raw=document("large", events=events, values=3000)).json
    is_over.set()
    watcher.join()

    assert report == {"buckets": 1, "imported": events, "skipped": 0, "invalid": 0}
    assert set(answers) == {200}
    assert server.get("/api/0/buckets/large/events/count").json == events + len(answers)
    assert server.get("/api/0/buckets/large").json["metadata"]["start"].startswith("2026-01-01T00:00:00")


def test_texts_of_the_same_hash_are_distinguished(address: str) -> None:
    make_bucket(address, "x")
    texts = [StagedText(number, hash_of(b'{"n":1}'), f'{{"n":{number}}}') for number in (1, 2, 3)]
    rows = [StagedRow(1_767_225_600_000_000, 5, number) for number in (1, 2, 3)]
    part = Slice(rows=rows, dictionary=None, keys={}, texts=texts)

    for imported in (3, 0):
        with changing(address) as turn:
            merged = merge_slice(turn, "x", part)
        assert merged is not None
        assert merged.imported == imported
        assert len(set(merged.keys.values())) == 3


def test_a_slice_of_a_new_bucket_may_have_texts_and_hashes_that_the_bucket_already_has(address: str) -> None:
    make_bucket(address, "x")
    shared = hash_of(b'{"n":1}')
    slices = [
        [StagedText(1, shared, '{"n":1}'), StagedText(2, hash_of(b'{"n":2}'), '{"n":2}')],
        [
            StagedText(3, hash_of(b'{"n":3}'), '{"n":3}'),
            StagedText(4, shared, '{"n":4}'),
            StagedText(1, shared, '{"n":1}'),
        ],
    ]

    keys: list[Mapping[int, int]] = []
    for second, texts in enumerate(slices):
        rows = [StagedRow(1_767_225_600_000_000 + second, 5, text.number) for text in texts]
        with changing(address) as turn:
            merged = merge_slice(turn, "x", Slice(rows=rows, dictionary=None, keys={}, texts=texts, is_new=True))
        assert merged is not None
        assert merged.imported == len(rows)
        keys.append(merged.keys)

    assert keys[0][1] == keys[1][1]
    assert len(set(keys[0].values()) | set(keys[1].values())) == 4


def test_keys_of_another_dictionary_are_not_used(address: str) -> None:
    make_bucket(address, "x")
    rows = [StagedRow(1_767_225_600_000_000, 5, 1)]

    with changing(address) as turn:
        dictionary = (turn.find("x").key, 99)
        merged = merge_slice(turn, "x", Slice(rows=rows, dictionary=dictionary, keys={1: 1}, texts=[]))
        count = turn.db.execute("SELECT count(*) FROM event WHERE tenant = ''").fetchone()

    assert merged is None
    assert count == (0,)


def test_an_import_leaves_no_files_behind(both: Both, tmp_path: Path) -> None:
    server = PostgresServer(both.postgres.place, tmp_path)
    server.start(TMPDIR=str(tmp_path))
    try:
        assert server.call("POST", "/api/0/import", raw=document("tidy", events=10)).status == 200
        assert list(tmp_path.glob("dayline-scratch-*")) == []
    finally:
        server.stop()
