"""`GET /api/1/export`: the same events as a document, as a table and as lines."""

import csv
import io
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
import pytest

from tests.support.calls.clients import at
from tests.support.server import RunningServer

NAME: Final = 'tabs, "and" =more'
AWKWARD: Final[list[dict[str, Any]]] = [
    {"app": "Editor", "title": 'a "quoted", title\nof two lines', "url": "https://example.org/?a=1,2"},
    {"app": "=HYPERLINK(1)", "title": "+1", "url": "@home"},
    {"app": "-", "title": "\tTabs", "url": "\r"},
    {"app": "\n=1", "title": "\uff1d1", "url": "\uff20home"},
    {"app": " =1", "title": "\u00a0=1", "url": "\v=1"},
    {"app": "\f=1", "title": "\ufeff=1", "url": " \ufeff\u200b-1"},
    {"app": " \0=1", "title": "\0", "url": " \ufeff"},
    {"app": 7, "title": None, "list": [1, {"ü": "\u2028"}]},
    {},
]


@pytest.fixture(scope="module")
def server(shared_server: RunningServer) -> RunningServer:
    """A server with two buckets."""
    for bucket_id in (NAME, "empty"):
        shared_server.create(quote(bucket_id), hostname="-host")
    events = [
        {"timestamp": at(f"10:00:{number:02}.5"), "duration": 1.25, "data": data} for number, data in enumerate(AWKWARD)
    ]
    assert shared_server.post(f"/api/0/buckets/{quote(NAME)}/events", events).status == 200
    return shared_server


def exported(server: RunningServer, **query: str) -> Any:
    answer = server.get(f"/api/1/export?{urlencode(query)}")
    assert answer.status == 200, answer.body
    return answer


def test_a_table_is_read_back_cell_by_cell_and_holds_no_formula(server: RunningServer) -> None:
    answer = exported(server, bucket=NAME, format="csv")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].endswith(".csv")
    head, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    assert head == ["bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data"]
    assert [msgspec.json.decode(row[-1]) for row in rows] == AWKWARD[::-1]
    assert all(row[:3] == [NAME, "'-host", "test.type"] for row in rows)
    assert rows[-1][3:6] == [at("10:00:00.500"), at("10:00:01.750"), "1.25"]
    assert rows[-1][6:9] == [AWKWARD[0]["app"], AWKWARD[0]["title"], AWKWARD[0]["url"]]
    assert rows[-2][6:9] == ["'=HYPERLINK(1)", "'+1", "'@home"]
    assert rows[-3][6:9] == ["'-", "'\tTabs", "'\r"]
    assert rows[-4][6:9] == ["'\n=1", "'\uff1d1", "'\uff20home"]
    # A space or a byte order mark before the equals sign hid the formula from us, and not from the spreadsheet.
    assert rows[-5][6:9] == ["' =1", "'\u00a0=1", "'\v=1"]
    assert rows[-6][6:9] == ["'\f=1", "'\ufeff=1", "' \ufeff\u200b-1"]
    assert rows[-7][6:9] == ["' \0=1", "'\0", " \ufeff"]
    assert rows[-8][6:9] == ["", "", ""]


def test_lines_are_an_object_each(server: RunningServer) -> None:
    answer = exported(server, bucket=NAME, format="ndjson")

    lines = [msgspec.json.decode(line) for line in answer.body.split(b"\n")[:-1]]
    assert [line["data"] for line in lines] == AWKWARD[::-1]
    assert lines[-1] == {"bucket": NAME, "timestamp": at("10:00:00.500"), "duration": 1.25, "data": AWKWARD[0]}


def test_a_document_is_what_the_export_of_a_bucket_gives(server: RunningServer) -> None:
    document = exported(server, bucket="empty").json

    assert document == server.get("/api/0/buckets/empty/export").json
    assert exported(server).json == server.get("/api/0/export").json


def test_without_a_bucket_every_bucket_is_in_it(server: RunningServer) -> None:
    answer = exported(server, format="ndjson")

    assert answer.body.count(b"\n") == len(AWKWARD)
    assert exported(server, bucket="empty", format="ndjson").body == b""


def test_all_pages_of_a_large_bucket_are_in_it(server: RunningServer) -> None:
    server.create("large")
    events = [{"timestamp": at(f"11:{n // 60:02}:{n % 60:02}"), "data": {"n": n % 7}} for n in range(3000)]
    assert server.post("/api/0/buckets/large/events", events).status == 200

    table = exported(server, bucket="large", format="csv").body

    assert len(list(csv.reader(io.StringIO(table.decode(), newline="")))) == 3001
    server.call("DELETE", "/api/0/buckets/large")


def test_what_is_not_there_is_rejected(server: RunningServer) -> None:
    assert server.get("/api/1/export?bucket=unknown&format=csv").status == 404
    assert server.get("/api/1/export?format=xlsx").status == 400
