"""Whatever is fixed in a real store: what is left is what the rules leave, figures and all, and undo is exact."""

import asyncio
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.event import Event
from dayline.model.time import SECOND, format_timestamp
from dayline.model.upkeep.findings import FIXABLE_KINDS, FixKind, FixRequest
from dayline.storage.store import Store
from tests.support.maintenance.finding import Plain, fixed, inspected, watcher
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.opened import BEGIN, events_of

KINDS = st.sampled_from(FIXABLE_KINDS)
# Two months, so that each has figures of its own; close together there, so that events meet.
EVENTS = st.lists(
    st.tuples(
        st.sampled_from([BEGIN, BEGIN + 2_700_000 * SECOND]),
        st.integers(0, 9),
        st.sampled_from([-1, 0, 0, 1, 3, 9]),
        st.sampled_from([b'{"app":"a"}', b'{"app":"b"}']),
    ),
    max_size=15,
)


def seen(store: Store) -> dict[str, Any]:
    """All that a client can see of the bucket."""
    return {
        "bucket": msgspec.to_builtins(store.bucket("window")),
        "count": store.count("window", start=None, end=None),
        "events": events_of(store, "window"),
        "export": b",".join(store.exported_events("window")),
    }


def event_of(drawn: tuple[int, int, int, bytes]) -> Event:
    month, second, lasting, data = drawn
    return Event(start=month + second * SECOND, duration=lasting * SECOND, data=data)


def as_seen(events: list[Plain]) -> list[tuple[int, str, float]]:
    return [(one.id, format_timestamp(one.start), one.duration / SECOND) for one in sorted(events)]


@settings(max_examples=examples(45))
@given(kind=KINDS, events=EVENTS)
def test_a_fixed_file_has_what_the_rules_leave_and_undo_restores_everything(
    files: Engines, kind: FixKind, events: list[tuple[int, int, int, bytes]]
) -> None:
    check_fixed(files.new(), kind, events)


@settings(max_examples=examples(24))
@given(kind=KINDS, events=EVENTS)
def test_so_has_a_fixed_tenant_of_postgresql(
    servers: Engines, kind: FixKind, events: list[tuple[int, int, int, bytes]]
) -> None:
    check_fixed(servers.new(), kind, events)


def check_fixed(engine: Engine, kind: FixKind, events: list[tuple[int, int, int, bytes]]) -> None:
    async def fix() -> None:
        async with inspected(engine) as (store, inspector):
            await store.create_bucket(watcher("window"))
            stored = (await store.insert("window", list(map(event_of, events)))).events
            before = seen(store)
            plain = [Plain(one.start, one.id, one.duration, one.data.decode()) for one in stored]

            [*done] = (await inspector.fix(store, FixRequest(kind=kind))).buckets

            after = seen(store)
            left = sorted((one["id"], one["timestamp"], one["duration"]) for one in after["events"])
            assert left == sorted(as_seen(fixed(kind, plain)))
            assert after["count"] == len(left)
        await check_again(engine, after)
        async with inspected(engine) as (store, _):
            for bucket in done:
                assert bucket.undo is not None
                await store.trash.undo(bucket.undo)
            assert seen(store) == before
        await check_again(engine, before)

    asyncio.run(fix())


async def check_again(engine: Engine, expected: dict[str, Any]) -> None:
    """What was kept in memory is what the file says: an opened file shows the same."""
    async with inspected(engine) as (store, _):
        assert seen(store) == expected
