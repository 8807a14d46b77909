"""`dayline goals`: made, shown with bars, removed; and the hours of work."""

import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from dayline.cli.time.goals import bar, weekdays_of
from dayline.model.errors import Invalid
from tests.insight.commands import answered, run
from tests.support.calls.clients import record
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def server(shared_server: RunningServer) -> RunningServer:
    """With an hour and a half of Code on a Thursday in March."""
    record(shared_server, ("2026-03-05T09:00:00Z", "2026-03-05T10:30:00Z", "Code"))
    return shared_server


def test_goal_is_made_shown_and_removed(server: RunningServer) -> None:
    made = answered(server.database, "goals", "add", "Code", "--at-least", "2h", "--app", "Code", "--days", "mon-fri")
    assert made["weekdays"] == ["monday", "tuesday", "wednesday", "thursday", "friday"]

    heading, line = run(server.database, "goals", "list", "--date", "2026-03-05").stdout.splitlines()
    assert heading.split() == ["id", "goal", "so", "far", "of", "per", "state", "in", "a", "row"]
    words = ["1h", "30m", "≥", "2h", "00m", "day", "missed", "0"]
    assert line.split() == [str(made["id"]), "Code", "█" * 15 + "░" * 5, *words]

    assert run(server.database, "goals", "delete", str(made["id"])).exit_code == 0
    shown = CliRunner().invoke(commands, ["goals", "--database", str(server.database)])
    assert (shown.exit_code, "dayline goals add" in shown.stderr) == (0, True)


def test_hours_of_work_are_set_shown_and_parted(server: RunningServer) -> None:
    hours = answered(server.database, "goals", "hours", "mon-thu=09:00-10:00", "fri=22:00-06:00")
    assert (hours["thursday"], hours["friday"], hours["sunday"]) == ("09:00-10:00", "22:00-06:00", None)
    assert "22:00-06:00" in run(server.database, "goals", "hours").stdout

    shown = run(server.database, "goals", "list", "--date", "2026-03-05").stdout
    assert shown.splitlines()[-1].startswith("Work: 1h 00m and 30m of overtime;")

    assert not any(answered(server.database, "goals", "hours", "none").values())


@pytest.mark.parametrize(
    "options",
    [[], ["--at-least", "1h", "--at-most", "2h"], ["--at-least", "1h", "--app", "a", "--domain", "b"]],
)
def test_contradictory_goal_is_rejected(server: RunningServer, options: list[str]) -> None:
    assert run(server.database, "goals", "add", "Code", *options).exit_code == 64


def test_days_of_the_week_may_be_a_span_or_a_list() -> None:
    assert weekdays_of("mon-wed") == ["monday", "tuesday", "wednesday"]
    assert weekdays_of("sat-mon") == ["monday", "saturday", "sunday"]
    assert weekdays_of("sun, tuesday") == ["tuesday", "sunday"]
    with pytest.raises(Invalid, match="someday"):
        weekdays_of("someday")


def test_bar_shows_how_far_and_where_one_would_usually_be() -> None:
    assert bar(0.5, 0.25) == "█████|████░░░░░░░░░░"
    assert bar(3.0, 1.0) == "█" * 19 + "|"
    assert bar(0.0, None) == "░" * 20
