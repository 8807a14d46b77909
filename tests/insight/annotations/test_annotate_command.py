"""`dayline annotations add` and `dayline annotations`, and times as people type them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dayline.cli.options.ranges import TimeParser
from dayline.cli.options.view import View
from dayline.model.errors import Invalid, NotFound
from tests.insight.annotating import annotate
from tests.insight.commands import answered, run
from tests.support.server import RunningServer

NOW = datetime(2026, 3, 5, 15, 30, tzinfo=UTC)  # a Thursday; 16:30 in Berlin


@pytest.fixture(scope="module")
def server(shared_server: RunningServer) -> RunningServer:
    """In the time zone of Berlin, with two categories."""
    shared_server.call("PATCH", "/api/1/settings", {"time_zone": "Europe/Berlin"})
    categories = [{"name": ["Work"]}, {"name": ["Work", "Meetings"]}]
    assert shared_server.call("PUT", "/api/1/categories", {"categories": categories}).status == 200
    return shared_server


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("09:00", "2026-03-05T08:00:00"),
        ("9:00", "2026-03-05T08:00:00"),
        ("today 23:59", "2026-03-05T22:59:00"),
        ("Yesterday  14:00", "2026-03-04T13:00:00"),
        ("thursday 9:30", "2026-03-05T08:30:00"),
        ("fri 9:30", "2026-02-27T08:30:00"),
        ("2026-03-01 09:00", "2026-03-01T08:00:00"),
        ("2026-07-01T09:00", "2026-07-01T07:00:00"),
        ("2026-07-01T09:00:00Z", "2026-07-01T09:00:00"),
        ("2026-07-01T09:00+05:45", "2026-07-01T03:15:00"),
        ("2026-07-01", "2026-07-01T02:00:00"),
        ("yesterday", "2026-03-04T03:00:00"),
        ("now", "2026-03-05T15:30:00"),
    ],
)
def test_time_means_what_people_mean(text: str, meant: str) -> None:
    moment = TimeParser(View(time_zone="Europe/Berlin", day_start="04:00"), now=NOW).time(text, "--from")

    assert moment.astimezone(UTC).replace(tzinfo=None).isoformat() == meant


@pytest.mark.parametrize("text", ["", "9", "25:00", "9:75", "someday 9:00", "2026-02-30 09:00", "half past nine"])
def test_what_is_no_time_is_rejected_with_examples(text: str) -> None:
    with pytest.raises(Invalid, match="--from") as refusal:
        TimeParser(View(time_zone="Europe/Berlin", day_start="04:00"), now=NOW).time(text, "--from")

    assert "yesterday 14:00" in (refusal.value.hint or "")


def test_end_is_of_the_day_of_the_start_or_of_the_night_after_it() -> None:
    times = TimeParser(View(time_zone="Europe/Berlin"), now=NOW)
    start = times.time("yesterday 22:00", "--from")

    assert times.end_after("23:30", start, "--to").isoformat() == "2026-03-04T23:30:00+01:00"
    assert times.end_after("01:00", start, "--to").isoformat() == "2026-03-05T01:00:00+01:00"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("2026-03-01", "2026-03-02"), ("20260301", "2026-03-02"), ("yesterday", "2026-03-05"), ("mon", "2026-03-03")],
)
def test_a_day_alone_is_included_by_to(text: str, meant: str) -> None:
    times = TimeParser(View(time_zone="Europe/Berlin"), now=NOW)
    start = times.time("2026-02-01", "--from")

    assert times.end_after(text, start, "--to").isoformat() == f"{meant}T04:00:00+01:00"


def test_annotation_is_made_in_the_zone_of_the_person(server: RunningServer) -> None:
    made = answered(
        server.database, "annotations", "add", "Stand-up", "--from", "2026-03-05 09:00", "--to", "09:15", "--entry",
        "--category", "Work/Meetings",
    )  # fmt: skip

    assert (made["kind"], made["label"], made["category"]) == ("entry", "Stand-up", ["Work", "Meetings"])
    assert (made["start"], made["end"]) == ("2026-03-05T08:00:00Z", "2026-03-05T08:15:00Z")


@pytest.mark.parametrize(
    ("options", "kind"),
    [(["--exclude"], "exclude"), (["--category", "Work"], "category"), (["--entry"], "entry"), (["at home"], "label")],
)
def test_options_say_the_kind(server: RunningServer, options: list[str], kind: str) -> None:
    made = answered(server.database, "annotations", "add", *options, "--from", "yesterday 9:00", "--for", "15m")

    assert made["kind"] == kind


@pytest.mark.parametrize("options", [["--exclude", "--entry"], ["--to", "10:00", "--for", "5m"]])
def test_options_that_contradict_each_other_are_rejected(server: RunningServer, options: list[str]) -> None:
    assert run(server.database, "annotations", "add", "--from", "09:00", *options).exit_code == 64


@pytest.mark.parametrize("options", [["--from", "09:00", "--to", "2020-01-01 10:00"], ["--from", "2999-01-01 09:00"]])
def test_an_empty_range_is_rejected(server: RunningServer, options: list[str]) -> None:
    result = run(server.database, "annotations", "add", *options)

    assert result.exit_code == 64
    assert "the range is empty" in result.stderr


def test_an_unknown_category_is_rejected(server: RunningServer) -> None:
    result = run(
        server.database, "annotations", "add", "--from", "yesterday 9:00", "--for", "15m", "--category", "Wrok"
    )

    assert isinstance(result.exception, NotFound)
    assert result.exception.hint == "did you mean: Work"


def test_annotations_are_listed_switched_and_removed(server: RunningServer) -> None:
    number = str(annotate(server, "label", "20:00", "21:00", label="evening")["id"])
    since = ("annotations", "list", "--from", "2026-03-05 20:30")

    heading, line, *_ = run(server.database, *since, "--to", "2026-03-05 22:30").stdout.splitlines()
    assert number in run(server.database, "annotations", "list", "--to", "2026-03-05").stdout
    assert heading.split() == ["id", "from", "to", "kind", "label", "category", "device", "on"]
    assert line.split() == [number, "2026-03-05", "21:00", "2026-03-05", "22:00", "label", "evening", "-", "-", "yes"]
    assert run(server.database, "annotations", "off", number).exit_code == 0
    assert server.get(f"/api/1/annotations/{number}").json["is_on"] is False
    assert run(server.database, "annotations", "on", number).exit_code == 0
    assert "dayline undo" in run(server.database, "annotations", "delete", number).stdout
    assert server.get(f"/api/1/annotations/{number}").status == 404


def test_command_works_without_a_server(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    result = run(
        database, "annotations", "add", "Drive", "--from", "2026-03-05T08:00Z", "--to", "2026-03-05T09:00Z", "--entry"
    )

    assert result.exit_code == 0, result.exception
    assert "entry Drive" in result.stdout
    assert "events added: dayline-annotations (1 event)" in run(database, "undo", "--yes").stdout
    assert answered(database, "annotations", "list")["annotations"] == []
