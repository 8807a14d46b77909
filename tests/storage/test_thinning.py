"""Thinning: old events of equal data within one hour become one, nothing else changes, and it can be undone."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.care.findings.looking import LookOrder, look
from dayline.model.errors import Conflict, NotFound
from dayline.model.event import Event
from dayline.model.findings import FINDING_KINDS
from dayline.model.privacy import PrivacyRule
from dayline.model.timestamps import DAY, SECOND, now_us
from dayline.storage import slice_pace
from dayline.storage.columns import ReadReport
from dayline.storage.sqlite.columns import SqliteColumns
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.schema import ORIGIN
from dayline.storage.sqlite.thinning_rows import cutoff_of
from tests.storage.keeping_small import Row, check_file, lasting, play, read, rows_of
from tests.storage.opened import sent
from tests.storage.redacting import order

HOUR = 3600 * SECOND


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


def filled(path: Path, *events: Event) -> None:
    async def fill(database: SqliteDatabase) -> None:
        for first in range(0, len(events), 1000):
            await database.store().insert("window", events[first : first + 1000])

    play(path, fill)


def thinned(path: Path, *, days: int = 1) -> int | None:
    """Thin the bucket; what undoes it."""
    undo: list[int | None] = []

    async def thin(database: SqliteDatabase) -> None:
        undo.extend(bucket.undo for bucket in await database.upkeep.thin({"window": days}))

    play(path, thin)
    return undo[0]


def undone(path: Path, act: int) -> None:
    async def undo(database: SqliteDatabase) -> None:
        await database.store().trash.undo(act)

    play(path, undo)


def thinned_by_hand(rows: Sequence[Row], cutoff: int) -> list[Row]:
    """The plain model: one event for each hour and text, but for those that are new or of negative length."""
    groups: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        is_thinned = row.start < cutoff and row.duration >= 0
        groups[(row.start // HOUR, row.json) if is_thinned else row.id].append(row)
    merged = [
        Row(
            min(row.id for row in group),
            min(row.start for row in group),
            sum(row.duration for row in group),
            group[0].json,
        )
        for group in groups.values()
    ]
    return sorted(merged)


def test_events_of_equal_data_within_an_hour_become_one(path: Path) -> None:
    filled(path, lasting(0, 60), lasting(10, 120), lasting(20, 30, app="browser"), lasting(59, 600), lasting(61, 7))

    thinned(path)

    first, browser, next_hour = rows_of(path)
    assert (first.duration, browser.duration, next_hour.duration) == (780 * SECOND, 30 * SECOND, 7 * SECOND)
    check_file(path)


def test_the_one_has_the_earliest_start_and_the_lowest_id(path: Path) -> None:
    filled(path, lasting(30, 5), lasting(10, 5), lasting(20, 5))  # the first to come began last
    before = rows_of(path)

    thinned(path)

    assert rows_of(path) == [Row(before[0].id, before[1].start, 15 * SECOND, before[0].json)]


def test_what_is_new_and_what_has_a_negative_length_is_left_alone(path: Path) -> None:
    now = (now_us() // HOUR) * HOUR
    new = [Event(start=now - DAY - 2 * HOUR + second * SECOND, data=b'{"app":"editor"}') for second in (0, 1)]
    filled(path, lasting(0, -5), lasting(1, -5), *new)
    before = rows_of(path)

    assert thinned(path, days=2) is None
    assert rows_of(path) == before
    assert thinned(path, days=1) is not None
    assert len(rows_of(path)) == 3


def test_to_thin_again_does_nothing(path: Path) -> None:
    filled(path, *(lasting(minute, 1, app=f"app {minute % 3}") for minute in range(180)))

    assert thinned(path) is not None
    after = rows_of(path)
    assert thinned(path) is None
    assert rows_of(path) == after
    assert len(read(path, "SELECT 1 FROM act")) == 1


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(0, 3 * 3600), st.integers(-2, 4000), st.sampled_from("abc"), st.booleans()), max_size=60
    ),
    st.integers(2, 7),
)
def test_a_thinned_bucket_is_what_a_plain_model_makes_of_it(
    events: list[tuple[int, int, str, bool]], rows: int
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(slice_pace, "SLICE_ROWS", 4 * rows)  # so that groups are merged in several slices
        patch.setattr(slice_pace, "_SMALLEST_SLICE", rows)
        path = Path(folder) / "days.db"
        recent = now_us() - DAY - 90 * 60 * SECOND  # around the age at which events are thinned
        filled(
            path,
            *(
                Event(
                    start=recent + second * SECOND if is_recent else lasting(second / 60, 0).start,
                    duration=duration * SECOND,
                    data=b'{"app":"%s"}' % app.encode(),
                )
                for second, duration, app, is_recent in events
            ),
        )
        before = rows_of(path)
        cutoff = cutoff_of(now_us(), 1)

        act = thinned(path)

        after = rows_of(path)
        assert after == thinned_by_hand(before, cutoff)
        assert lengths(after) == lengths(before)
        check_file(path)
        if act is not None:
            undone(path, act)
        assert rows_of(path) == before
        check_file(path)


def lengths(rows: Sequence[Row]) -> dict[str, int]:
    """How long each text was true."""
    total: dict[str, int] = defaultdict(int)
    for row in rows:
        total[row.json] += row.duration
    return {json: duration for json, duration in total.items() if duration}


def test_a_large_one_is_undone_exactly(path: Path) -> None:
    filled(path, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(4000)))
    before = rows_of(path)

    act = thinned(path)

    assert act is not None
    assert len(rows_of(path)) == 7 * 7
    undone(path, act)
    assert rows_of(path) == before
    check_file(path)


def test_the_range_of_the_bucket_is_right_after_it(path: Path) -> None:
    filled(path, lasting(0, 0), lasting(10, 3000), lasting(30, 3000))

    ends: list[int | None] = []

    async def thin(database: SqliteDatabase) -> None:
        await database.upkeep.thin({"window": 1})
        ends.append(database.store().bucket("window").end)

    play(path, thin)

    assert ends == [lasting(100, 0).start]


def test_queries_see_the_thinned_events_though_segments_were_built_before(path: Path) -> None:
    filled(path, *(lasting(minute, 30, app=f"app {minute % 3}") for minute in range(600)))

    async def scenario(database: SqliteDatabase) -> None:
        await database.build_segments()
        assert seen(path) == (600, 600 * 30 * SECOND)
        await database.upkeep.thin({"window": 1})
        assert seen(path) == (30, 600 * 30 * SECOND)
        await database.build_segments()
        assert seen(path) == (30, 600 * 30 * SECOND)

    play(path, scenario)


def seen(path: Path) -> tuple[int, int]:
    """How many events a query finds, and how long they last."""
    columns = SqliteColumns(path, cache_bytes=1 << 20)
    try:
        with columns.snapshot() as source:
            events = source.events("window", 0, now_us(), ReadReport())
            return len(events.start), int((events.end - events.start).sum())
    finally:
        columns.close()


def test_one_that_was_cut_off_is_done_at_the_next_start_and_can_be_undone(path: Path) -> None:
    filled(path, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)))
    before = rows_of(path)

    async def cut_off(database: SqliteDatabase) -> None:
        task = asyncio.ensure_future(database.upkeep.thin({"window": 1}))
        while not read(path, "SELECT 1 FROM act_event LIMIT 1"):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(Conflict):
            await database.store().trash.undo(1)

    play(path, cut_off)

    async def undo(database: SqliteDatabase) -> None:
        await database.upkeep.thin({})
        [item] = database.store().trash.all()
        assert (item.kind, item.state) == ("thin_bucket", "done")
        assert item.events == len(read(path, "SELECT 1 FROM act_event"))
        await database.store().trash.undo(item.id)

    play(path, undo)
    assert rows_of(path) == before


def test_events_of_a_redaction_that_can_be_undone_are_left_apart(path: Path) -> None:
    """One that was redacted would take the time of another that always said so back with it."""
    secret = PrivacyRule(field="app", pattern="secret", action="redact", replacement="REDACTED")
    filled(path, lasting(0, 60, app="secret"), lasting(10, 5, app="REDACTED"), lasting(20, 7), lasting(30, 7))
    before = rows_of(path)

    async def scenario(database: SqliteDatabase) -> None:
        redactions = database.store().redactions
        redacted = await redactions.apply(order(secret))
        [bucket] = await database.upkeep.thin({"window": 1})
        assert bucket.removed == 1
        assert bucket.undo is not None
        await database.store().trash.undo(bucket.undo)
        await redactions.undo(redacted.id)
        assert rows_of(path) == before
        await redactions.make_final((await redactions.apply(order(secret))).id)
        await database.upkeep.thin({"window": 1})

    play(path, scenario)
    assert [row.duration for row in rows_of(path)] == [65 * SECOND, 14 * SECOND]
    check_file(path)


def test_heartbeats_go_on_with_the_last_event_of_a_thinned_bucket(path: Path) -> None:
    filled(path, lasting(0, 60), lasting(10, 60))
    thinned(path)

    async def beat(database: SqliteDatabase) -> None:
        event = await sent(database.store(), "window", lasting(2, 0), pulsetime=60)
        assert msgspec.json.decode(event.data) == {"app": "editor"}

    play(path, beat)
    assert [row.duration for row in rows_of(path)] == [120 * SECOND]
    check_file(path)


def test_a_bucket_that_is_not_there_is_left_out(path: Path) -> None:
    async def thin(database: SqliteDatabase) -> None:
        assert await database.upkeep.thin({"gone": 1}) == []
        assert await database.upkeep.preview_thinning({"gone": 1}) == []
        with pytest.raises(NotFound):
            await database.store().trash.undo(1)

    play(path, thin)


def test_the_preview_tells_what_thinning_then_does(path: Path) -> None:
    filled(path, *(lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(2000)), lasting(0, -5))

    async def preview(database: SqliteDatabase) -> None:
        [found] = await database.upkeep.preview_thinning({"window": 1})
        assert (found.events, found.bytes > 0) == (2001, True)
        [bucket] = await database.upkeep.thin({"window": 1})
        assert bucket.removed == found.events - found.after
        assert found.after == len(rows_of(path))

    play(path, preview)


def test_thinned_events_are_not_told_as_overlaps(path: Path) -> None:
    # They lie where the first of each hour lay: to mend that would be to lose time.
    filled(path, *(lasting(minute, 60, app="ab"[minute % 2]) for minute in range(50)))
    assert thinned(path) is not None

    order_all = LookOrder(now=now_us(), kinds=list(FINDING_KINDS), gap=HOUR // 60)
    assert look(path, order_all).found == []


def test_whole_hours_are_thinned() -> None:
    now = 17 * DAY + 5 * HOUR + 123

    assert cutoff_of(now + ORIGIN, 2) == 15 * DAY + 5 * HOUR
