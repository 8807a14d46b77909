"""The fast path: an ordinary heartbeat is answered without the framework, and everything unusual goes through it."""

from collections.abc import Iterator

import msgspec
import pytest

from tests.api.remote_bucket import event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

# In this server, heartbeats that reach the framework are answered with 429.
WITHOUT_THE_ORDINARY_PATH = """
import dayline.api.v0.events

async def send_heartbeat(call):
    from dayline.model.errors import TooMany
    raise TooMany("the ordinary path")

# The route table holds the function itself.
dayline.api.v0.events.send_heartbeat.__code__ = send_heartbeat.__code__
"""
TARGET = "/api/0/buckets/b/heartbeat?pulsetime=1"
BODY = msgspec.json.encode(event(at("10:00:00")))


@pytest.fixture(scope="module")
def halved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("halved") / "days.db")
    server.change = WITHOUT_THE_ORDINARY_PATH
    with server:
        server.create("b")
        server.create("%C3%A9%2Fx")
        yield server


def status(server: RunningServer, text: bytes) -> int:
    with RawConnection(server) as connection:
        connection.send(text)
        return connection.answer().status


@pytest.mark.parametrize(
    "text",
    [
        request("POST", TARGET, BODY),
        request("POST", TARGET, BODY, User_Agent="python-requests/2", Accept="*/*", Connection="keep-alive"),
        request("POST", "/api/0/buckets/b/heartbeat?x=1&pulsetime=26.5&commit=0", BODY),
        request("POST", "/api/0/buckets/%C3%A9%2Fx/heartbeat?pulsetime=0", BODY),
        request("POST", TARGET, BODY, Host="127.0.0.1:5600"),
        request("POST", TARGET, msgspec.json.encode(event(at("10:00:00"), data={"t": "x" * 60_000}))),
    ],
)
def test_ordinary_heartbeat_takes_the_fast_path(halved: RunningServer, text: bytes) -> None:
    assert status(halved, text) == 200


@pytest.mark.parametrize(
    "text",
    [
        request("POST", TARGET, BODY, Content_Type="application/json; charset=utf-8"),
        request("POST", TARGET, BODY, Origin="moz-extension://x"),
        request("POST", TARGET, BODY, Connection="close"),
        request("POST", TARGET, BODY, version="1.0"),
        request("POST", TARGET, Content_Type="application/json", Transfer_Encoding="chunked")
        + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
        request("POST", TARGET, msgspec.json.encode(event(at("10:00:00"), data={"t": "x" * 70_000}))),
        request("POST", TARGET, b"{}"),
        request("POST", "/api/0/buckets/b/heartbeat", BODY),
        request("POST", "//api/0/buckets/b/heartbeat?pulsetime=1", BODY),
        request("POST", "/api/0/buckets/b/heartbeat/?pulsetime=1", BODY),
        request("POST", TARGET, BODY, Authorization="Bearer x"),
    ],
)
def test_unusual_heartbeat_takes_the_ordinary_path(halved: RunningServer, text: bytes) -> None:
    assert status(halved, text) == 429
