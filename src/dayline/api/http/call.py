"""What a handler gets: the request, the response, the services of the server, and threads for blocking work."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import falcon
import falcon.asgi
import msgspec
from msgspec import Struct

from dayline.access.audit import AuditTrail
from dayline.access.caller import Caller
from dayline.access.gate import Gate
from dayline.access.keyring import Clock
from dayline.access.limits import KeyUsages
from dayline.access.origins import HostRules, OriginRules
from dayline.access.peers import UNIX, Peers, Seen, is_loopback
from dayline.access.privacy import Privacy
from dayline.api.http.inner import App
from dayline.api.live.hub import Hub
from dayline.config.sections import Limits, ServerFacts
from dayline.insight.now.known import KnownCategories
from dayline.insight.now.watchers import Watchers
from dayline.maintenance.backups.keeper import BackupKeeper
from dayline.maintenance.findings.inspector import Inspector
from dayline.maintenance.health import Health, Readiness
from dayline.maintenance.jobs import Jobs
from dayline.maintenance.migration.finding import TheirDatabases
from dayline.maintenance.space import SpaceKeeper
from dayline.model.errors import DaylineError, Malformed, StoreBusy, TooLarge, Unavailable, WrongType
from dayline.model.health import Problem
from dayline.model.time import SECOND, Microseconds, clamp, format_timestamp, parse_parameter, parse_timestamp
from dayline.query.patterns.slow import SkippedRule
from dayline.query.processes.workers import Queries
from dayline.runtime.logs import LogRecords
from dayline.storage.access import AccessStore
from dayline.storage.store import Database, Store

T = TypeVar("T")

TURN_S: Final = 10.0  # that a read waits for a thread, before it is told to come back later
_OWN_THREADS: Final = 4


async def in_turn(read: Callable[[], T]) -> T:
    """Run a read on one of the threads for them. Raises StoreBusy where all are taken for long by others that wait."""
    has_begun = False

    def run() -> T:
        nonlocal has_begun
        has_begun = True
        return read()

    running = asyncio.get_running_loop().run_in_executor(None, run)
    try:
        await asyncio.wait({running}, timeout=TURN_S)
    except asyncio.CancelledError:
        running.cancel()
        raise
    if not has_begun:
        running.cancel()
        raise StoreBusy("too many reads wait for the database at present", hint="send it again in a few seconds")
    return await running


async def aside(function: Callable[[], T]) -> T:
    """Run what waits for no database: it is answered also while all reads wait for theirs."""
    return await asyncio.get_running_loop().run_in_executor(_own_threads(), function)


@cache
def _own_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_OWN_THREADS, thread_name_prefix="aside")


# How many bytes of bodies the server holds for callers that have not proved yet who they are.


UNPROVEN_BYTES: Final = 64 << 20


class BodyBudget:
    """One for all of them: as many connections as they like share these bytes."""

    def __init__(self, limit: int = UNPROVEN_BYTES) -> None:
        self._limit = limit
        self._used = 0

    @contextmanager
    def held(self) -> Generator[Callable[[int], None]]:
        """A function that takes bytes for one body until the block ends. It raises Unavailable if too few are left."""
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            if self._used + size > self._limit:
                raise Unavailable("the server holds too many large messages at the moment", hint="send it again")
            self._used += size
            held += size

        try:
            yield hold
        finally:
            self._used -= held


# What health reports of the watchers of one tenant: devices and watchers that have stopped.


# Health is answered also while the database cannot be read, and at once while others wait for it.
_WAIT_S: Final = 2.0
_TURN_S: Final = 0.3
_HINT: Final = "start what records there again; dayline status shows all watchers"


class WatcherHealth:
    """Used on the event loop. While the events cannot be read, it reports what was true when they last could."""

    def __init__(self, watchers: Watchers, store: Store, *, clock: Callable[[], Microseconds]) -> None:
        self._watchers = watchers
        self._store = store
        self._clock = clock
        self._problems: list[Problem] = []
        self._reading: asyncio.Task[None] | None = None
        self._has_begun = False

    async def problems(self) -> list[Problem]:
        """What has stopped, although it is expected to record."""
        if self._reading is None or self._reading.done():
            self._has_begun = False
            self._reading = asyncio.get_running_loop().create_task(self._read())
        await asyncio.wait({self._reading}, timeout=_TURN_S)
        if self._has_begun:
            await asyncio.wait({self._reading}, timeout=_WAIT_S - _TURN_S)
        return self._problems

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _read(self) -> None:
        try:
            self._problems = await in_turn(self._stopped)
        except DaylineError:
            return  # the database reports its own problems

    def _stopped(self) -> list[Problem]:
        self._has_begun = True
        buckets, now = list(self._store.buckets().values()), self._clock()
        verdicts, devices = self._watchers.all_verdicts(self._store, buckets, (), now=now)
        found = [
            _problem(f"nothing is recorded on {device}", verdict.last)
            for device, verdict in devices.items()
            if verdict.health == "silent" and verdict.last is not None
        ]
        for bucket in buckets:
            since = verdicts[bucket.id].silent_since
            if since is not None and devices[bucket.hostname].health != "silent":
                message = f"{bucket.id} records nothing, although {bucket.hostname} is in use"
                found.append(_problem(message, parse_timestamp(since)))
        return found


def _problem(message: str, last: Microseconds) -> Problem:
    since = format_timestamp(last // SECOND * SECOND)
    return Problem(kind="watcher", message=f"{message}: last recorded {since}", hint=_HINT, since=since)


# What a handler gets: the request, the response to fill, and what the server is made of.


P = ParamSpec("P")

UNDO_ID: Final = "Undo-Id"
REVISION: Final = "Revision"
JSON: Final = "application/json"
LOOK_FOR_CLIENT_S: Final = 0.1
DESTROYS: Final = "destroys"
_SENT_AHEAD: Final = 64 << 10
REFUSED_USER: Final = "refused_user"  # where the protocol leaves why the user at the other end is not served
CYCLE: Final = "cycle"  # where the protocol leaves what knows whether the client is still there
SHOWN_KEY: Final = "dayline.shown_key"  # what to call when a request has shown a valid key


class Services(Struct, frozen=True, kw_only=True):
    """Everything that handlers work with for one person: see `People`. Most of it is the same for all."""

    tenant: str
    store: Store
    access: AccessStore
    database: Database
    queries: Queries
    peers: Peers
    hosts: HostRules
    origins: OriginRules
    gate: Gate
    trail: AuditTrail
    privacy: Privacy
    backups: BackupKeeper
    health: Health
    readiness: Readiness
    jobs: Jobs
    their_databases: TheirDatabases
    facts: ServerFacts
    inspector: Inspector
    upkeep: SpaceKeeper
    watchers: Watchers
    watcher_health: WatcherHealth
    categories: KnownCategories
    stream: Hub
    base_path: str
    envelope_skew_s: int
    port: int
    clock: Clock
    limits: Limits
    key_usages: KeyUsages
    unproven_bodies: BodyBudget
    log_records: LogRecords
    hostname: str
    device_id: str
    version: str
    is_testing: bool
    is_file: bool  # the data are in a file, which this server looks after
    web_path: Path | None
    pages: Mapping[str, Path]


class Call(Struct, frozen=True, kw_only=True):
    """One request on its way through a handler. `params` are the decoded fields of the path.

    `store` and `access` are what this caller sees of the stores, for this one call: see `Store.once`. `services_of`
    gives the services of another person, for a call that turns out to be theirs.
    """

    request: falcon.asgi.Request
    response: falcon.asgi.Response
    params: dict[str, str]
    services: Services
    services_of: Callable[[str], Awaitable[Services]]
    caller: Caller
    seen: Seen
    store: Store
    access: AccessStore
    app: App

    @property
    def raw_path(self) -> str:
        """The path as it was sent, nothing decoded."""
        return bytes(self.request.scope["raw_path"]).decode("ascii")

    @property
    def has_final_slash(self) -> bool:
        """Whether the path ends with a slash. Routes do not care; the relative links of a page do."""
        return self.raw_path.endswith("/")

    @property
    def has_connection(self) -> bool:
        """Whether the answer goes to a connection of its own, rather than into an envelope or to a command."""
        return self.request.scope["state"].get(CYCLE) is not None

    @property
    def is_abandoned(self) -> bool:
        """Whether the client has gone: what is sent to it then goes nowhere, and nobody says so."""
        cycle = self.request.scope["state"].get(CYCLE)
        return bool(getattr(cycle, "disconnected", False))

    async def until_abandoned(self) -> None:
        """Return when the client has gone."""
        while not self.is_abandoned:
            await asyncio.sleep(LOOK_FOR_CLIENT_S)

    async def while_there(self, work: Coroutine[object, object, T]) -> T:
        """Wait for something for as long as the client is there; raise Unavailable, and give it up, when it is not."""
        running = asyncio.ensure_future(work)
        watching = asyncio.ensure_future(self.until_abandoned())
        try:
            await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise Unavailable("the client has gone")
            return running.result()
        finally:
            running.cancel()
            watching.cancel()

    def hang_up(self) -> None:
        """End the connection in the middle of an answer: all that is left to do when the rest of it cannot be had."""
        cycle = self.request.scope["state"].get(CYCLE)
        transport: asyncio.Transport | None = getattr(cycle, "transport", None)
        if cycle is not None and transport is not None:
            cycle.disconnected = True  # or else what was promised and not sent would be taken for a defect
            transport.abort()

    def send_little_ahead(self) -> None:
        """Have the system take little that the client does not read, for an answer that is of use only at once."""
        cycle = self.request.scope["state"].get(CYCLE)
        transport: asyncio.Transport | None = getattr(cycle, "transport", None)
        sock = None if transport is None else transport.get_extra_info("socket")
        if sock is not None and transport is not None and not transport.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD)
            self.response.set_header("Connection", "close")  # what came next on it would be slow

    async def note_as(self, caller: Caller, name: str, *, status: int) -> None:
        """Write a call to the audit trail of a caller who is known only by what was sent, not by the request."""
        trail = (await self.services_of(caller.tenant)).trail
        trail.note(caller, address=self.seen.address, call=name, bucket="", status=status)

    def note_destruction(self) -> None:
        """Say that this call destroys something, though calls of its kind usually do not: for the audit trail."""
        self.request.context[DESTROYS] = True

    @property
    def client(self) -> str:
        """Who waits in the same line for a query process."""
        return query_client(self.caller, self.seen.address, self.request.user_agent or "")

    def tell_undo(self, act: int | None) -> None:
        """Say what undoes this call, if anything does."""
        if act is not None:
            self.response.set_header(UNDO_ID, str(act))

    def tell_revision(self) -> None:
        """Say how far the store has come by now, unless the caller would learn what happens in buckets of others."""
        if self.caller.buckets.is_all:
            self.response.set_header(REVISION, str(self.store.revision))

    def warn_of_skipped_rules(self, rules: Sequence[SkippedRule]) -> None:
        """Add a `Warning` that names the rules which the answer did without, if the caller may see rules."""
        if not rules:
            return
        names = ", ".join(f"{rule.pattern[:80]!a} of {' > '.join(rule.label)[:80]!a}" for rule in rules[:3])
        more = f" and {len(rules) - 3} more" if len(rules) > 3 else ""
        what = f"{names}{more}" if self.caller.buckets.is_all else "of a category"
        text = f"skipped a rule that takes too long: {what}".replace("\\", "\\\\").replace('"', r"\"")
        self.response.append_header("Warning", f'199 dayline "{text}"')

    def answer_json(self, body: bytes) -> None:
        self.response.content_type = JSON
        self.response.data = body

    def answer_value(self, value: object) -> None:
        self.answer_json(msgspec.json.encode(value))

    @property
    def content_kind(self) -> str:
        """The type of the body without its parameters, in lower case; empty where none is given."""
        return (self.request.content_type or "").partition(";")[0].strip().lower()

    def check_json_type(self) -> None:
        """Raise WrongType unless the body is declared as JSON: what forces a preflight on hostile web pages."""
        kind = self.content_kind
        if kind != JSON:
            raise WrongType(
                f"the body must be sent as {JSON}, not as {kind or 'nothing'}", hint=f"Content-Type: {JSON}"
            )

    async def json_body(self, *, limit: int | None = None) -> bytes:
        """The body of a call that takes JSON, of at most `limit` bytes. Raises WrongType or TooLarge."""
        self.check_json_type()
        chunks = [chunk async for chunk in self.body_chunks(limit or self.services.limits.body_mib << 20)]
        return b"".join(chunks)

    async def body_chunks(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it arrives, of at most so many bytes. Raises TooLarge as soon as it is larger, and TooMany."""
        size, usage = 0, self.services.key_usages.of(self.caller)
        if (self.request.content_length or 0) > limit:
            raise _too_large(limit)
        async for chunk in self.request.stream:
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            if usage is not None:
                usage.take_bytes(len(chunk))
            yield chunk

    def moment(self, name: str) -> Microseconds | None:
        """A time from the URL, moved into the range that events can have; None where it is not given."""
        text = self.request.get_param(name)
        if text is None:
            return None
        try:
            return clamp(parse_parameter(text))
        except ValueError as error:
            raise Malformed(f"{name}: {error}", field=name) from error

    def number(self, name: str) -> int | None:
        """A number from the URL, from 1 on; None where it is not given."""
        text = self.request.get_param(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0):
            raise Malformed(f"{name}: {text[:40]!r} is not a number from 1 on", field=name)
        return int(text)

    def path_number(self, name: str) -> int | None:
        """A number in the path; None for what is none."""
        text = self.params[name]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


Handler = Callable[[Call], Awaitable[None]]


def query_client(caller: Caller, address: str, user_agent: str) -> str:
    """The name of a caller in the queue for query processes: its key, or else its address.

    Programs on this machine without a key differ in their name alone. Elsewhere a name proves nothing: one caller
    could use many.
    """
    if caller.key_id:
        return f"key {caller.key_id}"
    return f"{address} {user_agent}" if address == UNIX or is_loopback(address) else address


def _too_large(limit: int) -> TooLarge:
    size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
    return TooLarge(f"the body is larger than {size}, the limit of this call")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a read on a thread, so that the loop goes on recording. Raises StoreBusy where none is free for long."""
    return await in_turn(lambda: function(*args, **kwargs))


async def pages_in_thread(call: Call, pages: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read page after page on threads, each when the client has taken the one before, until it has enough."""
    while not call.is_abandoned and (page := await in_thread(next, pages, None)) is not None:
        yield page


# The people whose data this server serves: for each of them services of their own, opened when they first call.


class People:
    """Services by tenant. Used on the event loop. `own` are of the person without a name, and there from the start."""

    def __init__(self, own: Services, open_person: Callable[[str], Awaitable[Services]]) -> None:
        self.own = own
        self._open_person = open_person
        self._services = {own.tenant: own}
        self._opening: dict[str, asyncio.Task[Services]] = {}
        self._is_looking_after = False
        self._is_stopping = False

    def at_hand(self, tenant: str) -> Services | None:
        """The services of somebody whose data are open; None where they are not yet."""
        return self._services.get(tenant)

    def all(self) -> list[Services]:
        """Those that are open."""
        return list(self._services.values())

    async def find(self, tenant: str) -> Services:
        """The services of somebody. Raises Unavailable errors, and Invalid where the data are one person's alone."""
        found = self._services.get(tenant)
        if found is not None:
            return found
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="send it again when it is back")
        opening = self._opening.get(tenant)
        if opening is None:
            opening = self._opening[tenant] = asyncio.get_running_loop().create_task(self._opened(tenant))
            opening.add_done_callback(_hear)
        # Others may wait for the same: whoever goes away does not stop it.
        return await asyncio.shield(opening)

    def look_after(self) -> None:
        """Begin with the upkeep of everybody's data, also of those who come later."""
        self._is_looking_after = True
        for services in self.all():
            services.upkeep.start()

    def tick(self) -> None:
        """To be called once a second."""
        for services in self.all():
            services.stream.tick()

    def stop(self) -> None:
        """End what is open for long, and open nobody's data any more."""
        self._is_stopping = True
        for services in self.all():
            services.stream.stop()

    async def close(self) -> None:
        """Finish everybody's work."""
        self.stop()
        if self._opening:
            await asyncio.wait(list(self._opening.values()))
        for services in self.all():
            await services.stream.close()
            await services.watcher_health.close()
            await services.jobs.close()
            await services.inspector.close()
            await services.upkeep.close()
            await services.trail.close()

    async def _opened(self, tenant: str) -> Services:
        try:
            services = self._services[tenant] = await self._open_person(tenant)
            if self._is_looking_after:
                services.upkeep.start()
            return services
        finally:
            del self._opening[tenant]


def _hear(opening: "asyncio.Task[Services]") -> None:
    """Take note of an error, though everybody who waited may have gone."""
    if not opening.cancelled():
        opening.exception()
