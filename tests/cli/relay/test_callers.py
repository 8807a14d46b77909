"""Who may call a relay: programs of this computer, and browser extensions that record."""

import socket
from pathlib import Path

import pytest

from tests.cli.relay.running_relay import RunningRelay, events_of, moment
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

OTHER_UID = 4242
EXTENSION = "moz-extension://5c2b8a1e-7d31-4c1f-9a44-0f6a0a3b2c1d"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "evil.example:5600", ""])
def test_another_name_in_the_host_header_is_rejected(shared_relay: RunningRelay, host: str) -> None:
    answer = shared_relay.get("/api/0/info", Host=host)

    assert (answer.status, answer.json["type"]) == (400, "Malformed")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:5600"])
def test_loopback_names_are_ours(shared_relay: RunningRelay, host: str) -> None:
    assert shared_relay.get("/api/0/info", Host=host).status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1"]
)
@pytest.mark.parametrize("path", ["/api/0/info", "/api/0/buckets/", "/api/1/relay"])
def test_pages_of_others_are_rejected(shared_relay: RunningRelay, origin: str, path: str) -> None:
    answer = shared_relay.get(path, Origin=origin)

    assert (answer.status, answer.json["type"]) == (403, "Forbidden")
    assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_others_records_nothing(shared_relay: RunningRelay) -> None:
    body = {"client": "c", "type": "t", "hostname": "h"}

    assert shared_relay.post("/api/0/buckets/theirs", body, Origin="https://evil.example").status == 403
    assert shared_relay.post("/api/0/buckets/theirs", body).status == 200


class RelayOfAnother(RunningRelay):
    """Takes every client for another user of the machine."""

    change = (
        "import dayline.access.local_users as users\n"
        f"users.user_lookup = lambda: lambda peer, local: {OTHER_UID}\n"
        "users.local_users = lambda setting, lookup: users.LocalUsers(1000)"
    )


def test_another_user_of_the_machine_neither_reads_nor_records(shared_server: RunningServer, tmp_path: Path) -> None:
    with RelayOfAnother(tmp_path / "queue.db", shared_server.url) as relay:
        for answer in (relay.get("/api/0/buckets/"), relay.create("theirs"), relay.get("/api/1/relay")):
            assert answer.status == 403
            assert f"uid {OTHER_UID} has no access" in answer.message
            assert "dayline relay --other-users allow" in answer.json["hint"]


def test_an_extension_records(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    headers = {"Origin": EXTENSION}
    shared_relay.create("tabs")

    created = shared_relay.post("/api/0/buckets/tabs", {"client": "c", "type": "t", "hostname": "h"}, **headers)
    beat = {"timestamp": moment(0), "data": {"app": "tab"}}
    sent = shared_relay.post("/api/0/buckets/tabs/heartbeat?pulsetime=60", beat, **headers)
    inserted = shared_relay.post("/api/0/buckets/tabs/events", [beat], **headers)
    shared_relay.wait_until_sent()

    assert (created.status, sent.status, inserted.status) == (304, 200, 200)
    assert sent.headers["access-control-allow-origin"] == EXTENSION
    assert shared_relay.get("/api/0/info", **headers).status == 200
    assert events_of(shared_server, "tabs") == [(0, 0, "tab")] * 2


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/0/buckets/"),
        ("GET", "/api/0/buckets/tabs"),
        ("GET", "/api/0/buckets/tabs/events"),
        ("DELETE", "/api/0/buckets/tabs"),
        ("GET", "/api/0/export"),
        ("POST", "/api/0/query/"),
        ("GET", "/api/1/relay"),
        ("GET", "//api/0//buckets//tabs//events"),
    ],
)
def test_an_extension_may_only_record(shared_relay: RunningRelay, method: str, path: str) -> None:
    answer = shared_relay.call(method, path, headers={"Origin": EXTENSION})

    assert (answer.status, answer.json["type"]) == (403, "Forbidden")


def test_a_preflight_of_an_extension_is_answered(shared_relay: RunningRelay) -> None:
    headers = {
        "Origin": EXTENSION,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }

    answer = shared_relay.call("OPTIONS", "/api/0/buckets/tabs/heartbeat", headers=headers)
    refused = shared_relay.call("OPTIONS", "/api/0/info", headers={**headers, "Access-Control-Request-Method": "PUT"})

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-headers"] == "content-type"
    assert refused.status == 403


def test_it_listens_at_one_address_of_this_computer_alone(shared_relay: RunningRelay) -> None:
    # It would be reached at this one too if it listened at all of them.
    with pytest.raises(OSError, match=r"refused|timed out|assign"):
        socket.create_connection(("127.0.0.2", shared_relay.port), timeout=PATIENCE_S)
