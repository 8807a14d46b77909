"""Timesheets over REST: their formats, their parameters, and the reports that are kept under a name."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.support.server import Answer, RunningServer

SHEET = "/api/1/reports/timesheet"
MARCH = {"period": "month", "date": "2026-03-05", "tz": "Europe/Berlin", "day_start": "00:00", "by": "app"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Two days of one window watcher."""
    with RunningServer(tmp_path_factory.mktemp("reports") / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        lines = [("2026-03-02T08:00:00Z", 50, "Code"), ("2026-03-02T09:00:00Z", 20, "=Mail"),
                 ("2026-03-02T23:30:00Z", 60, "Code"), ("2026-03-04T10:00:00Z", 1, "Code")]  # fmt: skip
        events = [
            {"timestamp": at, "duration": minutes * 60, "data": {"app": app, "title": "<b>"}}
            for at, minutes, app in lines
        ]
        server.post("/api/0/buckets/aw-watcher-window_laptop/events", events)
        yield server


def got(server: RunningServer, **parameters: object) -> Answer:
    return server.get(f"{SHEET}?{urlencode({**MARCH, **parameters}, doseq=True)}")


def test_a_sheet_has_a_line_for_each_day_and_a_column_for_each_key(filled: RunningServer) -> None:
    rules = {"round": "up", "to": "15m", "per": "entry", "rate": "80", "rates": "Code:100", "least": "2m"}
    found: dict[str, Any] = got(filled, **rules).json

    assert [(day["date"], day["first"][11:16], day["last"][11:16]) for day in found["days"]] == [
        ("2026-03-02", "09:00", "10:20"), ("2026-03-03", "00:30", "01:30"),
    ]  # fmt: skip
    columns = [(each["name"], each["seconds"], each["rounded"], each["amount"]) for each in found["columns"]]
    assert columns == [("Code", 6600.0, 7200.0, 200.0), ("=Mail", 1200.0, 1800.0, 40.0)]
    assert found["days"][0]["breaks"] == {"count": 1, "seconds": 600.0}
    assert found["totals"] == {
        "days": 2, "seconds": 7800.0, "rounded": 9000.0, "breaks": {"count": 1, "seconds": 600.0},
        "left_out": {"entries": 1, "seconds": 60.0}, "amount": 240.0,
    }  # fmt: skip


def test_the_total_of_a_day_is_rounded_unless_each_entry_is_asked_for(filled: RunningServer) -> None:
    by_day, by_entry = got(filled, round="up", to="1h").json, got(filled, round="up", to="1h", per="entry").json

    assert (by_day["rules"]["per"], [day["rounded"] for day in by_day["days"]]) == ("day", [7200.0, 3600.0, 3600.0])
    assert "warning" not in by_day
    assert [day["rounded"] for day in by_entry["days"]] == [7200.0, 3600.0, 3600.0]
    assert by_entry["warning"] == "Rounding each entry adds 1.8 h: 2.2 h → 4.0 h."


def test_short_gaps_count(filled: RunningServer) -> None:
    assert got(filled, gaps="15m").json["totals"]["seconds"] == 7860 + 600
    assert got(filled, gaps="10m").json["totals"]["seconds"] == 7860


def test_csv_is_a_file_with_a_name(filled: RunningServer) -> None:
    answer = got(filled, format="csv", title="ACME: March", currency="EUR", rate="80")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="ACME-March-2026-03-01-to-2026-03-31.csv"'
    head, *lines = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    assert head == ["Date", "First", "Last", "Breaks", "Code", "'=Mail", "Total", "Amount EUR"]
    assert [line[0] for line in lines] == ["2026-03-02", "2026-03-03", "2026-03-04", "Total"]


def test_files_can_be_in_german(filled: RunningServer) -> None:
    answer = got(filled, format="csv", by="category", language="de")

    assert answer.body.decode().splitlines()[0] == "Datum,Erste,Letzte,Pausen,Ohne Kategorie,Summe"
    assert "<h1>März 2026</h1>" in got(filled, format="html", language="de").body.decode()
    assert got(filled, format="html", language="fr").status == 400


def test_html_is_one_file_in_which_nothing_runs(filled: RunningServer) -> None:
    answer = got(filled, by="title", format="html")

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert b"<b>" not in answer.body
    assert b"&lt;b&gt;" in answer.body


@pytest.mark.parametrize("form", ["json", "csv", "html"])
def test_what_the_client_has_already_is_not_sent_again(filled: RunningServer, form: str) -> None:
    path = f"{SHEET}?{urlencode({**MARCH, 'format': form})}"
    tag = filled.get(path).headers["etag"]

    assert filled.call("GET", path, headers={"If-None-Match": tag}).status == 304


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("by", "device"), ("format", "pdf"), ("round", "off"), ("to", "0m"), ("to", "15x"), ("to", "99h"),
        ("per", "week"),
        ("least", "-1m"), ("gaps", "a"), ("rate", "much"), ("rate", "-1"), ("rate", "nan"), ("rates", "Work"),
        ("rates", "Work:x"), ("currency", "x" * 13), ("title", "x" * 201), ("notes", "maybe"),
    ],
)  # fmt: skip
def test_a_bad_parameter_is_named(filled: RunningServer, field: str, value: str) -> None:
    answer = got(filled, **{field: value})

    assert (answer.status, answer.json["field"]) == (400, field)


def test_a_kept_report_is_made_again_and_what_is_given_goes_before_it(filled: RunningServer) -> None:
    kept = {**MARCH, "filter": ["app:is:Code"], "title": "Invoice"}
    del kept["date"]
    path = f"/api/1/reports/{quote('Für ACME/März', safe='')}"

    assert filled.call("PUT", path, kept).json == {"name": "Für ACME/März", "parameters": kept}
    assert filled.get("/api/1/reports").json == [{"name": "Für ACME/März", "parameters": kept}]
    assert filled.get(path).json["parameters"] == kept
    asked = urlencode({"template": "Für ACME/März", "date": "2026-03-05"})
    made = filled.get(f"{SHEET}?{asked}").json
    other = filled.get(f"{SHEET}?{asked}&title=Other&filter=app:is:%3DMail").json
    ranged = filled.get(f"{SHEET}?{asked}&start=2026-03-02T00:00:00Z&end=2026-03-02T08:10:00Z")

    assert (made["title"], [column["name"] for column in made["columns"]]) == ("Invoice", ["Code"])
    assert (other["title"], [column["name"] for column in other["columns"]]) == ("Other", ["=Mail"])
    assert (ranged.status, ranged.json["totals"]["seconds"]) == (200, 600.0)
    assert filled.call("DELETE", path).json["name"] == "Für ACME/März"
    assert (filled.get(path).status, filled.get(f"{SHEET}?{asked}").status) == (404, 404)
    assert (
        filled.get("/api/1/settings/history?key=report:F%C3%BCr%20ACME/M%C3%A4rz").json["changes"][1]["value"] == kept
    )


@pytest.mark.parametrize("body", [{"by": "moon"}, {"unknown": 1}, {"filter": "app"}, []])
def test_a_report_that_could_not_be_made_is_not_kept(filled: RunningServer, body: object) -> None:
    assert filled.call("PUT", "/api/1/reports/bad", body).status == 422
    assert filled.get("/api/1/reports/bad").status == 404


@pytest.mark.parametrize(
    "parameters",
    [{"period": "someday"}, {"tz": "Moon/Base"}, {"to": "0m"}, {"rate": "much"}, {"filter": ["app"]},
     {"currency": "x" * 13}, {"day_start": "25:00"}],
    ids=lambda parameters: next(iter(parameters)),
)  # fmt: skip
def test_a_parameter_that_a_timesheet_would_reject_is_rejected_when_it_is_kept(
    filled: RunningServer, parameters: dict[str, object]
) -> None:
    answer = filled.call("PUT", "/api/1/reports/bad", parameters)

    assert (answer.status in (400, 422), answer.json["field"]) == (True, next(iter(parameters)))
    assert filled.get("/api/1/reports/bad").status == 404


def test_a_report_that_was_removed_comes_back_from_the_history(filled: RunningServer) -> None:
    path, history = "/api/1/reports/Weekly", "/api/1/settings/history"
    filled.call("PUT", path, {"period": "last-week"})
    filled.call("DELETE", path)
    _, kept = filled.get(f"{history}?key=report:Weekly").json["changes"]

    assert filled.post(f"{history}/{kept['number']}/restore", {}).status == 200
    assert filled.get(path).json["parameters"] == {"period": "last-week"}


@pytest.mark.parametrize("name", ["%20", "a%0Ab", "x" * 101])
def test_a_report_needs_a_name_that_can_be_seen(filled: RunningServer, name: str) -> None:
    assert filled.call("PUT", f"/api/1/reports/{name}", {}).status == 422


def test_a_server_without_events_answers_with_an_empty_sheet(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        assert server.get(f"{SHEET}?period=year").json["days"] == []
        assert b"Nothing was recorded" in server.get(f"{SHEET}?format=html").body
