"""A final redaction of a file: the originals leave the database, its log and the derived file."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.privacy.rules import PrivacyRule
from dayline.storage.sqlite.derived.file import derived_path
from tests.support.storage.building import built_in_this_process, opened_database
from tests.support.storage.engines import SqliteEngine, rows
from tests.support.storage.opened import bucket
from tests.support.storage.redacting import (
    HIDE,
    LONG,
    PLANS,
    RULE_NAMES,
    RULES,
    event,
    files_with,
    months,
    order,
    planned_in_this_process,
    rows_of,
    secret_months,
    store_of,
)
from tests.support.waiting import eventually_async


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


@pytest.mark.parametrize("rules", RULES, ids=RULE_NAMES)
def test_the_texts_leave_every_file(path: Path, rules: list[PrivacyRule]) -> None:
    secret, long = secret_months(), event(1, f"secret plans: {LONG}")

    async def scenario() -> None:
        with built_in_this_process(), planned_in_this_process():
            async with opened_database(path) as database:
                store = database.store()
                await store.create_bucket(bucket("window"))
                await store.insert("window", [*months(), *secret, long])
                await database.build_segments()
                redaction = await store.redactions.apply(order(*rules))
                assert files_with(path, PLANS)
                expected = rows_of(store, "window")

                final = await store.redactions.make_final(redaction.id)

                assert final.state == "final"
                assert files_with(path, PLANS) == []
                assert not derived_path(path).exists()
                assert rows_of(store, "window") == expected
                await database.build_segments()

    asyncio.run(scenario())
    assert files_with(path, PLANS) == []


def test_free_pages_of_earlier_times_are_cut_off(path: Path) -> None:
    # A bucket that was deleted leaves its texts on free pages, unless they are given back.
    engine = SqliteEngine(path.parent)

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.create_bucket(bucket("other"))
            await store.insert("other", [event(n, f"secret plans {n}") for n in range(2000)])
            await store.trash.empty(await store.delete_bucket("other"))
            await eventually_async(lambda: rows(engine, "bucket") == 1)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)

            assert files_with(path, PLANS) == []

    asyncio.run(scenario())
