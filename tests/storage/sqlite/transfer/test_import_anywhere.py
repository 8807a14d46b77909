"""An import stores everything, however the way to the database is written."""

from pathlib import Path

import pytest

from tests.support.maintenance.documents import document
from tests.support.server import RunningServer

EVENTS = 5_000  # several slices


@pytest.mark.parametrize("kind", ["plain", "with dots", "by a link"])
def test_every_event_is_stored(tmp_path: Path, kind: str) -> None:
    # A path that SQLite calls otherwise than we do was attached again for every slice, and what had been found out of
    # earlier slices was forgotten: events with data that they had in common were not stored.
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    place = {"plain": "folder", "with dots": "folder/../folder", "by a link": "link"}[kind]
    body = document("large", events=EVENTS)

    with RunningServer(tmp_path / place / "days.db") as server:
        report = server.call("POST", "/api/0/import", raw=body).json

        assert (report["imported"], report["skipped"]) == (EVENTS, 0)
        assert server.get("/api/0/buckets/large/events/count").json == EVENTS
