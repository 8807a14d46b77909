"""Redactions among other operations: undone in reverse order, the export is the first one, byte for byte."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.errors import Conflict
from dayline.model.event import Event, StoredEvent
from dayline.model.time import EARLIEST, LATEST, SECOND
from dayline.storage.columns.source import ReadReport
from dayline.storage.redaction.work import Steps
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.profile import examples
from tests.support.storage.building import ON_REQUEST, built_in_this_process
from tests.support.storage.columns_read import shown, stored
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.opened import BEGIN, bucket
from tests.support.storage.redacting import event, order, planned_in_this_process, rows_of, store_of, titles

HIDE = rule("secret", replacement="***")
DROP = rule("secret", action="drop")
BOTH = pytest.mark.parametrize("change", [HIDE, DROP], ids=["redact", "drop"])
Undo = Callable[[], Awaitable[Any]]


def exported(store: Store) -> bytes:
    return b"".join(store.exported_events("window"))


def at(second: float) -> int:
    return BEGIN + round(second * SECOND)


async def redacted(store: Store, *rules: Any) -> Undo:
    redaction = await store.redactions.apply(order(*rules))
    return lambda: store.redactions.undo(redaction.id)


def undone(store: Store, operation: int | None) -> Undo:
    assert operation is not None
    return lambda: store.trash.undo(operation)


async def edited(store: Store, event_id: int, title: str) -> Undo:
    changed = await store.insert("window", [event(event_id, title, event_id=event_id)])
    return undone(store, changed.undo)


async def split(store: Store, event_id: int, second: float) -> Undo:
    return undone(store, (await store.edits.split("window", event_id, at(second), check=lambda _: None)).undo)


async def shortened(store: Store, event_id: int) -> Undo:
    def shorter(stored: StoredEvent) -> Event:
        return msgspec.structs.replace(stored.event, duration=stored.event.duration // 2)

    return undone(store, (await store.edits.edit("window", event_id, shorter)).undo)


async def in_reverse(store: Store, *undos: Undo) -> None:
    for undo in reversed(undos):
        await undo()


SENT = [event(0, "secret", lasting=4), event(5, "notes"), event(9, "a secret too", lasting=2), event(12, "secret")]


@BOTH
def test_edit_redact_undo_both(engine: Engine, change: Any) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            edit = await edited(store, 1, "edited")
            await in_reverse(store, edit, await redacted(store, change))

            assert exported(store) == first

    asyncio.run(scenario())


@BOTH
def test_delete_redact_undo_both(engine: Engine, change: Any) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            deletion = undone(store, await store.delete_event("window", 1))
            await in_reverse(store, deletion, await redacted(store, change))

            assert exported(store) == first

    asyncio.run(scenario())


def test_redact_delete_undo_the_redaction_undo_the_deletion(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            undo = await redacted(store, HIDE)
            deletion = undone(store, await store.delete_event("window", 1))
            await in_reverse(store, deletion, undo)  # the redaction first

            assert exported(store) == first

    asyncio.run(scenario())


def test_both_halves_of_an_event_that_was_split_get_the_text_back(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            undo = await redacted(store, HIDE)
            await split(store, 1, 2)
            await undo()

            assert titles(store) == ["secret", "secret", "notes", "a secret too", "secret"]

    asyncio.run(scenario())


def test_an_event_that_was_cut_gets_the_text_back(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            undo = await redacted(store, HIDE)
            cut = await shortened(store, 1)
            await undo()
            assert titles(store) == ["secret", "notes", "a secret too", "secret"]

            await cut()
            assert exported(store) == first

    asyncio.run(scenario())


def test_two_redactions_undone_in_reverse(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            one = await redacted(store, HIDE)
            two = await redacted(store, rule("[*]", action="drop"), rule("notes", replacement="longer than notes"))
            assert titles(store) == ["longer than notes"]
            await in_reverse(store, one, two)

            assert exported(store) == first

    asyncio.run(scenario())


def test_a_text_that_is_recorded_again_is_another_value(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            undo = await redacted(store, HIDE)
            added = await store.insert("window", [event(20, "secret"), event(21, "***")])
            await undo()
            assert titles(store)[-2:] == ["secret", "***"]

            for each in added.events:
                await store.delete_event("window", each.id)
            assert exported(store) == first

    asyncio.run(scenario())


def test_a_final_redaction_redacts_what_an_older_undo_entry_restores(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            deletion = undone(store, await store.delete_event("window", 1))
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            await deletion()

            assert titles(store) == ["***", "notes", "***", "***"]

    asyncio.run(scenario())


@BOTH
def test_a_bucket_that_is_deleted_while_rules_are_applied_is_redacted(
    engine: Engine, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its texts changed without invalidating what queries read, and its moved events kept theirs.
    async def scenario() -> None:
        with built_in_this_process(), planned_in_this_process():
            database, columns = engine.open(pace=ON_REQUEST), engine.columns()
            try:
                store = database.store(engine.tenant)
                await store.create_bucket(bucket("window"))
                await store.insert("window", [*SENT, event(30, "***")])
                before = exported(store)
                await engine.build_segments(database)
                deletions: list[int] = []
                run_plan = engine.redactions.run_plan

                async def late(*details: Any, **options: Any) -> Any:
                    planned = await run_plan(*details, **options)
                    deletions.append(await store.delete_bucket("window"))
                    return planned

                monkeypatch.setattr(engine.redactions, "run_plan", late)
                redaction = await store.redactions.apply(order(change))
                assert redaction.state == "applied"
                await store.trash.undo(deletions[0])
                with columns.snapshot() as source:
                    read = shown(source.events("window", EARLIEST, LATEST, ReadReport()))

                assert read == stored(store, "window")
                assert b"secret" not in exported(store)

                again = await store.delete_bucket("window")
                await store.redactions.undo(redaction.id)
                await store.trash.undo(again)
                with columns.snapshot() as source:
                    read = shown(source.events("window", EARLIEST, LATEST, ReadReport()))
                assert read == stored(store, "window")
                assert exported(store) == before
            finally:
                columns.close()
                await database.close()

    asyncio.run(scenario())


@BOTH
def test_a_bucket_is_not_deleted_while_a_redaction_is_undone_and_gets_everything_back(
    engine: Engine, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The originals of a deleted bucket were forgotten without being restored.
    async def scenario() -> None:
        async with store_of(engine, *SENT, event(30, "***")) as store:
            first = exported(store)
            undo = await redacted(store, change)
            walk = Steps.walk

            async def meeting(steps: Steps, *details: Any) -> None:
                with pytest.raises(Conflict, match="the redaction of all buckets is being undone"):
                    await store.delete_bucket("window")
                await walk(steps, *details)

            monkeypatch.setattr(Steps, "walk", meeting)
            await undo()

            assert exported(store) == first

    asyncio.run(scenario())


def test_a_bucket_in_the_trash_is_redacted_too(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, *SENT) as store:
            first = exported(store)
            deletion = await store.delete_bucket("window")
            redaction = await store.redactions.apply(order(HIDE, rule("notes", action="drop")))
            await store.trash.undo(deletion)
            assert titles(store) == ["***"] * 3

            await store.redactions.undo(redaction.id)
            assert exported(store) == first

    asyncio.run(scenario())


NUMBERS = st.integers(0, 5)
TITLES = st.sampled_from(["secret", "a secret too", "notes", "***", "longer than notes"])
STEPS = st.one_of(
    st.tuples(st.just("edit"), NUMBERS, TITLES),
    st.tuples(st.just("shorten"), NUMBERS),
    st.tuples(st.just("split"), NUMBERS),
    st.tuples(st.just("delete"), NUMBERS),
    st.tuples(
        st.just("redact"), st.sampled_from(["secret", "notes", "[*]"]), st.sampled_from(["***", "something longer"])
    ),
    st.tuples(st.just("drop"), st.sampled_from(["secret$", "notes", "[*]"])),
    st.tuples(st.just("lose bucket")),
)


async def made(store: Store, kind: str, *details: Any) -> Undo | None:
    """Do a step; returns what undoes it, None if there is nothing to do."""
    if kind in ("redact", "drop"):
        [pattern, *replacement] = details
        change = rule(pattern, replacement=replacement[0]) if replacement else rule(pattern, action="drop")
        return await redacted(store, change)
    if kind == "lose bucket":
        deletion = await store.delete_bucket("window")
        await store.trash.undo(deletion)
        return None
    ids = list(rows_of(store, "window"))
    if not ids:
        return None
    event_id = ids[int(details[0]) % len(ids)]
    match kind:
        case "edit":
            return await edited(store, event_id, details[1])
        case "shorten":
            return await shortened(store, event_id) if store.event("window", event_id).duration else None
        case "split":
            found = store.event("window", event_id)
            if found.duration < 2:
                return None
            return await split(store, event_id, (found.start + found.duration // 2 - BEGIN) / SECOND)
        case _:
            return undone(store, await store.delete_event("window", event_id))


async def play(engine: Engine, sent: list[Event], steps: list[tuple[Any, ...]]) -> None:
    async with store_of(engine, *sent) as store:
        done: list[tuple[Undo, bytes]] = []
        for step in steps:
            before = exported(store)
            undo = await made(store, *step)
            if undo is not None:
                done.append((undo, before))
        for undo, before in reversed(done):
            await undo()
            assert exported(store) == before


@settings(max_examples=examples(500, daily=20), suppress_health_check=[HealthCheck.too_slow])
@given(names=st.lists(TITLES, min_size=1, max_size=5), steps=st.lists(STEPS, max_size=8))
def test_any_chain_undone_in_reverse_gives_every_export_back(
    files: Engines, names: list[str], steps: list[tuple[Any, ...]]
) -> None:
    sent = [event(5 * n, name, lasting=4) for n, name in enumerate(names)]
    asyncio.run(play(files.new(), sent, steps))


@settings(max_examples=examples(30, daily=3), suppress_health_check=[HealthCheck.too_slow])
@given(names=st.lists(TITLES, min_size=1, max_size=5), steps=st.lists(STEPS, max_size=8))
def test_so_does_any_chain_on_postgresql(servers: Engines, names: list[str], steps: list[tuple[Any, ...]]) -> None:
    sent = [event(5 * n, name, lasting=4) for n, name in enumerate(names)]
    asyncio.run(play(servers.new(), sent, steps))
