"""Which months have segments, and what is read from them; on every engine."""

import time
from typing import Final

import pytest

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import month_of, parse_timestamp
from dayline.storage.columns.segment_plan import SegmentPace
from dayline.storage.columns.source import ReadReport
from dayline.storage.history.contract import TrashPolicy
from tests.storage.contract.columns.packed import Packed, play
from tests.support.storage.building import months_of
from tests.support.storage.engines import Engine
from tests.support.storage.opened import bucket

pytestmark = pytest.mark.encrypted

JANUARY, FEBRUARY, MARCH = ("2024-01-10T00:00:00Z", "2024-02-10T00:00:00Z", "2024-03-10T00:00:00Z")
KEEPS_NOTHING: Final = TrashPolicy(days=0)


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def built(packed: Packed) -> set[tuple[int, int]]:
    """Month and version of every segment."""
    return {(month, version) for _, month, version in packed.engine.segments()}


def place(date: str, version: int = 0) -> tuple[int, int]:
    return month_of(parse_timestamp(date)), version


async def filled(packed: Packed, *events: Event) -> None:
    await packed.store.create_bucket(bucket("window"))
    await packed.store.insert("window", events)


def test_closed_months_are_read_from_segments(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, FEBRUARY))
        before = packed.read()
        await packed.build()
        after = packed.read()

        assert (before.segments, before.row_events) == (0, 40)
        assert (after.segments, after.segment_events, after.row_events) == (2, 40, 0)

    play(engine, scenario)


def test_nothing_is_built_for_the_open_month(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY), *months_of(now(), events=3))
        await packed.build()
        report = packed.read()

        assert (report.segment_events, report.row_events) == (20, 3)
        assert built(packed) == {place(JANUARY)}

    play(engine, scenario)


def test_months_of_few_events_are_left_to_rows(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, events=20), *months_of(MARCH, events=19))
        await packed.build()
        report = packed.read()

        assert (report.segment_events, report.row_events) == (20, 19)
        assert built(packed) == {place(JANUARY)}

    play(engine, scenario, pace=SegmentPace(initial_delay_s=3600, min_events=20))


def test_a_month_that_changed_is_read_from_rows_at_once_and_built_again(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, FEBRUARY))
        await packed.build()
        await packed.store.insert("window", months_of(FEBRUARY, events=1, app="late"))
        stale = packed.read()
        await packed.build()
        again = packed.read()

        assert (stale.segment_events, stale.row_events) == (20, 21)
        assert (again.segment_events, again.row_events) == (41, 0)
        assert built(packed) == {place(JANUARY), place(FEBRUARY, 1)}

    play(engine, scenario)


def test_what_is_built_is_not_built_again(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, FEBRUARY))
        await packed.build()
        with packed.warm.snapshot() as source:
            before = source.state("window", *span)
        await packed.build()
        with packed.warm.snapshot() as source:
            assert source.state("window", *span) == before

    span = (parse_timestamp(JANUARY), parse_timestamp(MARCH))
    play(engine, scenario)


def test_the_state_of_a_closed_month_is_the_same_while_others_are_recorded(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, FEBRUARY))
        await packed.build()
        with packed.warm.snapshot() as source:
            before = source.state("window", *span)
        await packed.store.insert("window", months_of(MARCH, now()))
        with packed.warm.snapshot() as source:
            assert source.state("window", *span) == before
        await packed.store.insert("window", months_of(FEBRUARY, events=1))
        with packed.warm.snapshot() as source:
            assert source.state("window", *span) != before

    span = (parse_timestamp("2024-01-01T00:00:00Z"), parse_timestamp("2024-02-29T23:00:00Z"))
    play(engine, scenario)


def test_segments_of_a_deleted_bucket_fit_no_new_one_and_are_removed(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY))
        await packed.build()
        [(old, _, _)] = packed.engine.segments()
        await packed.store.delete_bucket("window")
        await filled(packed, *months_of(JANUARY, events=3, app="other"))
        report = packed.read()

        assert (report.segment_events, report.row_events) == (0, 3)
        await packed.build()
        await packed.until(lambda: {key for key, _, _ in packed.engine.segments()} == {old + 1})

    play(engine, scenario, trash=KEEPS_NOTHING)


def test_a_bucket_that_comes_back_from_the_trash_is_read_from_segments(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY))
        await packed.build()
        act = await packed.store.delete_bucket("window")
        await packed.build()
        await packed.store.trash.undo(act)
        await packed.build()

        assert packed.read().row_events == 0

    play(engine, scenario)


def test_later_values_are_added_to_the_packs_that_there_are(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    # Packs of 32 values: one that is full, one that is made again with more in it, and more of both kinds.
    monkeypatch.setattr("dayline.storage.columns.value_packs.MAX_VALUES", 32)
    monkeypatch.setattr("dayline.storage.columns.builder.MAX_VALUES", 32)

    async def scenario(packed: Packed) -> None:
        await filled(packed)
        for number, date in enumerate((FEBRUARY, MARCH, JANUARY)):
            await packed.store.insert("window", months_of(date, events=45, app=f"app {number % 2}"))
            await packed.build()
            assert packed.read().row_events == 0

    play(engine, scenario)


def test_data_with_ever_new_keys_stay_rows(engine: Engine) -> None:
    start = parse_timestamp(JANUARY)
    odd = [Event(start=start + number, data=canonical_json({f"key {number}": number})) for number in range(600)]

    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY))
        await packed.store.create_bucket(bucket("odd"))
        await packed.store.insert("odd", odd)
        await packed.build()
        of_odd, of_window = packed.read("odd"), packed.read("window")

        assert (of_odd.segment_events, of_odd.row_events) == (0, 600)
        assert (of_window.segment_events, of_window.row_events) == (20, 0)

    play(engine, scenario)


def test_a_part_of_a_month_that_is_small_is_read_from_rows(engine: Engine) -> None:
    async def scenario(packed: Packed) -> None:
        await filled(packed, *months_of(JANUARY, FEBRUARY))
        await packed.build()
        start = parse_timestamp(JANUARY)
        new = packed.engine.columns()
        with new.snapshot() as source:
            few = source.events("window", start, start + 600_000_000, report := ReadReport())

        assert (report.segment_events, report.row_events) == (0, len(few.start)) == (0, 11)
        new.close()

    play(engine, scenario)
