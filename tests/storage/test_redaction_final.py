"""A redaction made final: the originals leave the file, its log and all that was derived; what is in use stays."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.errors import Conflict
from dayline.model.event import Event
from dayline.model.privacy import PrivacyRule
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.postgres.schema.tables import TENANT_TABLES
from dayline.storage.sqlite.derived.file import derived_path
from tests.storage.building import ON_REQUEST, built_in_this_process, months_of, opened_database
from tests.storage.engines import Engine, Engines, SqliteEngine, rows
from tests.storage.opened import bucket, opened_on
from tests.storage.redacting import event, order, planned_in_this_process, rows_of, store_of, texts_of, titles
from tests.transform.privacy import rule
from tests.waiting import PATIENCE_S

HIDE = rule("secret", replacement="hidden")
PLANS = "plans"  # of what is secret: rules themselves stay, and so does the word that they look for
RULES = [
    [HIDE],
    [rule("secret", action="drop")],
    [rule("secret.*", action="rewrite", replacement="x")],
    [rule("secret plan(s)", action="rewrite", replacement=r"something that has much \1ome longer words")],
]
RULE_NAMES = ["redact", "drop", "shorten", "lengthen"]
LONG = "a long text of more than a page " * 200  # which lies on pages of its own


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


def files_with(path: Path, text: str) -> list[str]:
    """The files beside and of the database in which a text still stands, in any form that it is kept in."""
    return [file.name for file in sorted(path.parent.iterdir()) if text.encode() in file.read_bytes()]


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


@pytest.mark.parametrize("rules", RULES, ids=RULE_NAMES)
def test_the_texts_leave_every_table(servers: Engines, rules: list[PrivacyRule]) -> None:
    engine = servers.new()

    async def scenario() -> None:
        with built_in_this_process(), planned_in_this_process():
            database = engine.open(pace=ON_REQUEST)
            try:
                store = database.store(engine.tenant)
                await store.create_bucket(bucket("window"))
                await store.insert("window", [*months(), *secret_months(), event(1, f"secret plans: {LONG}")])
                await engine.build_segments(database)
                assert rows(engine, "pack")
                redaction = await store.redactions.apply(order(*rules))
                assert tables_with(engine, PLANS)
                expected = rows_of(store, "window")

                final = await store.redactions.make_final(redaction.id)

                assert final.state == "final"
                assert tables_with(engine, PLANS) == []
                assert [rows(engine, table) for table in ("pack", "word_places")] == [0, 0]
                assert rows_of(store, "window") == expected
            finally:
                await database.close()

    asyncio.run(scenario())


def tables_with(engine: Engine, text: str) -> list[str]:
    """The tables in which a text stands."""
    return [
        table
        for table in TENANT_TABLES
        if engine.select(f"SELECT 1 FROM {table} AS found WHERE found::text LIKE '%{text}%' LIMIT 1")
    ]


def secret_months() -> list[Event]:
    return [
        Event(start=each.start, duration=each.duration, data=each.data.replace(b"2026-0", b"secret plans of 2026-0"))
        for each in months()
    ]


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", events=300)


def test_nothing_is_kept_of_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("2", action="drop")))
            await store.redactions.make_final(redaction.id)

            assert store.redactions.all()[0].state == "final"

    asyncio.run(scenario())
    assert [rows(engine, table) for table in ("redacted_value", "redacted_event")] == [0, 0]


def test_a_text_that_came_again_since_stays_as_long_as_it_is_used(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(3, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret", "secret"]
            assert texts_of(engine).count('{"title":"secret"}') == 1

    asyncio.run(scenario())


def test_a_text_that_comes_again_afterwards_is_stored_anew(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(2, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_what_a_later_redaction_needs_to_be_undone_stays(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            first = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            second = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(first.id)

            await store.redactions.undo(second.id)

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_the_earliest_has_to_be_made_final_first(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "notes")) as store:
            await store.redactions.apply(order(HIDE))
            second = await store.redactions.apply(order(rule("notes")))
            with pytest.raises(Conflict, match="redaction 1 was made before redaction 2"):
                await store.redactions.make_final(second.id)

            await store.redactions.make_final(1)
            assert (await store.redactions.make_final(2)).state == "final"

    asyncio.run(scenario())


def test_what_was_undone_cannot_be_made_final(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.undo(redaction.id)
            with pytest.raises(Conflict, match="was undone"):
                await store.redactions.make_final(redaction.id)

    asyncio.run(scenario())


def test_free_pages_of_earlier_times_are_cut_off(path: Path) -> None:
    # A bucket that was deleted leaves its texts on free pages, unless they are given back.
    engine = SqliteEngine(path.parent)

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.create_bucket(bucket("other"))
            await store.insert("other", [event(n, f"secret plans {n}") for n in range(2000)])
            await store.trash.empty(await store.delete_bucket("other"))
            while rows(engine, "bucket") > 1:
                await asyncio.sleep(0.01)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)

            assert files_with(path, PLANS) == []

    asyncio.run(scenario())


def test_final_goes_on_after_a_restart(engine: Engine) -> None:
    async def begin() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            await store.redactions.apply(order(HIDE))

    async def go_on() -> None:
        async with opened_on(engine):
            while rows(engine, "redacted_value"):
                await asyncio.sleep(0.01)

    asyncio.run(begin())
    # The state in which a server that was killed leaves it.
    engine.change("UPDATE redaction SET state = 'final', has_rest = (1 = 1)")
    asyncio.run(go_on())

    assert not any(PLANS in text for text in texts_of(engine))
    if isinstance(engine, SqliteEngine):
        assert files_with(engine.path, PLANS) == []


def test_values_that_acts_in_the_trash_refer_to_go_as_well(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            deletion = await store.delete_event("window", 1)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            with pytest.raises(Conflict, match="redacted since"):
                await store.trash.undo(deletion or 0)

            assert not any(PLANS in text for text in texts_of(engine))
            assert titles(store) == ["hidden"]

    asyncio.run(scenario())


def test_when_the_trash_lets_go_of_it_it_is_final(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            first = await store.redactions.apply(order(HIDE))
            await store.redactions.apply(order(rule("notes")))
            assert [item.kind for item in store.trash.all()] == ["redaction", "redaction"]
            await store.trash.empty(first.undo or 0)
            assert [found.state for found in store.redactions.all()] == ["applied", "final"]
            assert await store.trash.empty() == 1
            assert [found.state for found in store.redactions.all()] == ["final", "final"]

            assert store.trash.all() == []
            assert not any(PLANS in text for text in texts_of(engine))

    asyncio.run(scenario())


def test_when_its_time_in_the_trash_is_over_it_is_final(engine: Engine) -> None:
    async def scenario() -> None:
        with planned_in_this_process():
            async with opened_on(engine, trash=TrashPolicy(days=0, interval_s=0.05)) as store:
                await store.create_bucket(bucket("window"))
                await store.insert("window", [event(0, "secret plans"), event(1, "hidden")])
                await store.redactions.apply(order(HIDE))
                async with asyncio.timeout(PATIENCE_S):
                    while rows(engine, "redacted_value"):
                        await asyncio.sleep(0.01)

                assert store.redactions.all()[0].state == "final"
                assert store.trash.all() == []

    asyncio.run(scenario())
