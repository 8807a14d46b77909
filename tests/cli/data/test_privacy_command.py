"""`dayline privacy`, as a user types it."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.processes.command import run
from tests.support.server import RunningServer

RULE = ("--field", "title", "--pattern", "(?i)payroll", "--action", "redact")


@pytest.fixture
def recorded(server: RunningServer) -> RunningServer:
    """A server with three events, one of which is private."""
    server.create("window")
    for second, title in enumerate(("notes", "Payroll 2026", "mail")):
        event = {"timestamp": f"2026-02-03T08:15:0{second}Z", "duration": 1, "data": {"title": title}}
        assert server.post("/api/0/buckets/window/events", event).status == 200
    return server


def privacy(server: RunningServer, *arguments: str) -> CompletedProcess[str]:
    return run("privacy", *arguments, "--database", str(server.database), home=server.database.parent)


def titles(server: RunningServer) -> list[str]:
    return [event["data"]["title"] for event in server.get("/api/0/buckets/window/events").json]


def test_preview_shows_what_would_change_and_changes_nothing(recorded: RunningServer) -> None:
    done = privacy(recorded, "preview", *RULE)

    assert done.returncode == 0, done.stderr
    assert '- {"title":"Payroll 2026"}' in done.stdout
    assert '+ {"title":"REDACTED"}' in done.stdout
    assert "1 event would change" in done.stderr
    assert titles(recorded) == ["mail", "Payroll 2026", "notes"]


def test_apply_changes_history_and_undo_restores_it(recorded: RunningServer) -> None:
    done = privacy(recorded, "apply", *RULE, "--yes")
    assert "dayline privacy undo 1" in done.stderr
    assert titles(recorded) == ["mail", "REDACTED", "notes"]

    assert privacy(recorded, "undo", "1").returncode == 0

    assert titles(recorded) == ["mail", "Payroll 2026", "notes"]
    assert "undone" in privacy(recorded, "history").stdout


def test_apply_asks_first(recorded: RunningServer) -> None:
    done = privacy(recorded, "apply", *RULE)  # no one answers

    assert done.returncode == 64
    assert "pass --yes" in done.stderr
    assert titles(recorded) == ["mail", "Payroll 2026", "notes"]


def test_apply_asks_nothing_if_nothing_would_change(recorded: RunningServer) -> None:
    done = privacy(recorded, "apply", "--field", "title", "--pattern", "nowhere", "--action", "redact")

    assert (done.returncode, done.stderr) == (0, "No stored event would change.\n")
    assert privacy(recorded, "history", "--json").stdout == "[]\n"


def test_final_asks_only_about_what_can_be_made_final(recorded: RunningServer) -> None:
    for pattern in ("notes", "mail"):
        privacy(recorded, "apply", "--field", "title", "--pattern", pattern, "--action", "redact", "--yes")
    question = "permanently deletes the originals"

    missing, later, asked = (privacy(recorded, "make-final", number) for number in ("7", "2", "1"))  # no one answers

    assert ("no redaction" in missing.stderr, question in missing.stderr) == (True, False)
    assert (later.returncode not in (0, 1, 64), question in later.stderr) == (True, False)
    assert (asked.returncode, question in asked.stderr) == (64, True)
    assert [one["state"] for one in recorded.get("/api/1/privacy/redactions").json] == ["applied", "applied"]


def test_what_is_final_cannot_be_undone(recorded: RunningServer) -> None:
    privacy(recorded, "apply", *RULE, "--yes")

    assert privacy(recorded, "make-final", "1", "--yes").returncode == 0
    done = privacy(recorded, "undo", "1")

    assert done.returncode != 0
    assert "final" in done.stderr
    assert titles(recorded) == ["mail", "REDACTED", "notes"]


def test_a_rule_that_is_added_is_in_force_until_it_is_removed(recorded: RunningServer) -> None:
    event = {"timestamp": "2026-02-03T09:00:00Z", "data": {"title": "my payroll"}}

    assert privacy(recorded, "add", *RULE, "--name", "money").returncode == 0
    assert recorded.post("/api/0/buckets/window/events", event).json["data"] == {"title": "REDACTED"}
    assert "money" in privacy(recorded, "list").stdout

    assert privacy(recorded, "delete", "1").returncode == 0
    assert recorded.post("/api/0/buckets/window/events", event).json["data"] == {"title": "my payroll"}


def test_without_a_server_it_works_on_the_file(recorded: RunningServer) -> None:
    recorded.stop()

    assert privacy(recorded, "apply", *RULE, "--yes").returncode == 0

    recorded.start()
    assert titles(recorded) == ["mail", "REDACTED", "notes"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("preview", "--field", "title"), "--pattern and --action"),
        (("preview",), "there are no rules to apply"),
        (("preview", "--field", "title", "--pattern", "(", "--action", "drop"), "pattern"),
        (("delete", "7"), "there is no rule 7"),
        (("undo", "7"), "no redaction"),
    ],
)
def test_what_cannot_be_done_is_reported(recorded: RunningServer, arguments: tuple[str, ...], words: str) -> None:
    done = privacy(recorded, *arguments)

    assert done.returncode not in (0, 1)
    assert words in done.stderr


def test_rules_can_come_from_a_file(recorded: RunningServer, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('[{"field": "*", "pattern": "mail", "action": "drop"}]')

    assert "1 would be deleted" in privacy(recorded, "preview", "--rules", str(path)).stderr


def test_an_app_is_excluded_by_its_name(recorded: RunningServer) -> None:
    assert privacy(recorded, "add", "--app", "Signal").returncode == 0
    for number, app in enumerate(("Signal", "Signals")):
        event = {"timestamp": f"2026-02-03T09:00:0{number}Z", "duration": 1, "data": {"app": app}}
        assert recorded.post("/api/0/buckets/window/events", event).status == 200
    apps = [event["data"].get("app") for event in recorded.get("/api/0/buckets/window/events").json]
    assert [app for app in apps if app] == ["Signals"]
    assert "Signal" in privacy(recorded, "list").stdout
    both = privacy(recorded, "add", "--app", "Signal", *RULE)
    assert both.returncode == 64
