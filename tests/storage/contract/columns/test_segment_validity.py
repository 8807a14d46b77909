"""Whatever changes a month that is packed: queries see it at once, and then it is packed again; on every engine."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.model.data import canonical_json
from dayline.model.edits.selection import Selection
from dayline.model.event import Event
from dayline.model.time import DAY, SECOND, parse_timestamp
from dayline.storage.columns import months
from dayline.storage.columns.source import ReadReport
from dayline.storage.history.contract import EventCorrection
from tests.storage.contract.columns.packed import Packed, play
from tests.support.maintenance.documents import document
from tests.support.storage.building import months_of
from tests.support.storage.engines import Engine
from tests.support.storage.opened import bucket, sent

MONTHS: Final = ("2025-12-10T00:00:00Z", "2026-01-10T00:00:00Z", "2026-02-10T00:00:00Z")
EVENTS: Final = 20

Change = Callable[[Packed, list[Event]], Awaitable[object]]


async def insert_late(packed: Packed, events: list[Event]) -> None:
    await packed.store.insert("window", months_of(MONTHS[1], events=1, app="late"))


async def replace(packed: Packed, events: list[Event]) -> None:
    await packed.store.insert("window", [msgspec.structs.replace(events[25], data=canonical_json({"app": "other"}))])


async def move_to_another_month(packed: Packed, events: list[Event]) -> None:
    await packed.store.insert("window", [msgspec.structs.replace(events[25], start=parse_timestamp(MONTHS[2]) - 1)])


async def delete(packed: Packed, events: list[Event]) -> None:
    await packed.store.delete_event("window", events[25].id)


async def delete_and_undo(packed: Packed, events: list[Event]) -> None:
    act = await packed.store.delete_event("window", events[25].id)
    assert act is not None
    packed.read()
    await packed.store.trash.undo(act)


async def delete_selected(packed: Packed, events: list[Event]) -> None:
    await packed.store.edits.delete_selected(Selection(bucket="window", ids=(events[25].id, events[26].id)))


async def edit(packed: Packed, events: list[Event]) -> None:
    longer = msgspec.structs.replace(events[25], duration=events[25].duration + SECOND)
    await packed.store.edits.edit("window", events[25].id, lambda _: longer)


async def split(packed: Packed, events: list[Event]) -> None:
    middle = events[25].start + events[25].duration // 2
    await packed.store.edits.split("window", events[25].id, middle, check=lambda _: None)


async def fix(packed: Packed, events: list[Event]) -> None:
    [(value,)] = packed.engine.select(f"SELECT value FROM event WHERE id = {events[25].id}")
    found = EventCorrection(events[25].id, events[25].start, events[25].duration, value, SECOND)
    outcomes = await packed.store.correct_events({"window": iter([found])})
    assert outcomes["window"].changed == 1


async def merge_another_in(packed: Packed, events: list[Event]) -> None:
    await packed.store.create_bucket(bucket("other"))
    await packed.store.insert("other", months_of(MONTHS[1], events=3, app="theirs"))
    await packed.store.moves.merge("other", "window")


async def merge_and_undo(packed: Packed, events: list[Event]) -> None:
    await merge_another_in(packed, events)
    await packed.build()
    packed.read()
    merged = packed.store.trash.all()[0]
    await packed.store.trash.undo(merged.id)


CHANGES: Final = (
    insert_late, replace, move_to_another_month, delete, delete_and_undo, delete_selected, edit, split, fix,
    merge_another_in, merge_and_undo,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_month_is_read_from_rows_and_others_are_not(engine: Engine, change: Change) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        events = (await packed.store.insert("window", months_of(*MONTHS, events=EVENTS))).events
        await packed.build()
        assert packed.read().row_events == 0

        await change(packed, list(events))
        changed = packed.read()
        await packed.build()

        assert changed.row_events > 0
        assert changed.segment_events >= EVENTS
        assert packed.read().row_events == 0

    play(engine, scenario)


@pytest.fixture
def has_long_months(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each month has too many events to compare all of them."""
    monkeypatch.setattr(months, "_FEW_ROWS", 0)


def part_state(packed: Packed) -> tuple[object, list[object]]:
    """The state of the first week of the second month, and its events."""
    first = parse_timestamp(MONTHS[1])
    with packed.warm.snapshot() as source:
        events = source.events("window", first, first + 7 * DAY, ReadReport())
        texts = events.dictionary.texts(events.value)
        rows = zip(events.start.tolist(), events.end.tolist(), events.id.tolist(), texts, strict=True)
        return source.state("window", first, first + 7 * DAY), list(rows)


@pytest.mark.usefixtures("has_long_months")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_days_that_are_over_is_a_change_of_their_state(engine: Engine, change: Change) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        events = (await packed.store.insert("window", months_of(*MONTHS, events=EVENTS))).events
        before = part_state(packed)
        await change(packed, list(events))
        after = part_state(packed)

        assert before[0] is not None
        assert (before[0] == after[0]) == (before[1] == after[1])

    play(engine, scenario)


@pytest.mark.usefixtures("has_long_months")
def test_days_that_are_over_keep_their_state_while_their_month_is_recorded(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        events = (await packed.store.insert("window", months_of(MONTHS[1], events=EVENTS))).events
        before = part_state(packed)
        later = msgspec.structs.replace(events[-1], id=None, start=events[0].start + 9 * DAY)
        await packed.store.insert("window", [later])

        assert before[0] is not None
        assert part_state(packed) == before

    play(engine, scenario)


def test_an_import_into_a_packed_month_is_seen_at_once(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "more.json").write_bytes(document("window", events=5, values=5))

    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        await packed.store.insert("window", months_of(*MONTHS, events=EVENTS))
        await packed.build()

        await packed.store.import_files([tmp_path / "more.json"])
        changed = packed.read()
        await packed.build()

        assert (changed.segment_events, changed.row_events) == (2 * EVENTS, EVENTS + 5)
        assert packed.read().row_events == 0

    play(engine, scenario)


def beat_after(event: Event, seconds: float) -> Event:
    return Event(start=event.start + round(seconds * SECOND), data=event.data)


def test_a_heartbeat_that_extends_the_last_event_of_a_packed_month_is_seen_at_once(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        last = await sent(packed.store, "window", months_of(MONTHS[0], events=1)[0], pulsetime=60)
        await sent(packed.store, "window", beat_after(last, 40), pulsetime=60)  # the server knows the last event
        await packed.build()
        for seconds in (50, 60, 70):
            await sent(packed.store, "window", beat_after(last, seconds), pulsetime=60)
            assert packed.read().row_events == 1
        await packed.build()
        assert packed.read().row_events == 0
        await sent(packed.store, "window", beat_after(last, 80), pulsetime=60)
        assert packed.read().row_events == 1

    play(engine, scenario)


def test_a_heartbeat_within_the_last_event_leaves_its_month_packed(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        last = await sent(packed.store, "window", months_of(MONTHS[0], events=1)[0], pulsetime=60)
        await packed.build()
        await sent(packed.store, "window", beat_after(last, 10), pulsetime=60)

        assert packed.read().row_events == 0

    play(engine, scenario)


def test_heartbeats_of_this_month_leave_others_packed(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await packed.store.create_bucket(bucket("window"))
        await packed.store.insert("window", months_of(*MONTHS, events=EVENTS))
        await packed.build()
        [first] = months_of("2026-03-10T00:00:00Z", events=1)
        for seconds in range(5):
            await sent(packed.store, "window", beat_after(first, seconds), pulsetime=5)
        report = packed.read()

        assert (report.segment_events, report.row_events) == (3 * EVENTS, 1)

    play(engine, scenario)
