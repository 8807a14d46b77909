"""Archives of a PostgreSQL database: the same file as of SQLite, so that either restores the other's."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from dayline.model.errors import Conflict, Invalid
from dayline.storage.transfer.archive import Trailer
from tests.support.maintenance.documents import EXAMPLE, archived, document, example, packed, raw_lines, restored
from tests.support.postgres.servers import PostgresServer


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """The documented archive, which has every kind of line."""
    return packed(tmp_path / "shown.zst", EXAMPLE.encode())


def contents(target: Path, trailer: Trailer) -> list[bytes]:
    """The lines without the header, which has the number of the schema, and without the trailer, which verifies it."""
    lines = raw_lines(target)[1:-1]
    assert len(lines) == sum(trailer.counts.values())
    return lines


def test_an_archive_is_restored_and_written_again_as_it_is(address: str, shown: Path, tmp_path: Path) -> None:
    restored(shown, address)

    trailer = archived(address, tmp_path / "again.zst")

    assert contents(tmp_path / "again.zst", trailer) == example()[1:-1]


def test_a_recorded_database_moves_to_a_file_and_back(address: str, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with PostgresServer(address, tmp_path / "server") as server:
        assert server.call("POST", "/api/0/import", raw=document("window", events=2500, values=300)).status == 200
        server.create("gone")
        server.call("DELETE", "/api/0/buckets/gone?force=1")
        assert server.post("/api/0/settings/theme", {"b": 1, "a": 1.0}).status in (200, 201)
        trailer = archived(address, tmp_path / "first.zst")  # while the server runs

    restored(tmp_path / "first.zst", tmp_path / "days.db")
    again = archived(tmp_path / "days.db", tmp_path / "second.zst")

    assert (trailer.counts["bucket"], trailer.counts["event"], trailer.counts["setting"]) == (1, 2500, 1)
    assert contents(tmp_path / "second.zst", again) == contents(tmp_path / "first.zst", trailer)


def test_an_archive_is_not_restored_into_a_database_with_data(address: str, shown: Path, tmp_path: Path) -> None:
    restored(shown, address)

    with pytest.raises(Conflict, match="is not empty: there are rows in bucket"):
        restored(shown, address)

    assert archived(address, tmp_path / "again.zst").counts["event"] == 2


def test_a_damaged_archive_leaves_the_database_empty(address: str, shown: Path, tmp_path: Path) -> None:
    damaged = packed(tmp_path / "damaged.zst", *example()[:-1])

    with pytest.raises(Invalid, match="truncated"):
        restored(damaged, address)

    restored(shown, address)


def test_the_commands_take_an_address(address: str, shown: Path, tmp_path: Path) -> None:
    imported = CliRunner().invoke(commands, ["import", str(shown), "--database", address])
    exported = CliRunner().invoke(
        commands, ["export", "--format", "archive", "-o", str(tmp_path / "days.zst"), "--database", address]
    )

    assert (imported.exit_code, exported.exit_code) == (0, 0), (imported.output, exported.output)
    assert raw_lines(tmp_path / "days.zst")[1:-1] == example()[1:-1]
