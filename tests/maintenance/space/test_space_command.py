"""`dayline space` and `/api/1/space`, with a server and without one."""

import asyncio
from pathlib import Path

import msgspec
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.maintenance.space import SpaceGauge
from dayline.model.time import SECOND
from tests.support.maintenance.backups import Clock, filled
from tests.support.server import RunningServer
from tests.support.storage.file_upkeep import opened_database
from tests.support.storage.opened import beat


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["space", *arguments, "--database", str(database)])


def test_it_shows_buckets_years_and_files(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor", "browser")

    lines = [line.split() for line in run(tmp_path / "days.db").stdout.splitlines()]

    assert lines[1][:3] == ["window", "2", "2"]
    assert ["2026", "2"] in [line[:2] for line in lines]
    assert ["free", "pages"] in [line[:2] for line in lines]


def test_the_files_beside_the_database_count_too(server: RunningServer) -> None:
    server.create("window")
    backup = server.post("/api/1/backups").json

    found = server.get("/api/1/space").json

    assert found["backups"] >= backup["bytes"]
    assert found["log"] == server.database.with_name("days.db-wal").stat().st_size > 0
    assert found["total"] == found["database"]["file"] + found["log"] + found["segments"] + found["backups"]


def test_the_command_asks_a_running_server(server: RunningServer) -> None:
    server.create("window")

    found = msgspec.json.decode(run(server.database, "--json").stdout)

    assert [bucket["id"] for bucket in found["database"]["buckets"]] == ["window"]


def test_an_answer_is_given_again_for_a_while(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor")

    async def measure() -> tuple[str, str, str]:
        clock = Clock()
        async with opened_database(tmp_path / "days.db") as database:
            gauge = SpaceGauge(database.upkeep, tmp_path / "backups", clock=clock, cache_s=10)
            first = await gauge.space()
            await database.store().insert("window", [beat(60, app="browser")])
            clock.now += 9 * SECOND
            again = await gauge.space()
            clock.now += SECOND
            return first.measured, again.measured, (await gauge.space()).measured

    first, again, later = asyncio.run(measure())

    assert first == again < later
