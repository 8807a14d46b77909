"""Queries see a redaction at once, whatever was derived, packed or remembered before it (decision 9)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from dayline.model.event import Event
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import EARLIEST, LATEST
from dayline.storage.columns.builder import PackBuilding
from dayline.storage.columns.source import Codes, Ids, ReadReport
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.storage.building import ON_REQUEST, built_in_this_process, months_of
from tests.support.storage.columns_read import shown, stored
from tests.support.storage.engines import Engine
from tests.support.storage.opened import bucket
from tests.support.storage.redacting import order, planned_in_this_process

HIDE = rule("0[1-3] 1", replacement="hidden")
SHORTEN = rule(" [0-9]+$", action="rewrite", replacement="")
ONE_FOR_ONE = rule("2026-", action="rewrite", replacement="")  # as many values as before


class Warm:
    """A database that is in use, and what a query process has in memory of it, before and after."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.database = engine.open(pace=ON_REQUEST)
        self.columns = engine.columns()

    @property
    def store(self) -> Store:
        return self.database.store(self.engine.tenant)

    async def build(self) -> None:
        await self.engine.build_segments(self.database)

    def read(self) -> ReadReport:
        """Read everything as a query does; it must be what the rows say."""
        report = ReadReport()
        with self.columns.snapshot() as source:
            events = source.events("window", EARLIEST, LATEST, report)
        assert shown(events) == stored(self.store, "window")
        return report

    def sealed(self) -> set[tuple[int, int]]:
        """Bucket and month of what is sealed."""
        rows = self.engine.select("SELECT bucket, month FROM month WHERE is_sealed")
        return {(bucket, month) for bucket, month in rows}


@asynccontextmanager
async def filled(engine: Engine) -> AsyncGenerator[Warm]:
    """One with some months in the bucket `window`."""
    with built_in_this_process(), planned_in_this_process():
        warm = Warm(engine)
        try:
            await warm.store.create_bucket(bucket("window"))
            await warm.store.insert("window", months())
            yield warm
        finally:
            warm.columns.close()
            await warm.database.close()


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", "2026-03-03", events=20)


@pytest.mark.parametrize("is_built", [False, True], ids=["from rows", "from segments"])
@pytest.mark.parametrize("change", [HIDE, SHORTEN, ONE_FOR_ONE, rule("1", action="drop")])
def test_a_warm_process_sees_what_was_applied_and_undone(engine: Engine, is_built: bool, change: PrivacyRule) -> None:
    async def scenario() -> None:
        async with filled(engine) as warm:
            if is_built:
                await warm.build()
                assert warm.read().row_events == 0
            before = warm.read()
            redaction = await warm.store.redactions.apply(order(change))
            warm.read()
            await warm.store.redactions.undo(redaction.id)
            after = warm.read()

            assert before.row_events + before.segment_events == after.row_events + after.segment_events

    asyncio.run(scenario())


def test_a_bucket_that_is_redacted_in_the_trash_has_the_new_texts_when_it_is_restored(engine: Engine) -> None:
    async def scenario() -> None:
        async with filled(engine) as warm:
            await warm.build()
            assert warm.read().row_events == 0
            before = stored(warm.store, "window")
            deletion = await warm.store.delete_bucket("window")
            redaction = await warm.store.redactions.apply(order(ONE_FOR_ONE))
            await warm.store.trash.undo(deletion)

            warm.read()

            assert stored(warm.store, "window") != before
            await warm.store.redactions.undo(redaction.id)
            warm.read()
            assert stored(warm.store, "window") == before

    asyncio.run(scenario())


@pytest.mark.parametrize("change", [SHORTEN, ONE_FOR_ONE])
def test_segments_that_are_built_again_have_the_new_texts(engine: Engine, change: PrivacyRule) -> None:
    async def scenario() -> None:
        async with filled(engine) as warm:
            await warm.build()
            warm.read()
            redaction = await warm.store.redactions.apply(order(change))
            await warm.build()

            assert warm.read().row_events == 0

            await warm.store.redactions.undo(redaction.id)
            await warm.build()
            assert warm.read().row_events == 0

    asyncio.run(scenario())


def test_packs_of_texts_that_change_while_they_are_packed_are_not_kept(engine: Engine) -> None:
    def codes(packs: PackBuilding, keys: Ids) -> Codes:
        """Read the texts, and have them changed before they are kept."""
        found = read_codes(packs, keys)
        engine.change("UPDATE bucket SET dictionary = dictionary + 1")
        return found

    read_codes = PackBuilding.codes

    async def scenario() -> None:
        async with filled(engine) as warm:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(PackBuilding, "codes", codes)
                await warm.build()
            assert engine.segments() == set()

            await warm.build()
            assert len(engine.segments()) == 3

    asyncio.run(scenario())


def test_a_changed_text_unseals_every_month_of_its_bucket_and_of_no_other(engine: Engine) -> None:
    async def scenario() -> None:
        async with filled(engine) as warm:
            await warm.store.create_bucket(bucket("web"))
            await warm.store.insert("web", months_of("2026-01-05"))
            await warm.build()
            [(web,)] = engine.select("SELECT key FROM bucket WHERE id = 'web'")
            assert len({key for key, _ in warm.sealed()}) == 2

            await warm.store.redactions.apply(order(rule("2026-01-02 7", replacement="hidden")))

            assert {key for key, _ in warm.sealed()} == {web}

    asyncio.run(scenario())


def test_a_process_that_began_before_the_redaction_continues_with_what_it_saw(engine: Engine) -> None:
    async def scenario() -> None:
        async with filled(engine) as warm:
            await warm.build()
            with warm.columns.snapshot() as source:
                before = shown(source.events("window", EARLIEST, LATEST, ReadReport()))
                await warm.store.redactions.apply(order(SHORTEN))
                await warm.build()
                again = shown(source.events("window", EARLIEST, LATEST, ReadReport()))
            warm.read()

            assert again == before

    asyncio.run(scenario())
