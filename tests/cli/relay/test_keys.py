"""The relay has the key that watchers do not have: in the clear on this computer, over TLS, or as an envelope."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.model.access import new_key_text
from tests.cli.relay.lossy_way import LossyWay
from tests.cli.relay.running_relay import RunningRelay, moment
from tests.support.calls.endpoints import Door, create_key, make_certificate
from tests.support.keyed_server import KeyedServer
from tests.support.processes.command import Service
from tests.support.server import free_port
from tests.support.waiting import eventually

BUCKET: Final = "watcher-a%2F%C3%A4"  # with a slash and a letter beyond ASCII in it


@pytest.fixture
def keyed_server(tmp_path: Path) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path / "days.db") as server:
        yield server


def key_file(folder: Path, key: str) -> Path:
    path = folder / "laptop.key"
    path.write_text(f"{key}\n")
    path.chmod(0o600)
    return path


def relay_with(server: KeyedServer, folder: Path, key: str, *flags: str) -> RunningRelay:
    return RunningRelay(folder / "queue.db", server.url, "--key-file", str(key_file(folder, key)), *flags)


def apps(server: KeyedServer, bucket_id: str) -> list[str]:
    """The apps of all events, oldest first; none where there is no such bucket."""
    answer = server.as_owner("GET", f"/api/0/buckets/{bucket_id}/events")
    return [event["data"]["app"] for event in reversed(answer.json)] if answer.status == 200 else []


@pytest.mark.parametrize("flags", [(), ("--envelope",)], ids=["plain", "enveloped"])
@pytest.mark.parametrize(("scope", "buckets"), [("full", ()), ("full", ("watcher-*",)), ("read", ())])
def test_a_relay_warns_about_a_key_that_may_do_more_than_record(
    keyed_server: KeyedServer, tmp_path: Path, scope: str, buckets: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    with relay_with(keyed_server, tmp_path, keyed_server.key(scope, *buckets, envelope=True), *flags) as relay:
        eventually(lambda: "The key allows more than recording" in data_file(relay.queue, DataFile.LOG).read_text())


def test_a_relay_reports_no_problem_for_a_key_that_only_records(keyed_server: KeyedServer, tmp_path: Path) -> None:
    made = keyed_server.made_key("append")
    with relay_with(keyed_server, tmp_path, made["key"]) as relay:

        def checked() -> bool:
            lines = keyed_server.as_owner("GET", f"/api/1/audit?key={made['id']}&call=list_buckets").json["lines"]
            return [line["status"] for line in lines] == [403]

        eventually(checked)
        relay.stop()
        assert "The key allows more than recording" not in data_file(relay.queue, DataFile.LOG).read_text()


@pytest.mark.parametrize("flags", [(), ("--envelope",)], ids=["plain", "enveloped"])
def test_an_append_key_records_and_reads_nothing(
    keyed_server: KeyedServer, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    key = keyed_server.key("append", "watcher-*", envelope=True)
    with relay_with(keyed_server, tmp_path, key, *flags) as relay:
        relay.create(BUCKET)
        relay.beat(BUCKET, 0, app="one")
        relay.post(f"/api/0/buckets/{BUCKET}/events", [{"timestamp": moment(1), "data": {"app": "two"}}])
        relay.wait_until_sent()

        assert apps(keyed_server, BUCKET) == ["one", "two"]
        assert relay.get("/api/0/buckets/").status == 403
        assert relay.get(f"/api/0/buckets/{BUCKET}/events").json["type"] == "Forbidden"


@pytest.mark.parametrize("flags", [(), ("--envelope",)], ids=["plain", "enveloped"])
def test_a_full_key_reads_and_writes(keyed_server: KeyedServer, tmp_path: Path, flags: tuple[str, ...]) -> None:
    key = keyed_server.key("full", envelope=True)
    with relay_with(keyed_server, tmp_path, key, *flags) as relay:
        relay.create("a")
        relay.beat("a", 0)
        relay.wait_until_sent()

        assert len(relay.get("/api/0/buckets/a/events?limit=5").json) == 1
        assert relay.post("/api/0/settings/x", [1]).status == 201
        assert relay.get("/api/0/settings/x").json == [1]
        assert relay.call("DELETE", "/api/0/buckets/a").status == 200


@pytest.mark.parametrize("flags", [(), ("--envelope",)], ids=["plain", "enveloped"])
def test_a_bucket_that_the_key_is_not_for_waits_and_the_others_continue(
    keyed_server: KeyedServer, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    key = keyed_server.key("append", "mine", envelope=True)
    with relay_with(keyed_server, tmp_path, key, *flags) as relay:
        for bucket_id in ("theirs", "mine"):
            relay.create(bucket_id)
            relay.beat(bucket_id, 0, app="one")
            relay.beat(bucket_id, 1, app="two")
        eventually(lambda: apps(keyed_server, "mine") == ["one", "two"])

        status = relay.status
        assert (status["waiting"], status["refused"], status["state"]) == (3, 0, "connected")
        assert status["held_back"].keys() == {"theirs"}
        assert keyed_server.as_owner("GET", "/api/0/buckets/theirs").status == 404


@pytest.mark.parametrize("flags", [(), ("--envelope",)], ids=["plain", "enveloped"])
def test_a_wrong_key_loses_nothing(keyed_server: KeyedServer, tmp_path: Path, flags: tuple[str, ...]) -> None:
    right, wrong = keyed_server.key("append", envelope=True), new_key_text()
    with relay_with(keyed_server, tmp_path, wrong, *flags) as relay:
        relay.create("a")
        relay.beat("a", 0, app="one")
        eventually(lambda: relay.status["state"] == "away")
        assert wrong not in str(relay.status)
        assert relay.status["waiting"] == 2

    with relay_with(keyed_server, tmp_path, right, *flags) as relay:
        relay.wait_until_sent()
    assert apps(keyed_server, "a") == ["one"]


def test_a_lost_answer_to_an_enveloped_call_doubles_nothing(keyed_server: KeyedServer, tmp_path: Path) -> None:
    flags = ("--key-file", str(key_file(tmp_path, keyed_server.key("append", envelope=True))), "--envelope")
    with (
        LossyWay(keyed_server, is_lost=lambda number: number % 3 == 2) as way,
        RunningRelay(tmp_path / "queue.db", way.url, *flags) as relay,
    ):
        relay.create("a")
        for second in range(6):
            relay.post("/api/0/buckets/a/events", [{"timestamp": moment(second), "data": {"app": f"app {second}"}}])
        relay.wait_until_sent()

        assert {request["content-type"] for request in way.requests} == {"application/jose"}
        assert not any("authorization" in request for request in way.requests)
    assert apps(keyed_server, "a") == [f"app {second}" for second in range(6)]


def test_a_revoked_key_loses_nothing(keyed_server: KeyedServer, tmp_path: Path) -> None:
    made = keyed_server.made_key("append")
    with relay_with(keyed_server, tmp_path, made["key"]) as relay:
        relay.create("a")
        relay.beat("a", 0, app="one")
        relay.wait_until_sent()
        keyed_server.as_owner("DELETE", f"/api/1/keys/{made['id']}")

        relay.beat("a", 1, app="two")
        eventually(lambda: relay.status["state"] == "away")

        assert (relay.status["waiting"], relay.status["refused"]) == (1, 0)


def test_the_key_is_in_no_log_and_no_status(keyed_server: KeyedServer, tmp_path: Path) -> None:
    key = keyed_server.key("append", "mine")
    with relay_with(keyed_server, tmp_path, key, "--log-level", "debug") as relay:
        relay.create("mine")
        relay.create("theirs")
        eventually(lambda: relay.status["held_back"] != {})
        secret = key.split("_", 2)[2]  # which may have an underscore in it
        assert secret not in str(relay.status)

    assert secret not in (tmp_path / "queue.db.d/dayline.log").read_text()
    assert secret.encode() not in (tmp_path / "queue.db").read_bytes()


@pytest.mark.parametrize(("option", "trusted"), [("--ca-file", "ca"), ("--fingerprint", "server_fingerprint")])
def test_over_tls_with_a_certificate_of_ones_own(tmp_path: Path, option: str, trusted: str) -> None:
    database, port = tmp_path / "days.db", free_port()
    certificate = make_certificate(database)
    owner, key = create_key(database), create_key(database, "--bucket", "a", scope="append")
    place = ("--port", str(port), "--database", str(database), "--require-keys")
    tls = ("--tls-cert", certificate["certificate"], "--tls-key", certificate["key"])
    flags = ("--key-file", str(key_file(tmp_path, key)), option, certificate[trusted])
    with RunningRelay(tmp_path / "queue.db", f"https://localhost:{port}", *flags) as relay:
        relay.create("a")
        relay.beat("a", 0)
        with Service(*place, *tls, home=tmp_path):
            relay.wait_until_sent()
        relay.beat("a", 4)
        with Service(*place, *tls, home=tmp_path):
            relay.wait_until_sent()
            door = Door("localhost", port, ca=Path(certificate["ca"]), key=owner)
            [event] = door.get("/api/0/buckets/a/events").json

    assert event["duration"] == 4


def test_a_server_that_is_not_trusted_is_sent_nothing(tmp_path: Path) -> None:
    database, port = tmp_path / "days.db", free_port()
    certificate = make_certificate(database)
    key = create_key(database, scope="append")
    place = ("--port", str(port), "--database", str(database), "--require-keys")
    tls = ("--tls-cert", certificate["certificate"], "--tls-key", certificate["key"])
    flags = ("--key-file", str(key_file(tmp_path, key)))
    with (
        Service(*place, *tls, home=tmp_path),
        RunningRelay(tmp_path / "queue.db", f"https://localhost:{port}", *flags) as relay,
    ):
        relay.create("a")
        eventually(lambda: relay.status["state"] == "away")

        assert "certificate" in relay.status["reason"]
        assert relay.status["waiting"] == 1
