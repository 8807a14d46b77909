"""Settings and categories come along, and what is set here already stays unless asked otherwise."""

from pathlib import Path

import msgspec
import pytest

from tests.support.maintenance.migrating import PYTHON, RUST, SAMPLES, changed, migrated, small_copy_of
from tests.support.server import RunningServer

THEIRS = msgspec.json.decode((SAMPLES / "aw-server" / "settings.json").read_bytes())


@pytest.mark.parametrize("sample", [PYTHON, RUST])
def test_settings_and_categories_come_along(sample: Path, tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        outcome = migrated(small_copy_of(sample, tmp_path), home=tmp_path)

        assert server.get("/api/0/settings/").json == THEIRS
    assert outcome["settings"]["copied"] == ["classes", "startOfDay"]


def test_a_setting_that_has_a_value_here_keeps_it(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/0/settings/startOfDay", "06:00")

        outcome = migrated(small_copy_of(RUST, tmp_path), home=tmp_path)

        assert server.get("/api/0/settings/startOfDay").json == "06:00"
    assert outcome["settings"]["kept"] == ["startOfDay"]
    assert outcome["settings"]["copied"] == ["classes"]


def test_a_setting_is_overwritten_when_asked_for(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/0/settings/startOfDay", "06:00")

        migrated(small_copy_of(RUST, tmp_path), home=tmp_path, options=["--overwrite-settings"])

        assert server.get("/api/0/settings/startOfDay").json == "04:00"


def test_a_setting_that_cannot_be_used_is_reported_and_holds_up_nothing(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)
    changed(database, "INSERT INTO key_value VALUES('settings.privacy_filters', '[{\"pattern\":\"(\"}]', 0)")

    outcome = migrated(database, home=tmp_path)

    assert list(outcome["settings"]["refused"]) == ["privacy_filters"]
    assert outcome["settings"]["copied"] == ["classes", "startOfDay"]
