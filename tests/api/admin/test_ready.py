"""`GET /api/1/ready`: what a load balancer asks before it sends anything here."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from dayline.maintenance.health import Readiness
from dayline.model.errors import Unavailable
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.calls.raw_connection import RawConnection
from tests.support.server import RunningServer
from tests.support.waiting import eventually

READY = "/api/1/ready"


def test_a_server_that_serves_is_ready(shared_server: RunningServer) -> None:
    answer = shared_server.get(READY)

    assert (answer.status, answer.body) == (200, b'{"status":"ready"}')


def test_it_needs_no_key_and_reveals_nothing(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db", "--require-keys") as server:
        answer = server.get(READY)

        assert server.get("/api/1/health").status == 401
        assert answer.body == b'{"status":"ready"}'
        assert "revision" not in answer.headers


def test_a_file_that_has_vanished_makes_it_not_ready_until_it_is_back(tmp_path: Path) -> None:
    place = tmp_path / "data"
    with RunningServer(place / "days.db") as server:
        place.rename(tmp_path / "elsewhere")
        eventually(lambda: server.get(READY).status == 503)
        answer = server.get(READY)
        assert answer.headers["retry-after"] == "5"
        assert str(tmp_path).encode() not in answer.body
        assert server.get("/api/0/info").status == 200

        (tmp_path / "elsewhere").rename(place)
        eventually(lambda: server.get(READY).status == 200)


def test_a_server_that_finishes_what_is_under_way_takes_nothing_new(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server, RawConnection(server) as slow:
        slow.send(
            b"POST /api/0/settings/theme HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 6\r\n\r\n"
        )
        assert server.get(READY).status == 200

        os.kill(server.pid, signal.SIGTERM)
        eventually(lambda: not _is_ready(server))
        slow.send(b'"dark"')

        assert slow.answer().status == 201


def test_a_server_that_is_stopping_reports_it_at_once(tmp_path: Path) -> None:
    async def ask() -> None:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        readiness = Readiness(database, is_tried=True)
        try:
            await readiness.check()
            readiness.stop()
            with pytest.raises(Unavailable, match="stopping"):
                await readiness.check()
        finally:
            await readiness.close()
            await database.close()

    asyncio.run(ask())


def _is_ready(server: RunningServer) -> bool:
    try:
        return server.get(READY).status == 200
    except OSError:
        return False
