"""Queries see a redaction at once, whatever was derived, packed or remembered before it (decision 9)."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from dayline.model.event import Event
from dayline.model.privacy import PrivacyRule
from dayline.model.timestamps import EARLIEST, LATEST
from dayline.storage.columns import Codes, Ids, ReadReport
from dayline.storage.sqlite.columns import SqliteColumns
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.segment_builder import BucketBuild
from tests.storage.building import built_in_this_process, months_of, opened_database, sealed_in, segments_in
from tests.storage.columns_read import CACHE_BYTES, shown, stored
from tests.storage.opened import bucket
from tests.storage.redacting import order, planned_in_this_process
from tests.transform.privacy import rule

HIDE = rule("0[1-3] 1", replacement="hidden")
SHORTEN = rule(" [0-9]+$", action="rewrite", replacement="")
ONE_FOR_ONE = rule("2026-", action="rewrite", replacement="")  # as many values as before


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    with built_in_this_process(), planned_in_this_process():
        yield tmp_path / "days.db"


@pytest.fixture
def warm(path: Path) -> Iterator[SqliteColumns]:
    """What a query process has in memory, before and after."""
    columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
    yield columns
    columns.close()


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", "2026-03-03", events=20)


async def fill(database: SqliteDatabase) -> None:
    await database.store().create_bucket(bucket("window"))
    await database.store().insert("window", months())


def read(columns: SqliteColumns, database: SqliteDatabase) -> ReadReport:
    """Read everything as a query does; it must be what the rows say."""
    report = ReadReport()
    with columns.snapshot() as source:
        events = source.events("window", EARLIEST, LATEST, report)
    assert shown(events) == stored(database.store(), "window")
    return report


@pytest.mark.parametrize("is_built", [False, True], ids=["from rows", "from segments"])
@pytest.mark.parametrize("change", [HIDE, SHORTEN, ONE_FOR_ONE, rule("1", action="drop")])
def test_a_warm_process_sees_what_was_applied_and_undone(
    path: Path, warm: SqliteColumns, is_built: bool, change: PrivacyRule
) -> None:
    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            if is_built:
                await database.build_segments()
                assert read(warm, database).row_events == 0
            before = read(warm, database)
            redaction = await database.store().redactions.apply(order(change))
            read(warm, database)
            await database.store().redactions.undo(redaction.id)
            after = read(warm, database)

            assert before.row_events + before.segment_events == after.row_events + after.segment_events

    asyncio.run(scenario())


@pytest.mark.parametrize("change", [SHORTEN, ONE_FOR_ONE])
def test_segments_that_are_built_again_have_the_new_texts(path: Path, warm: SqliteColumns, change: PrivacyRule) -> None:
    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            await database.build_segments()
            read(warm, database)
            redaction = await database.store().redactions.apply(order(change))
            await database.build_segments()

            assert read(warm, database).row_events == 0

            await database.store().redactions.undo(redaction.id)
            await database.build_segments()
            assert read(warm, database).row_events == 0

    asyncio.run(scenario())


def test_packs_of_texts_that_change_while_they_are_packed_are_not_kept(path: Path) -> None:
    def codes(build: BucketBuild, keys: Ids) -> Codes:
        """Read the texts, and have them changed before they are kept."""
        found = read_codes(build, keys)
        db = apsw.Connection(str(path))
        db.execute("UPDATE bucket SET dictionary = dictionary + 1")
        db.close()
        return found

    read_codes = BucketBuild._codes  # pyright: ignore[reportPrivateUsage]

    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(BucketBuild, "_codes", codes)
                await database.build_segments()
            assert segments_in(path) == set()

            await database.build_segments()
            assert len(segments_in(path)) == 3

    asyncio.run(scenario())


def test_a_changed_text_unseals_every_month_of_its_bucket_and_of_no_other(path: Path) -> None:
    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            await database.store().create_bucket(bucket("web"))
            await database.store().insert("web", months_of("2026-01-05"))
            await database.build_segments()
            assert {key for key, _, _ in sealed_in(path)} == {1, 2}

            await database.store().redactions.apply(order(rule("2026-01-02 7", replacement="hidden")))

            assert {key for key, _, _ in sealed_in(path)} == {2}

    asyncio.run(scenario())


def test_moving_events_leaves_other_months_alone(path: Path) -> None:
    longer = rule("2026-01-02 7", replacement="something that is quite a bit longer")

    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            await database.build_segments()
            [first, *others] = sorted(sealed_in(path))

            await database.store().redactions.apply(order(longer))

            assert sealed_in(path) == set(others)
            assert first in segments_in(path)

    asyncio.run(scenario())


def test_a_process_that_began_before_the_redaction_goes_on_with_what_it_saw(path: Path, warm: SqliteColumns) -> None:
    async def scenario() -> None:
        async with opened_database(path) as database:
            await fill(database)
            await database.build_segments()
            with warm.snapshot() as source:
                before = shown(source.events("window", EARLIEST, LATEST, ReadReport()))
                await database.store().redactions.apply(order(SHORTEN))
                await database.build_segments()
                again = shown(source.events("window", EARLIEST, LATEST, ReadReport()))
            read(warm, database)

            assert again == before

    asyncio.run(scenario())
