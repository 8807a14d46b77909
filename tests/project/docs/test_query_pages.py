"""What docs/reference/query-language.md and docs/reference/query-functions.md show is what the server does."""

import json
import re
from datetime import date
from io import BytesIO
from typing import Any

import pytest

from dayline.demo.export import write_export
from dayline.demo.history import History
from dayline.query.language.signatures import SIGNATURES
from tests.support.project.files import ROOT
from tests.support.server import RunningServer

PERIOD = "2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00"
PAGE = (ROOT / "docs" / "reference" / "query-language.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recorded(shared_server: RunningServer) -> RunningServer:
    """A server with the day that the page asks about."""
    document = BytesIO()
    write_export(History(seed=7, days=2, devices=1, end=date(2026, 2, 4)).buckets(), document)
    assert shared_server.call("POST", "/api/0/import", raw=document.getvalue()).status == 200
    return shared_server


def blocks(language: str) -> list[str]:
    """The code blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def ask(server: RunningServer, *lines: str) -> Any:
    answer = server.post("/api/0/query/", {"timeperiods": [PERIOD], "query": lines})
    return answer.json


def test_the_first_example_of_the_page_is_answered(recorded: RunningServer) -> None:
    [command] = blocks("sh")
    body = command[command.index("{") : command.rindex("}") + 1]

    answer = recorded.call("POST", "/api/0/query/", raw=body.encode())

    [apps] = answer.json
    assert 0 < len(apps) <= 5
    assert all(event["data"]["app"] for event in apps)


def test_the_program_of_the_page_is_answered(recorded: RunningServer) -> None:
    [program] = re.findall(r"^```\n(# The programs.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)

    [result] = ask(recorded, program)

    assert result["hours"] > 0
    assert result["apps"]


def test_the_error_of_the_page_is_the_one_that_the_server_gives(recorded: RunningServer) -> None:
    [shown] = blocks("json")

    body = ask(recorded, 'RETURN = flood(query_bucket("window");')

    for key, value in body.items():
        if key != "request_id":
            assert f'"{key}": ' in shown
            assert _written(value) in shown


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=lambda signature: signature.name)
def test_the_example_of_a_function_is_a_program_that_can_be_read(recorded: RunningServer, signature: Any) -> None:
    answer = recorded.post("/api/1/query/check", {"query": signature.example}).json

    # An example is one statement: what it begins with is assigned elsewhere.
    assert [error for error in answer["errors"] if error["type"] == "QueryParseException" and error.get("line")] == []
