"""What looks wrong in the data is found with exact figures, fixed, and comes back exactly when that is undone."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
import pytest

from dayline.maintenance.findings import inspector as inspector_module
from dayline.maintenance.findings.inspector import Inspector
from dayline.model.errors import BucketNotFound, Conflict
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.model.upkeep.findings import (
    FINDING_KINDS,
    FIXABLE_KINDS,
    Finding,
    FindingKind,
    FixedBucket,
    FixKind,
    FixRequest,
)
from dayline.storage.store import Store
from tests.support.maintenance.finding import event, inspected, watcher
from tests.support.storage.engines import Engine, rows
from tests.support.storage.opened import events_of, sent

DAY_S = 86_400
Scenario = Callable[[Store, Inspector], Awaitable[None]]

# Every kind once or more, and much that is all right beside it.
SPOILT: Sequence[Event] = (
    event(0, 10, "a"),
    event(0, 10, "a"),  # 2: twice
    event(0, 10, "a"),  # 3: and again
    event(20, 30, "long"),  # 4: cut by the next one
    event(40, 5, "short"),
    event(60, -5, "back"),  # 6: ends before it begins
    event(100, 0, "editor"),  # 7: says what the next one says
    event(101, 0, "other"),
    event(102, 0, "editor"),  # 9: likewise
    event(103, 10, "editor"),
    event(200, 0, "editor"),
    event(300, 7, "editor"),
    event(10 * DAY_S, 60, "tomorrow and beyond"),  # 13
    event(500, 10 * DAY_S, "ends too late"),  # 14
)


def play(engine: Engine, scenario: Scenario, *events: Event, kind: str = "currentwindow") -> None:
    async def run() -> None:
        async with inspected(engine) as (store, inspector):
            await store.create_bucket(watcher("window", kind))
            await store.insert("window", events or SPOILT)
            await scenario(store, inspector)

    asyncio.run(run())


def exported(store: Store) -> bytes:
    return b",".join(store.exported_events("window"))


def everything(store: Store) -> dict[str, Any]:
    return {
        bucket_id: (msgspec.to_builtins(found), events_of(store, bucket_id))
        for bucket_id, found in store.buckets().items()
    }


async def found(store: Store, inspector: Inspector, *kinds: FindingKind) -> dict[str, Finding]:
    """What is found in the one bucket, by its kind."""
    findings = (await inspector.find(store, kinds or FINDING_KINDS)).findings
    return {finding.kind: finding for finding in findings}


async def fix(store: Store, inspector: Inspector, kind: FixKind) -> FixedBucket:
    [bucket] = (await inspector.fix(store, FixRequest(kind=kind, bucket="window"))).buckets
    return bucket


def figures(finding: Finding) -> tuple[int, float, list[int | None]]:
    return finding.count, finding.seconds, [example.event for example in finding.examples]


def test_each_kind_is_found_with_exact_figures(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        findings = await found(store, inspector)

        assert {kind: figures(finding) for kind, finding in findings.items()} == {
            "duplicates": (2, 20.0, [2, 3]),
            "overlaps": (4, 85.0, [2, 3, 4, 14]),
            "negative": (1, 5.0, [6]),
            "future": (2, 60.0 + 10 * DAY_S, [14, 13]),
            "zero_length": (2, 0.0, [7, 9]),
        }
        assert all(finding.is_mendable and finding.mend for finding in findings.values())

    play(engine, scenario)


def test_an_example_names_the_event_and_its_change(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        example = (await found(store, inspector, "overlaps"))["overlaps"].examples[2]

        assert msgspec.to_builtins(example) == {
            "event": 4,
            "start": "2026-01-01T10:00:20Z",
            "end": "2026-01-01T10:00:50Z",
            "seconds": 30.0,
            "data": '{"app":"long"}',
            "becomes": 20.0,
        }

    play(engine, scenario)


def test_only_what_was_asked_for_is_looked_for(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        assert set(await found(store, inspector, "negative", "future")) == {"negative", "future"}
        await store.create_bucket(watcher("empty"))
        nothing = await inspector.find(store, FINDING_KINDS, bucket="empty")
        assert (nothing.buckets, nothing.events, nothing.findings) == (1, 0, [])
        with pytest.raises(BucketNotFound):
            await inspector.find(store, FINDING_KINDS, bucket="unknown")

    play(engine, scenario)


@pytest.mark.parametrize("kind", FIXABLE_KINDS)
def test_what_was_fixed_is_not_found_again_and_undo_is_exact(engine: Engine, kind: FixKind) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        before, document = everything(store), exported(store)
        there = (await found(store, inspector, kind))[kind]

        done = await fix(store, inspector, kind)

        assert done.removed + done.changed == there.count
        assert done.skipped == 0
        assert await found(store, inspector, kind) == {}
        [item] = store.trash.all()
        assert (item.id, item.kind, item.events, item.state) == (done.undo, "mend_events", there.count, "done")
        await store.trash.undo(item.id)
        assert (everything(store), exported(store)) == (before, document)
        assert (await found(store, inspector, kind))[kind] == there

    play(engine, scenario)


def test_all_kinds_fixed_one_after_the_other_are_undone_in_turn(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        before = everything(store)
        undo = [(await fix(store, inspector, kind)).undo for kind in FIXABLE_KINDS[1:]]
        assert set(await found(store, inspector)) <= {"zero_length"}
        for act in reversed(undo):
            assert act is not None
            await store.trash.undo(act)
        assert everything(store) == before

    play(engine, scenario)


def test_a_preview_lists_what_the_fix_changes_and_changes_nothing(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        before = everything(store)
        planned = await inspector.preview(store, FixRequest(kind="overlaps", dry_run=True))
        assert (planned.removed, planned.changed, planned.buckets[0].undo) == (2, 2, None)
        assert everything(store) == before
        assert store.trash.all() == []

        done = await inspector.fix(store, FixRequest(kind="overlaps"))

        assert (done.removed, done.changed) == (planned.removed, planned.changed)
        assert done.buckets[0].examples == planned.buckets[0].examples

    play(engine, scenario)


def test_overlaps_of_less_than_a_second_are_not_reported(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        findings = await found(store, inspector, "overlaps")

        assert {kind: figures(finding) for kind, finding in findings.items()} == {"overlaps": (1, 1.0, [3])}

    play(engine, scenario, event(0, 10.001), event(10, 10.999), event(20, 11), event(30, 10), event(30, 0.5))


def test_overlaps_of_a_bucket_that_may_have_some_are_only_counted(engine: Engine) -> None:
    async def scenario(store: Store, inspector: Inspector) -> None:
        [finding] = (await found(store, inspector, "overlaps")).values()
        assert (finding.count, finding.is_mendable, finding.mend) == (1, False, "")
        assert (await inspector.fix(store, FixRequest(kind="overlaps"))).buckets == []
        with pytest.raises(Conflict, match="events of type 'calendar' may overlap"):
            await inspector.fix(store, FixRequest(kind="overlaps", bucket="window"))

    play(engine, scenario, event(0, 10), event(5, 10), kind="calendar")


def test_many_are_fixed_in_slices_by_a_process_of_its_own(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspector_module, "MANY_EVENTS", 100)
    events = [event(second, 1) for second in range(1500) for _ in range(2)]

    async def scenario(store: Store, inspector: Inspector) -> None:
        before = everything(store)
        there = (await found(store, inspector, "duplicates"))["duplicates"]
        assert (there.count, there.seconds, len(there.examples)) == (1500, 1500.0, 20)

        done = await fix(store, inspector, "duplicates")

        assert (done.removed, done.changed) == (1500, 0)
        assert done.undo is not None
        assert len(events_of(store, "window")) == 1500
        await store.trash.undo(done.undo)
        assert everything(store) == before
        assert rows(engine, "operation_event") == 0

    play(engine, scenario, *events)


def test_heartbeats_continue_while_events_are_fixed(engine: Engine) -> None:
    events = [event(second, 1) for second in range(1000) for _ in range(2)]

    async def scenario(store: Store, inspector: Inspector) -> None:
        document = exported(store)
        fixing = asyncio.create_task(fix(store, inspector, "duplicates"))
        beats = 0
        while not fixing.done():
            await sent(store, "window", event(2000 + beats, 0, "recording"))
            beats += 1
        assert beats > 1
        latest = events_of(store, "window")[-1]
        assert (latest["data"], latest["duration"]) == ({"app": "recording"}, beats - 1)

        undo = (await fixing).undo
        assert undo is not None
        await store.trash.undo(undo)

        assert exported(store).endswith(document)

    play(engine, scenario, *events)


@pytest.mark.parametrize("kind", ["web.tab.current", "app.editor.activity", "general.stopwatch"])
def test_gaps_of_what_is_not_always_in_use_are_reported_only_for_a_bucket_that_is_named(
    engine: Engine, kind: str
) -> None:
    minute = 60

    async def scenario(store: Store, inspector: Inspector) -> None:
        await store.create_bucket(watcher("windows"))
        await store.insert("windows", [event(0, 300 * minute)])

        assert (await inspector.find(store, FINDING_KINDS)).findings == []
        [finding] = (await inspector.find(store, FINDING_KINDS, bucket="window")).findings
        assert (finding.kind, finding.seconds) == ("gaps", 280.0 * minute)

    play(engine, scenario, event(0, 10 * minute), event(290 * minute, 10 * minute), kind=kind)


def test_gaps_are_times_in_which_only_others_of_the_host_recorded(engine: Engine) -> None:
    minute = 60
    away = [
        Event(start=one.start, duration=one.duration, data=b'{"status":"%b"}' % status)
        for one, status in (
            (event(0, 100 * minute), b"not-afk"),
            (event(100 * minute, 100 * minute), b"afk"),
            (event(200 * minute, 100 * minute), b"not-afk"),
        )
    ]
    window = [event(0, 10 * minute), event(30 * minute, 10 * minute), event(290 * minute, 10 * minute)]

    async def scenario(store: Store, inspector: Inspector) -> None:
        await store.create_bucket(watcher("away", "afkstatus"))
        await store.insert("away", away)
        await store.create_bucket(watcher("elsewhere", host="desktop"))
        await store.insert("elsewhere", [event(0, 300 * minute)])

        result = await inspector.find(store, ["gaps"], bucket="window", gap=30 * minute * SECOND)

        [finding] = result.findings
        assert (finding.bucket, finding.count, finding.seconds) == ("window", 2, 150.0 * minute)
        assert [(example.start[11:16], example.end[11:16]) for example in finding.examples] == [
            ("13:20", "14:50"),
            ("10:40", "11:40"),
        ]
        assert not finding.is_mendable
        short = await inspector.find(store, ["gaps"], gap=19 * minute * SECOND)
        assert [(one.bucket, one.count) for one in short.findings] == [("window", 3)]

    play(engine, scenario, *window)
