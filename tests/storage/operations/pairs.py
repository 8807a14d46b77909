"""Two operations that meet: one runs in slices of ten events, the other arrives between two of its slices.

A `World` is a small store in which every operation of OPERATIONS meets every other one, mostly in the bucket `window`.
What an operation needs (a merge to undo, a redaction to make final) is made first, by its preparations.
"""

import asyncio
import importlib
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import pytest
from msgspec import Struct, field

import dayline.storage.transfer.imports as imports
from dayline.model.data import canonical_json
from dayline.model.edits.selection import Selection
from dayline.model.errors import Conflict, DaylineError
from dayline.model.event import Event
from dayline.model.privacy.redaction import RedactionOrder
from dayline.model.time import SECOND, Microseconds, format_timestamp, now_us, parse_timestamp
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.opening import Database
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.writing.writer import Writer as PostgresWriter
from dayline.storage.retention.upkeep import Upkeep
from dayline.storage.sqlite.writing.writer import Writer as SqliteWriter
from dayline.storage.store import Store
from dayline.storage.transfer.staging import StagingResult, StagingRules
from dayline.storage.transfer.staging_worker import stage
from tests.support.privacy import rule
from tests.support.storage.engines import Engine, Engines, SqliteEngine
from tests.support.storage.opened import BEGIN, bucket, events_of, sent
from tests.support.storage.redacting import order, planned_in_this_process
from tests.support.waiting import eventually_async

SLICE: Final = 10  # events
MEETING: Final = 3  # changes after which an operation in slices has begun and is not over
GAP: Final = 30 * SECOND
# How long an operation waits at a slice for the one that arrives, unless that waits for a lock. Whatever comes of it
# has to be right; a longer time only makes it more likely that the second one is through by then.
MEETING_S: Final = 2.0

Work = Callable[["World"], Awaitable[object]]


class World(Struct, eq=False):
    """An open store. `undo_ids` has what the preparations made."""

    engine: Engine
    store: Store
    upkeep: Upkeep
    background: BackgroundWorkers
    undo_ids: dict[str, int] = field(default_factory=dict[str, int])


class Operation(Struct, frozen=True):
    """One of two that meet. `needs` are names of PREPARATIONS. `is_final`: it cannot be undone."""

    run: Work
    needs: tuple[str, ...] = ()
    is_final: bool = False
    is_sliced: bool = True


def _events(first: int, count: int, *, title: str = "secret", app: str = "app") -> list[Event]:
    """Events 30 s apart: half of them different from all others, half of them ten times the same."""
    return [
        Event(
            start=BEGIN + number * GAP,
            duration=20 * SECOND,
            data=canonical_json({"app": app, "title": f"{title} {number if number % 20 < 10 else number // 20}"}),
        )
        for number in range(first, first + count)
    ]


async def _fill(world: World) -> None:
    """The buckets of the first export."""
    for bucket_id, events in (
        ("window", _events(0, 80)),
        ("other", _events(60, 30, app="other")),
        ("third", _events(100, 30, app="third")),
        ("spare", _events(0, 30, app="spare")),
    ):
        await world.store.create_bucket(bucket(bucket_id))
        await world.store.insert(bucket_id, events)


async def _delete_former(world: World) -> None:
    """A deleted bucket whose id is taken by a new one: restoring it merges both."""
    await world.store.create_bucket(bucket("window"))
    await world.store.insert("window", _events(200, 30, app="former"))
    world.undo_ids["former"] = await world.store.delete_bucket("window")


async def _delete_junk(world: World) -> None:
    """Something that emptying the trash removes in slices."""
    await world.store.create_bucket(bucket("junk"))
    await world.store.insert("junk", _events(0, 40, app="junk"))
    await world.store.delete_bucket("junk")


async def _delete_spare(world: World) -> None:
    world.undo_ids["spare"] = await world.store.delete_bucket("spare")


async def _merge_third(world: World) -> None:
    world.undo_ids["merge"] = (await world.store.moves.merge("third", "window")).undo or 0


async def _delete_some(world: World) -> None:
    world.undo_ids["events"] = (await world.store.edits.delete_selected(_selected(20, 60))).undo or 0


async def _redact_some(world: World) -> None:
    world.undo_ids["redaction"] = (await world.store.redactions.apply(_secrets("secret [0-9]*[4-9]$"))).id


# In the order in which they are made; the first export is that of FIRST and `_fill`.
FIRST: Final[dict[str, Work]] = {"former": _delete_former, "junk": _delete_junk}
PREPARATIONS: Final[dict[str, Work]] = {
    "spare": _delete_spare,
    "merge": _merge_third,
    "events": _delete_some,
    "redaction": _redact_some,
}


def _selected(first: int, end: int) -> Selection:
    return Selection(bucket="window", start=BEGIN + first * GAP, end=BEGIN + end * GAP)


def _secrets(pattern: str) -> RedactionOrder:
    """Most texts become the same one, some are dropped."""
    return order(rule("secret [0-9]*7$", action="drop"), rule(pattern))


def _undo(name: str) -> Work:
    return lambda world: world.store.trash.undo(world.undo_ids[name])


async def _import(world: World) -> None:
    events = [
        {"timestamp": format_timestamp(event.start + SECOND), "duration": 2, "data": msgspec.json.decode(event.data)}
        for event in _events(10, 40, app="imported")
    ]
    head = {"type": "test.type", "client": "test-client", "hostname": "laptop", "created": format_timestamp(BEGIN)}
    with tempfile.NamedTemporaryFile() as file:
        file.write(msgspec.json.encode({"buckets": {"window": {**head, "events": events}}}))
        file.flush()
        await world.store.import_files([Path(file.name)])


async def _purge(world: World) -> None:
    await world.store.trash.empty()
    await eventually_async(lambda: world.engine.select("SELECT 1 FROM bucket WHERE id = 'junk'") == [])


async def _record(world: World) -> None:
    recorded = Event(start=BEGIN + 1000 * GAP, data=canonical_json({"app": "recorded"}))
    await sent(world.store, "window", recorded)


OPERATIONS: Final[dict[str, Operation]] = {
    "undo of a deletion": Operation(_undo("events"), ("events",)),
    "deletion": Operation(lambda world: world.store.edits.delete_selected(_selected(10, 80))),
    "merge": Operation(lambda world: world.store.moves.merge("window", "other")),
    "undo of a merge": Operation(_undo("merge"), ("merge",)),
    "rename": Operation(lambda world: world.store.moves.rename("window", "renamed"), is_sliced=False),
    "delete": Operation(lambda world: world.store.delete_bucket("window"), is_sliced=False),
    "restore": Operation(_undo("spare"), ("spare",), is_sliced=False),
    "restore and merge": Operation(_undo("former"), ("former",)),
    "redaction": Operation(lambda world: world.store.redactions.apply(_secrets("secret"))),
    "undo of a redaction": Operation(
        lambda world: world.store.redactions.undo(world.undo_ids["redaction"]), ("redaction",)
    ),
    "final redaction": Operation(
        lambda world: world.store.redactions.make_final(world.undo_ids["redaction"]), ("redaction",), is_final=True
    ),
    "downsampling": Operation(lambda world: world.upkeep.downsample({"window": 1})),
    "import": Operation(_import),
    "purge": Operation(_purge, ("junk",), is_final=True),
    "recording": Operation(_record, is_sliced=False),
}


# Slices.


_SLICE_ROWS: Final = {  # constants that decide how large slices are, and what is done in a single one
    "dayline.storage.operations.background:SLICE_ROWS": 4 * SLICE,
    "dayline.storage.history.merges:SMALL": 0,
    "dayline.storage.history.purge:SLICE_ROWS": SLICE,
    "dayline.storage.history.trash:SLICE_ROWS": SLICE,
    "dayline.storage.history.undoing:AT_ONCE": SLICE,
    "dayline.storage.postgres.transfer.imports:SLICE_ROWS": 4 * SLICE,
    "dayline.storage.postgres.writing.writer:SLICE_ROWS": SLICE,
}


class Gate:
    """Does something once, after the given number of changes, before the one who made the last continues."""

    def __init__(self, after: int, action: Callable[[], Awaitable[object]]) -> None:
        self._left = after
        self._action = action

    @property
    def is_passed(self) -> bool:
        return self._left <= 0

    async def note_change(self) -> None:
        self._left -= 1
        if self._left == 0:
            await self._action()

    async def open(self) -> None:
        """Do it now, if there were too few changes."""
        if not self.is_passed:
            self._left = 0
            await self._action()


@contextmanager
def in_slices(gate: Gate | None = None) -> Generator[None]:
    """Run long operations in slices of ten events, in this process, and pass the gate after each of their changes."""
    with planned_in_this_process(), pytest.MonkeyPatch.context() as patch:
        for name, rows in _SLICE_ROWS.items():
            module, _, constant = name.partition(":")
            patch.setattr(importlib.import_module(module), constant, rows, raising=False)
        patch.setattr(SlicePace, "note", _keep_pace)
        patch.setattr(imports, "run_staging", _stage_here)
        for writer in (SqliteWriter, PostgresWriter):
            if gate is not None:
                patch.setattr(writer, "change", _gated(writer.change, gate))
        yield


def _keep_pace(_pace: SlicePace, _rows: int, _seconds: float) -> None:
    """Slices stay as large as they are."""


def _gated(change: Callable[..., Awaitable[Any]], gate: Gate) -> Callable[..., Awaitable[Any]]:
    async def gated(*arguments: Any, **options: Any) -> Any:
        result = await change(*arguments, **options)
        await gate.note_change()
        return result

    return gated


async def _stage_here(path: Path, documents: list[Path], rules: StagingRules) -> StagingResult:
    """Do what a child process would do."""
    return stage(path, documents, rules)


# Worlds.


class Prepared(Struct, frozen=True):
    """A world that is not open. `base` is the export before its preparations."""

    engine: Engine
    undo_ids: dict[str, int]
    base: bytes


class State(Struct, frozen=True):
    """What a client sees, without the ids of events, which depend on the order of operations."""

    aliases: list[tuple[str, str]]
    buckets: dict[str, object]
    events: dict[str, list[bytes]]

    def difference(self, other: "State") -> str:
        """What to look at first."""
        lines = [f"{name}: {getattr(self, name)} and {getattr(other, name)}" for name in ("aliases", "buckets")]
        for bucket_id in sorted(self.events.keys() | other.events.keys()):
            ours, theirs = Counter(self.events.get(bucket_id, ())), Counter(other.events.get(bucket_id, ()))
            more, less = ours - theirs, theirs - ours
            lines.append(f"{bucket_id}: {ours.total()} and {theirs.total()} events, +{[*more][:2]} -{[*less][:2]}")
        return "\n".join(lines)


class Outcome(Struct, frozen=True):
    """What became of two operations: their errors, and the state after them."""

    errors: tuple[DaylineError | None, DaylineError | None]
    state: State


class Worlds:
    """Makes worlds on new engines of one kind. Serial runs, with which meetings are compared, are made once."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._server: Database | None = None
        self._templates: dict[frozenset[str], Prepared] = {}
        self._serial: dict[tuple[frozenset[str], tuple[str, ...]], Outcome] = {}

    async def prepared(self, needs: frozenset[str]) -> Prepared:
        """A new world. A file is prepared once and copied."""
        template = self._templates.get(needs)
        if template is None:
            template = await self._prepare(self._engines.new(), needs)
            if not isinstance(template.engine, SqliteEngine):
                return template
            self._templates[needs] = template
        copy = self._engines.new()
        assert isinstance(template.engine, SqliteEngine)
        assert isinstance(copy, SqliteEngine)
        shutil.copyfile(template.engine.path, copy.path)
        return Prepared(copy, template.undo_ids, template.base)

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        """Use one server for all worlds that are tenants of a database."""
        engine = self._engines.new()
        if isinstance(engine, SqliteEngine):
            yield
            return
        self._server = engine.open()
        try:
            yield
        finally:
            await self._server.close()
            self._server = None

    def opened(self, prepared: Prepared) -> AbstractAsyncContextManager[World]:
        return opened_world(prepared, self._server)

    async def _prepare(self, engine: Engine, needs: frozenset[str]) -> Prepared:
        async with self.opened(Prepared(engine, {}, b"")) as world:
            with planned_in_this_process():
                for name, prepare in FIRST.items():
                    if name in needs:
                        await prepare(world)
                await _fill(world)
                base = exported(world.store)
                for name, prepare in PREPARATIONS.items():
                    if name in needs:
                        await prepare(world)
        return Prepared(engine, world.undo_ids, base)

    async def serial(self, needs: frozenset[str], *names: str) -> Outcome:
        """What becomes of operations that run one after the other."""
        if (needs, names) not in self._serial:
            async with self.opened(await self.prepared(needs)) as world:
                with in_slices():
                    errors = [await _error_of(OPERATIONS[name].run(world)) for name in names]
                first, second = (*errors, None)[:2]
                self._serial[needs, names] = Outcome((first, second), state_of(world.store))
        return self._serial[needs, names]


@asynccontextmanager
async def opened_world(prepared: Prepared, server: Database | None = None) -> AsyncGenerator[World]:
    """A world on a running server, or else on one that ends with it."""
    engine = prepared.engine
    database = server or engine.open()
    try:
        store, upkeep = database.store(engine.tenant), database.upkeep_of(engine.tenant)
        yield World(engine, store, upkeep, database.background, dict(prepared.undo_ids))
    finally:
        if server is None:
            await database.close()


_ALWAYS_RUNNING: Final = "listener for other servers"


async def until_idle(world: World) -> None:
    """Return when all that a start of the server has begun in the background is done."""
    await asyncio.sleep(0)  # every task has started then

    def is_idle() -> bool:
        states = [work for work in world.background.states(world.engine.tenant) if work.name != _ALWAYS_RUNNING]
        now = format_timestamp(now_us())
        return all(work.state != "running" and not (work.next_run and work.next_run <= now) for work in states)

    await eventually_async(is_idle)


async def _error_of(work: Awaitable[object]) -> DaylineError | None:
    try:
        await work
    except DaylineError as error:
        return error
    return None


def state_of(store: Store) -> State:
    buckets = store.buckets()
    return State(
        _aliases(store),
        {bucket_id: msgspec.to_builtins(found) for bucket_id, found in buckets.items()},
        {bucket_id: sorted(_without_ids(events_of(store, bucket_id))) for bucket_id in buckets},
    )


def exported(store: Store) -> bytes:
    """Everything byte for byte, except for events that were recorded or imported, which no undo removes."""
    return msgspec.json.encode([_aliases(store), [_exported_bucket(store, bucket_id) for bucket_id in store.buckets()]])


def _exported_bucket(store: Store, bucket_id: str) -> object:
    """The bucket with its events. Its range is compared with all of its events instead."""
    found, events = store.bucket(bucket_id), events_of(store, bucket_id)
    spans = [(parse_timestamp(event["timestamp"]), round(event["duration"] * SECOND)) for event in events]
    extent: tuple[Microseconds | None, Microseconds | None] = (None, None)
    if spans:
        extent = min(start for start, _ in spans), max(start + duration for start, duration in spans)
    assert (found.start, found.end) == extent, f"the range of {bucket_id} is not that of its events"
    kept = [event for event in events if event["data"]["app"] not in ("recorded", "imported")]
    return {**msgspec.to_builtins(found), "start": None, "end": None, "events": kept}


def _aliases(store: Store) -> list[tuple[str, str]]:
    return [(alias.id, alias.bucket) for alias in store.moves.aliases()]


def _without_ids(events: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    return (msgspec.json.encode({**event, "id": None}) for event in events)


async def undo_everything(world: World) -> bool:
    """Undo all operations, the newest first; False if a deleted bucket cannot be restored since its id is taken."""
    is_complete = True
    former = world.undo_ids.get("former")
    skipped: set[int] = set()
    while items := [item for item in world.store.trash.all() if item.id not in skipped]:
        try:
            await world.store.trash.undo(items[0].id, is_merging=False)
        except Conflict:
            if items[0].kind != "delete_bucket" or items[0].bucket not in world.store.buckets():
                raise
            skipped.add(items[0].id)
            is_complete = is_complete and items[0].id == former
    return is_complete


# Pairs.


async def check_pair(worlds: Worlds, first: str, second: str, *, after: int) -> None:
    """Let the second operation arrive after this many changes of the first one, and compare with both serial orders."""
    needs = frozenset((*OPERATIONS[first].needs, *OPERATIONS[second].needs))
    async with worlds.serving():
        prepared = await worlds.prepared(needs)
        async with worlds.opened(prepared) as world:
            met = await _meet(world, OPERATIONS[first], OPERATIONS[second], after=after)
            await _check_state(worlds, needs, first, second, met)
            if not (OPERATIONS[first].is_final or OPERATIONS[second].is_final):
                await check_undo(world, prepared.base)


async def check_undo(world: World, base: bytes) -> None:
    """Undoing everything restores the first export."""
    with in_slices():
        is_complete = await undo_everything(world)
    assert not is_complete or exported(world.store) == base, "undoing everything restores another state"


async def _meet(world: World, first: Operation, second: Operation, *, after: int) -> Outcome:
    arrived: list[asyncio.Task[DaylineError | None]] = []

    async def arrive() -> None:
        arrived.append(asyncio.create_task(_error_of(second.run(world))))
        with _lock_waits() as is_waiting:
            waiting = asyncio.create_task(is_waiting.wait())
            await asyncio.wait([*arrived, waiting], timeout=MEETING_S, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()

    await until_idle(world)
    gate = Gate(after, arrive)
    with in_slices(gate):
        first_error = await _error_of(first.run(world))
        if first.is_sliced and first_error is None and after <= MEETING:
            assert gate.is_passed, "the operation is not made in slices"
        await gate.open()
        errors = first_error, await arrived[0]
    return Outcome(errors, state_of(world.store))


@contextmanager
def _lock_waits() -> Generator[asyncio.Event]:
    """The event is set when a task has to wait for a lock."""
    is_waiting, acquire = asyncio.Event(), asyncio.Lock.acquire

    async def noted(lock: asyncio.Lock) -> Literal[True]:
        if lock.locked():
            is_waiting.set()
        return await acquire(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Lock, "acquire", noted)
        yield is_waiting


async def _check_state(worlds: Worlds, needs: frozenset[str], first: str, second: str, met: Outcome) -> None:
    first_error, second_error = met.errors
    if second_error is not None:
        assert first_error is None, f"both fail: {first_error!r}, {second_error!r}"
        await _check_rejected(worlds, needs, (first, second), second_error)
        allowed = [await worlds.serial(needs, first)]
    elif first_error is not None:
        await _check_rejected(worlds, needs, (second, first), first_error)
        allowed = [await worlds.serial(needs, second)]
    else:
        allowed = [await worlds.serial(needs, first, second), await worlds.serial(needs, second, first)]
    differences = "\n\n".join(met.state.difference(outcome.state) for outcome in allowed)
    assert any(met.state == outcome.state for outcome in allowed), (
        f"no serial order gives this state; errors: {met.errors}\n{differences}"
    )


async def _check_rejected(worlds: Worlds, needs: frozenset[str], order: tuple[str, str], error: DaylineError) -> None:
    """An operation is rejected because of the other one, or as it is if it runs after it."""
    if not isinstance(error, Conflict):
        _, expected = (await worlds.serial(needs, *order)).errors
        assert type(error) is type(expected), f"{error!r} instead of {expected!r}"
