"""Downsampling: old events of equal data within a quarter of an hour become one, and no total changes."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.maintenance.database_copy import copy_database
from dayline.maintenance.findings.scan import ScanOrder, scan
from dayline.model.errors import NotFound, StoreBusy
from dayline.model.event import Event
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import DAY, SECOND, now_us
from dayline.model.upkeep.findings import FINDING_KINDS
from dayline.storage.columns.months import Span
from dayline.storage.columns.source import ReadReport
from dayline.storage.engine.tenant import TenantReaders
from dayline.storage.opening import open_copy_source, open_copy_target, open_rows
from dayline.storage.operations import background
from dayline.storage.operations.background import SlicePace
from dayline.storage.retention.downsampling import HOUR, World, cutoff_of
from dayline.storage.retention.rearranging import QUARTER, Rewrite
from dayline.storage.store import Store
from dayline.storage.transfer.event_rows import RowsLocation
from tests.support.maintenance.documents import archived, restored
from tests.support.profile import examples
from tests.support.storage.engine_upkeep import Keeping, Row, check, play, rows_of
from tests.support.storage.engines import Engine, Engines, rows
from tests.support.storage.file_upkeep import lasting
from tests.support.storage.opened import bucket, sent
from tests.support.storage.redacting import order


def filled(engine: Engine, *events: Event) -> None:
    async def fill(at: Keeping) -> None:
        for first in range(0, len(events), 1000):
            await at.store.insert("window", events[first : first + 1000])

    play(engine, fill)


def downsampled(engine: Engine, *, days: int = 1) -> int | None:
    """Downsample the bucket; what undoes it."""
    undo: list[int | None] = []

    async def downsample(at: Keeping) -> None:
        undo.extend(bucket.undo for bucket in await at.upkeep.downsample({"window": days}))

    play(engine, downsample)
    return undo[0]


def undone(engine: Engine, act: int) -> None:
    async def undo(at: Keeping) -> None:
        await at.store.trash.undo(act)

    play(engine, undo)


def test_events_of_equal_data_within_a_quarter_of_an_hour_become_one(engine: Engine) -> None:
    filled(engine, lasting(0, 60), lasting(5, 120), lasting(8, 30, app="browser"), lasting(16, 7))

    downsampled(engine)

    assert [row.duration for row in rows_of(engine)] == [180 * SECOND, 30 * SECOND, 7 * SECOND]
    check(engine)


def test_the_one_has_the_earliest_start_and_the_lowest_id(engine: Engine) -> None:
    filled(engine, lasting(9, 5), lasting(1, 5), lasting(5, 5))  # the first to come began last
    before = rows_of(engine)

    downsampled(engine)

    assert rows_of(engine) == [Row(before[0].id, before[1].start, 15 * SECOND, before[0].json)]


def test_what_is_new_and_what_has_a_negative_length_is_left_alone(engine: Engine) -> None:
    now = (now_us() // HOUR) * HOUR
    new = [
        Event(start=now - DAY - 2 * HOUR + second * SECOND, duration=SECOND, data=b'{"app":"editor"}')
        for second in (0, 9)
    ]
    filled(engine, lasting(0, -5), lasting(1, -5), *new)
    before = rows_of(engine)

    assert downsampled(engine, days=2) is None
    assert rows_of(engine) == before
    assert downsampled(engine, days=1) is not None
    assert len(rows_of(engine)) == 3


def test_downsampling_again_does_nothing(engine: Engine) -> None:
    filled(engine, *(lasting(minute, 1, app=f"app {minute % 3}") for minute in range(180)))

    assert downsampled(engine) is not None
    after = rows_of(engine)
    assert downsampled(engine) is None
    assert rows_of(engine) == after
    assert rows(engine, "operation") == 1


EVENTS = st.lists(
    st.tuples(st.integers(0, 3 * 3600), st.integers(-2, 4000), st.sampled_from("abc"), st.booleans()), max_size=60
)


@settings(max_examples=examples(60, daily=20))
@given(EVENTS, st.integers(2, 7))
def test_the_time_of_every_text_in_every_quarter_stays_the_same(
    files: Engines, events: list[tuple[int, int, str, bool]], rows: int
) -> None:
    check_against_the_model(files.new(), events, rows)


@settings(max_examples=examples(24, daily=3))
@given(EVENTS, st.integers(2, 7))
def test_so_is_one_on_postgresql(servers: Engines, events: list[tuple[int, int, str, bool]], rows: int) -> None:
    check_against_the_model(servers.new(), events, rows)


def check_against_the_model(engine: Engine, events: list[tuple[int, int, str, bool]], rows: int) -> None:
    """Downsample and undo, a few rows at a time, so that groups are merged in several slices."""
    recent = now_us() - DAY - 90 * 60 * SECOND  # around the age at which events are downsampled
    filled(
        engine,
        *(
            Event(
                start=recent + second * SECOND if is_recent else lasting(second / 60, 0).start,
                duration=duration * SECOND,
                data=b'{"app":"%s"}' % app.encode(),
            )
            for second, duration, app, is_recent in events
        ),
    )
    before = rows_of(engine)
    cutoff = cutoff_of(now_us(), 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(background, "SLICE_ROWS", 4 * rows)
        patch.setattr(background, "_SMALLEST_SLICE", rows)
        act = downsampled(engine)

    after = rows_of(engine)
    assert [row for row in after if row.start >= cutoff] == [row for row in before if row.start >= cutoff]
    assert lengths(after) == lengths(before)
    check(engine)
    if act is not None:
        undone(engine, act)
    assert rows_of(engine) == before
    check(engine)


def lengths(rows: Sequence[Row]) -> Counter[tuple[int, str]]:
    """How long each text was true, by quarter of an hour."""
    total: Counter[tuple[int, str]] = Counter()
    for row in rows:
        end = row.start + row.duration
        for quarter in range(row.start // QUARTER * QUARTER, end, QUARTER):
            total[quarter, row.json] += min(end, quarter + QUARTER) - max(row.start, quarter)
    return total


def test_a_large_one_is_undone_exactly(engine: Engine) -> None:
    filled(engine, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(4000)))
    before = rows_of(engine)

    act = downsampled(engine)

    assert act is not None
    assert len(rows_of(engine)) == 27 * 7  # quarters and apps
    undone(engine, act)
    assert rows_of(engine) == before
    check(engine)


def test_the_range_of_the_bucket_is_right_after_it(engine: Engine) -> None:
    filled(engine, lasting(1, 60), lasting(5, 60), lasting(10, 120))

    ends: list[int | None] = []

    async def downsample(at: Keeping) -> None:
        await at.upkeep.downsample({"window": 1})
        ends.append(at.store.bucket("window").end)

    play(engine, downsample)

    assert ends == [lasting(5, 0).start]


def test_queries_see_the_downsampled_events_though_segments_were_built_before(engine: Engine) -> None:
    filled(engine, *(lasting(minute, 30, app=f"app {minute % 3}") for minute in range(600)))

    async def scenario(at: Keeping) -> None:
        await engine.build_segments(at.database)
        assert seen(engine) == (600, 600 * 30 * SECOND)
        await at.upkeep.downsample({"window": 1})
        assert seen(engine) == (120, 600 * 30 * SECOND)
        await engine.build_segments(at.database)
        assert seen(engine) == (120, 600 * 30 * SECOND)

    play(engine, scenario)


def seen(engine: Engine) -> tuple[int, int]:
    """How many events a query finds, and how long they last."""
    columns = engine.columns()
    try:
        with columns.snapshot() as source:
            events = source.events("window", 0, now_us(), ReadReport())
            return len(events.start), int((events.end - events.start).sum())
    finally:
        columns.close()


def test_one_that_was_cut_off_is_done_and_can_be_undone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(engine, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)))
    before = rows_of(engine)

    async def cut_off(at: Keeping) -> None:
        await at.upkeep.downsample({})  # after this one comes what settles, at the start, what was cut off
        task = asyncio.ensure_future(at.upkeep.downsample({"window": 1}))

        def cancel_after_slice(_pace: SlicePace, _rows: int, _seconds: float) -> None:
            task.cancel()

        with monkeypatch.context() as patch:
            patch.setattr(SlicePace, "note", cancel_after_slice)
            with pytest.raises(asyncio.CancelledError):
                await task
        assert rows(engine, "operation_event")

    play(engine, cut_off)

    async def undo(at: Keeping) -> None:
        await at.upkeep.downsample({})
        [item] = at.store.trash.all()
        assert (item.kind, item.state) == ("thin_bucket", "done")
        assert item.events == rows(engine, "operation_event")
        await at.store.trash.undo(item.id)

    play(engine, undo)
    assert rows_of(engine) == before


def test_an_operation_in_progress_lists_the_events_that_it_has_changed_so_far(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(engine, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)))
    listed: list[tuple[str, bool]] = []

    async def downsample(at: Keeping) -> None:
        def list_after_slice(_pace: SlicePace, _rows: int, _seconds: float) -> None:
            [item] = at.store.trash.all()
            listed.append((item.state, item.events >= rows(engine, "operation_event") > 0))

        with monkeypatch.context() as patch:
            patch.setattr(SlicePace, "note", list_after_slice)
            await at.upkeep.downsample({"window": 1})

    play(engine, downsample)
    assert len(listed) > 1
    assert set(listed) == {("doing", True)}


def test_a_run_that_another_one_has_ended_stops(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(engine, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)))
    before = rows_of(engine)

    async def downsample(at: Keeping) -> None:
        def end_after_slice(_pace: SlicePace, _rows: int, _seconds: float) -> None:
            engine.change("UPDATE operation SET state = 'done'")

        with monkeypatch.context() as patch:
            patch.setattr(SlicePace, "note", end_after_slice)
            with pytest.raises(StoreBusy, match="interrupted for too long"):
                await at.upkeep.downsample({"window": 1})
        assert 0 < rows(engine, "operation_event") < len(before)
        await at.store.trash.undo(1)

    play(engine, downsample)
    assert rows_of(engine) == before
    check(engine)


def test_both_engines_log_the_same_operation(engine: Engine) -> None:
    filled(engine, lasting(0, 60), lasting(10, 120))

    assert downsampled(engine) is not None

    logged = engine.select("SELECT kind, state, bucket, events, detail FROM operation")
    assert logged == [("downsample_bucket", "done", "window", 2, "{}")]


def test_events_of_a_redaction_that_can_be_undone_are_left_apart(engine: Engine) -> None:
    """One that was redacted would take the time of another that always said so back with it."""
    secret = PrivacyRule(field="app", pattern="secret", action="redact", replacement="REDACTED")
    filled(engine, lasting(0, 60, app="secret"), lasting(4, 5, app="REDACTED"), lasting(16, 7), lasting(20, 7))
    before = rows_of(engine)

    async def scenario(at: Keeping) -> None:
        redactions = at.store.redactions
        redacted = await redactions.apply(order(secret))
        [downsampled] = await at.upkeep.downsample({"window": 1})
        assert downsampled.removed == 1
        assert downsampled.undo is not None
        await at.store.trash.undo(downsampled.undo)
        await redactions.undo(redacted.id)
        assert rows_of(engine) == before
        await redactions.make_final((await redactions.apply(order(secret))).id)
        await at.upkeep.downsample({"window": 1})

    play(engine, scenario)
    assert [row.duration for row in rows_of(engine)] == [60 * SECOND, 5 * SECOND, 14 * SECOND]
    check(engine)


def test_heartbeats_continue_with_the_last_event_of_a_downsampled_bucket(engine: Engine) -> None:
    filled(engine, lasting(0, 60), lasting(10, 60))
    downsampled(engine)

    async def beat(at: Keeping) -> None:
        event = await sent(at.store, "window", lasting(2, 0), pulsetime=60)
        assert msgspec.json.decode(event.data) == {"app": "editor"}

    play(engine, beat)
    assert [row.duration for row in rows_of(engine)] == [120 * SECOND]
    check(engine)


def test_a_bucket_that_is_not_there_is_left_out(engine: Engine) -> None:
    async def downsample(at: Keeping) -> None:
        assert await at.upkeep.downsample({"gone": 1}) == []
        assert await at.upkeep.preview_downsampling({"gone": 1}) == []
        with pytest.raises(NotFound):
            await at.store.trash.undo(1)

    play(engine, downsample)


def test_the_preview_shows_what_downsampling_then_does(engine: Engine) -> None:
    filled(engine, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)), lasting(0, -5))

    async def preview(at: Keeping) -> None:
        [found] = await at.upkeep.preview_downsampling({"window": 1})
        assert (found.events, found.bytes > 0) == (2001, True)
        [downsampled] = await at.upkeep.downsample({"window": 1})
        assert downsampled.removed == found.events - found.after
        assert found.after == len(rows_of(engine))

    play(engine, preview)


def test_downsampled_events_are_not_reported_as_overlaps(engine: Engine) -> None:
    # They lie where the first of each hour lay: to fix that would be to lose time.
    filled(engine, *(lasting(minute, 60, app="ab"[minute % 2]) for minute in range(50)))
    assert downsampled(engine) is not None

    order_all = ScanOrder(now=now_us(), kinds=list(FINDING_KINDS), gap=HOUR // 60)
    with open_rows(engine.rows_place) as found:
        assert scan(found, order_all).findings == []


def marks(engine: Engine) -> dict[str, int]:
    """Until when each bucket is downsampled."""
    with open_rows(engine.rows_place) as found:
        return {bucket.id: bucket.downsampled for bucket in found.buckets()}


def test_a_merged_or_renamed_bucket_stays_marked_as_downsampled(engine: Engine) -> None:
    # A merge lost the mark, and `doctor` then repaired events that it should have left alone.
    filled(engine, lasting(0, 60), lasting(10, 120))
    downsampled(engine)
    mark = marks(engine)["window"]

    async def merge(at: Keeping) -> None:
        await at.store.create_bucket(bucket("target"))
        await at.store.moves.merge("window", "target")
        await at.store.moves.rename("target", "renamed")

    play(engine, merge)

    assert mark == cutoff_of(now_us(), 1)
    assert marks(engine) == {"renamed": mark}


def test_an_archive_and_a_copy_keep_the_mark(files: Engines, tmp_path: Path) -> None:
    engine = files.new()
    filled(engine, lasting(0, 60), lasting(10, 120))
    downsampled(engine)
    location = Path(engine.rows_place.database)

    archived(location, tmp_path / "days.archive")
    restored(tmp_path / "days.archive", tmp_path / "restored.db")
    with open_copy_source(location, "") as source, open_copy_target(tmp_path / "copy.db", "") as target:
        copy_database(source, target, on_events=lambda _: None)
        target.keep()

    assert marks(engine)["window"] > 0
    for path in ("restored.db", "copy.db"):
        with open_rows(RowsLocation(database=str(tmp_path / path))) as found:
            assert {bucket.id: bucket.downsampled for bucket in found.buckets()} == marks(engine)


def test_buckets_that_active_time_joins_are_downsampled_together_and_undone_exactly(engine: Engine) -> None:
    # Window and presence moved apart from each other: the active time of an hour changed.
    async def fill(at: Keeping) -> None:
        for name, kind in (("windows", "currentwindow"), ("away", "afkstatus")):
            await at.store.create_bucket(msgspec.structs.replace(bucket(name), type=kind))
        minutes = range(14)
        await at.store.insert("windows", [lasting(minute, 60, app="ab"[minute % 2]) for minute in minutes])
        await at.store.insert("away", [lasting(minute, 60, app="ab"[minute % 2]) for minute in minutes])

    events = "SELECT bucket, id, start, duration, value FROM event ORDER BY id"

    async def downsample_and_undo(at: Keeping) -> None:
        before = engine.select(events)
        downsampled = await at.upkeep.downsample({"windows": 1, "away": 1})
        assert [each.removed for each in downsampled] == [12, 12]
        for each in reversed(downsampled):
            await at.store.trash.undo(each.undo or 0)
        assert engine.select(events) == before

    play(engine, fill)
    play(engine, downsample_and_undo)
    check(engine)


def test_a_quarter_in_which_an_event_was_added_since_is_left_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(engine, lasting(0, 60), lasting(10, 120))
    before = rows_of(engine)
    planned = World.plan

    def plan_then_add(world: World, readers: TenantReaders, day: Span) -> list[Rewrite]:
        rewrites = planned(world, readers, day)
        if rewrites:
            asyncio.run_coroutine_threadsafe(
                added[0].insert("window", [lasting(5, 30, app="other")]), loops[0]
            ).result()
        return rewrites

    added: list[Store] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def downsample(at: Keeping) -> None:
        added.append(at.store)
        loops.append(asyncio.get_running_loop())
        with monkeypatch.context() as patch:
            patch.setattr(World, "plan", plan_then_add)
            [downsampled] = await at.upkeep.downsample({"window": 1})
        assert (downsampled.removed, downsampled.undo) == (0, None)

    play(engine, downsample)
    assert rows_of(engine)[:2] == before


def test_whole_hours_are_downsampled() -> None:
    now = 17 * DAY + 5 * HOUR + 123

    assert cutoff_of(now, 2) == 15 * DAY + 5 * HOUR
