"""A redaction made final: the originals leave the file, its log and all that was derived; what is in use stays."""

import asyncio
from pathlib import Path

import apsw
import pytest

from dayline.model.errors import Conflict
from dayline.model.event import Event
from dayline.model.privacy import PrivacyRule
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.segment_file import derived_path
from tests.storage.building import built_in_this_process, months_of, opened_database
from tests.storage.opened import bucket
from tests.storage.redacting import count, event, order, planned_in_this_process, rows_of, store_of, texts_in, titles
from tests.transform.privacy import rule

HIDE = rule("secret", replacement="hidden")
PLANS = "plans"  # of what is secret: rules themselves stay, and so does the word that they look for
LONG = "a long text of more than a page " * 200  # which lies on pages of its own


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


def files_with(path: Path, text: str) -> list[str]:
    """The files beside and of the database in which a text still stands, in any form that it is kept in."""
    return [file.name for file in sorted(path.parent.iterdir()) if text.encode() in file.read_bytes()]


@pytest.mark.parametrize(
    "rules",
    [
        [HIDE],
        [rule("secret", action="drop")],
        [rule("secret.*", action="rewrite", replacement="x")],
        [rule("secret plan(s)", action="rewrite", replacement=r"something that has much \1ome longer words")],
    ],
    ids=["redact", "drop", "shorten", "lengthen"],
)
def test_the_texts_leave_every_file(path: Path, rules: list[PrivacyRule]) -> None:
    secret = [
        Event(start=each.start, duration=each.duration, data=each.data.replace(b"2026-0", b"secret plans of 2026-0"))
        for each in months()
    ]
    long = event(1, f"secret plans: {LONG}")

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


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", events=300)


def test_nothing_is_kept_of_it(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("2", action="drop")))
            await store.redactions.make_final(redaction.id)

            assert store.redactions.all()[0].state == "final"

    asyncio.run(scenario())
    assert [count(path, table) for table in ("redacted_value", "redacted_event")] == [0, 0]


def test_a_text_that_came_again_since_stays_as_long_as_it_is_used(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(3, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret", "secret"]
            assert texts_in(path).count('{"title":"secret"}') == 1

    asyncio.run(scenario())


def test_a_text_that_comes_again_afterwards_is_stored_anew(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(2, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_what_a_later_redaction_needs_to_be_undone_stays(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret"), event(1, "hidden")) as store:
            first = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            second = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(first.id)

            await store.redactions.undo(second.id)

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_the_earliest_has_to_be_made_final_first(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret"), event(1, "notes")) as store:
            await store.redactions.apply(order(HIDE))
            second = await store.redactions.apply(order(rule("notes")))
            with pytest.raises(Conflict, match="redaction 1 was made before redaction 2"):
                await store.redactions.make_final(second.id)

            await store.redactions.make_final(1)
            assert (await store.redactions.make_final(2)).state == "final"

    asyncio.run(scenario())


def test_what_was_undone_cannot_be_made_final(path: Path) -> None:
    async def scenario() -> None:
        async with store_of(path, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.undo(redaction.id)
            with pytest.raises(Conflict, match="was undone"):
                await store.redactions.make_final(redaction.id)

    asyncio.run(scenario())


def test_free_pages_of_earlier_times_are_cut_off(path: Path) -> None:
    # A bucket that was deleted leaves its texts on free pages, unless they are given back.
    async def scenario() -> None:
        async with store_of(path, event(0, "secret")) as store:
            await store.create_bucket(bucket("other"))
            await store.insert("other", [event(n, f"secret plans {n}") for n in range(2000)])
            await store.trash.empty(await store.delete_bucket("other"))
            while count(path, "bucket") > 1:
                await asyncio.sleep(0.01)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)

            assert files_with(path, PLANS) == []

    asyncio.run(scenario())


def test_final_goes_on_after_a_restart(path: Path) -> None:
    async def begin() -> None:
        async with store_of(path, event(0, "secret plans"), event(1, "hidden")) as store:
            await store.redactions.apply(order(HIDE))

    async def go_on() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        try:
            while count(path, "redacted_value"):
                await asyncio.sleep(0.01)
        finally:
            await database.close()

    asyncio.run(begin())
    _mark_final(path)
    asyncio.run(go_on())

    assert files_with(path, PLANS) == []


def _mark_final(path: Path) -> None:
    """The state in which a server that was killed leaves it."""
    db = apsw.Connection(str(path))
    db.execute("UPDATE redaction SET state = 'final', has_rest = 1")
    db.close()
