"""`/api/1/privacy/rules`: Dayline's own rules, apart from the setting that other clients write (decision 18)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.privacy import filter_of
from tests.support.server import RunningServer

RULES = "/api/1/privacy/rules"
SETTING = "/api/0/settings/privacy_filters"
HIDE: dict[str, Any] = {"field": "title", "pattern": "payroll", "action": "redact"}
WHOLE: dict[str, Any] = {**HIDE, "enabled": True, "name": "", "buckets": [], "replacement": "REDACTED"}


@pytest.fixture
def free_server(shared_server: RunningServer) -> Iterator[RunningServer]:
    """The server of this file, without rules before and after."""
    yield shared_server
    shared_server.call("PUT", RULES, [])
    shared_server.call("DELETE", SETTING)


def title_kept(server: RunningServer, title: str) -> str:
    server.create("window")
    body = {"timestamp": "2026-03-01T10:00:00Z", "data": {"title": title}}
    return str(server.post("/api/0/buckets/window/heartbeat?pulsetime=0", body).json["data"]["title"])


def test_there_are_none_at_first(free_server: RunningServer) -> None:
    answer = free_server.get(RULES)

    assert (answer.status, answer.json) == (200, {"filters": [], "rules": []})


def test_rules_are_in_force_from_the_answer_on(free_server: RunningServer) -> None:
    answer = free_server.call("PUT", RULES, [HIDE])

    assert (answer.status, answer.json) == (200, {"filters": [], "rules": [WHOLE]})
    assert title_kept(free_server, "payroll") == "REDACTED"


def test_they_stand_beside_the_setting_and_come_after_it(free_server: RunningServer) -> None:
    entry = filter_of("payroll", replacement="first")
    free_server.post(SETTING, [entry])
    free_server.call("PUT", RULES, [{**HIDE, "pattern": "first|payroll", "replacement": "second"}])

    book = free_server.get(RULES).json
    assert [found["pattern"] for found in book["filters"]] == ["payroll"]
    assert [found["pattern"] for found in book["rules"]] == ["first|payroll"]
    assert free_server.get(SETTING).json == [entry]
    assert title_kept(free_server, "payroll") == "second"


def test_replacing_the_rules_leaves_the_setting_in_force(free_server: RunningServer) -> None:
    free_server.post(SETTING, [filter_of("payroll", replacement="first")])
    free_server.call("PUT", RULES, [HIDE])
    free_server.call("PUT", RULES, [])

    assert title_kept(free_server, "payroll") == "first"


@pytest.mark.parametrize(
    ("rule", "status", "field"),
    [
        ({**HIDE, "pattern": "("}, 400, "[1].pattern"),
        ({**HIDE, "pattern": "(?<!a)b"}, 400, "[1].pattern"),
        ({**HIDE, "action": "rewrite", "replacement": r"\1"}, 400, "[1].replacement"),
        ({**HIDE, "buckets": [""]}, 400, "[1].buckets"),
        ({**HIDE, "action": "burn"}, 422, "[1].action"),
        ({"field": "title", "action": "drop"}, 422, "[1].pattern"),
        ({**HIDE, "field": ""}, 422, "[1].field"),
    ],
)
def test_a_bad_rule_is_rejected_by_its_place_and_changes_nothing(
    free_server: RunningServer, rule: dict[str, Any], status: int, field: str
) -> None:
    free_server.call("PUT", RULES, [HIDE])

    answer = free_server.call("PUT", RULES, [HIDE, rule])

    assert (answer.status, answer.json["field"]) == (status, field)
    assert free_server.get(RULES).json["rules"] == [WHOLE]
    assert title_kept(free_server, "payroll") == "REDACTED"


def test_rules_are_in_force_after_a_restart(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.call("PUT", RULES, [HIDE])
    with RunningServer(tmp_path / "days.db") as server:
        assert title_kept(server, "payroll") == "REDACTED"


def test_plain_words_make_a_rule_that_drops_events(free_server: RunningServer) -> None:
    app = free_server.get("/api/1/privacy/rule?app=C%2B%2B+(beta)").json
    assert (app["field"], app["action"], app["name"]) == ("app", "drop", "C++ (beta)")
    site = free_server.get("/api/1/privacy/rule?site=https://Bank.example.org/login").json
    assert (site["field"], site["name"]) == ("url", "Bank.example.org")
    title = free_server.get("/api/1/privacy/rule?title=payroll").json
    assert free_server.call("PUT", RULES, [app, site, title]).status == 200
    free_server.create("plain")
    seen = [
        {"app": "C++ (beta)"}, {"app": "C++ (betamax)"}, {"title": "May PAYROLL"}, {"title": "pay roll"},
        {"url": "https://bank.example.org/"}, {"url": "https://my.bank.example.org:8080/a"},
        {"url": "https://bank.example.org.evil.example/"}, {"url": "https://x.example/?bank.example.org"},
        {"url": "https://otherbank.example.org/"},
    ]  # fmt: skip
    events = [{"timestamp": f"2026-03-05T10:00:{n:02}Z", "duration": 0, "data": data} for n, data in enumerate(seen)]
    assert free_server.post("/api/0/buckets/plain/events", events).status == 200
    kept = [event["data"] for event in free_server.get("/api/0/buckets/plain/events").json]
    assert sorted(map(str, kept)) == sorted(map(str, [seen[1], seen[3], *seen[6:]]))


@pytest.mark.parametrize("query", ["", "app=", "app=a&site=b", "title=" + 501 * "a"])
def test_a_rule_in_plain_words_names_one_thing(free_server: RunningServer, query: str) -> None:
    assert free_server.get(f"/api/1/privacy/rule?{query}").status in (400, 422)
