"""Health: what is wrong is reported, and no longer when it is fixed."""

from pathlib import Path

from tests.support.processes.terminal import piped
from tests.support.server import RunningServer


def test_a_server_without_trouble_is_well(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        health = server.get("/api/1/health").json

    assert (health["status"], health["problems"]) == ("ok", [])
    background = {work["name"]: work for work in health["background"]}
    assert background.keys() >= {
        "daily backup",
        "database check",
        "purge of deleted data",
        "resuming merges",
        "resuming redactions",
        "resuming undos",
        "retention and compaction",
        "segment builder",
        "trash expiry",
        "write-ahead log checkpoint",
    }
    assert {work["failures"] for work in background.values()} == {0}
    assert background["daily backup"]["state"] == "waiting"
    assert background["daily backup"]["next_run"] is not None


def test_a_backup_that_failed_is_reported_until_one_succeeds(tmp_path: Path) -> None:
    folder = tmp_path / "days-backups"
    folder.write_text("in the way")
    with RunningServer(tmp_path / "days.db") as server:
        assert server.post("/api/1/backups").status == 503

        reported = server.get("/api/1/health").json
        assert reported["status"] == "degraded"
        assert [problem["kind"] for problem in reported["problems"]] == ["backup"]
        assert "dayline backup create" in reported["problems"][0]["hint"]

        folder.unlink()
        assert server.post("/api/1/backups").status == 201
        assert server.get("/api/1/health").json["status"] == "ok"


def test_the_command_prints_one_line_while_a_server_records(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        well = piped(server.database, "status", "--server")

    stopped, as_json = (
        piped(server.database, "status", "--server"),
        piped(server.database, "status", "--server", "--json"),
    )

    assert (well.code, well.out) == (0, "The server is healthy.\n")
    assert stopped.code == as_json.code == 1
    assert f"no server on this computer answers for {server.database}: nothing is recorded" in stopped.out
    assert f"dayline serve --database {server.database}" in stopped.out
    assert as_json.json["status"] == "degraded"
    assert [problem["kind"] for problem in as_json.json["problems"]] == ["server"]
