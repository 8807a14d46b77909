"""`GET /api/1/server`: how it runs, and where each setting came from."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.server import RunningServer


def test_every_setting_shows_where_it_came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[server]\nhost = "127.0.0.1"\nport = 1\n[access]\nhosts = ["days.example"]\n[trash]\ndays = 3\n')
    monkeypatch.setenv("DAYLINE_LOG_LEVEL", "warning")
    monkeypatch.setenv("TZ", "Asia/Tokyo")

    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        reported: dict[str, Any] = server.get("/api/1/server").json

    settings = {setting["name"]: (setting["value"], setting["source"]) for setting in reported["settings"]}
    assert settings["server.port"] == (server.port, "command line")  # over the file
    assert settings["server.log_level"] == ("warning", "environment")
    assert settings["server.host"] == ("127.0.0.1", "file")
    assert settings["trash.days"] == (3, "file")
    assert settings["backup.interval_hours"] == (24.0, "default")
    assert settings["access.require_keys"] == (False, "default")
    assert settings["backup.folder"] == (None, "default")
    assert (reported["address"], reported["time_zone"]) == (f"http://127.0.0.1:{server.port}", "Asia/Tokyo")
    assert {"days.example", "localhost"} <= set(reported["hosts"])
    assert f"http://localhost:{server.port}" in reported["origins"]
    assert (reported["database"], reported["settings_file"]) == (str(server.database), str(config))
    assert reported["log_file"] == str(tmp_path / "days.db.d" / "dayline.log")
    assert (reported["needs_keys"], reported["is_testing"]) == (False, False)
    assert reported["uptime"] >= 0
