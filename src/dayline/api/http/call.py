"""What a handler gets: the request, the response to fill, and the services of the server and the tenant."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Final, TypeVar

import falcon
import falcon.asgi
import msgspec
from msgspec import Struct

from dayline.access.caller import Caller
from dayline.access.peers import UNIX, Seen, is_loopback
from dayline.api.http.inner import App
from dayline.api.http.services import ServerServices, TenantServices
from dayline.model.errors import Malformed, TooLarge, Unavailable, WrongType
from dayline.model.time import Microseconds, clamp, parse_parameter
from dayline.query.patterns.slow import SkippedRule
from dayline.runtime.threads import in_thread
from dayline.storage.access import AccessStore
from dayline.storage.store import Store

T = TypeVar("T")

UNDO_ID: Final = "Undo-Id"
REVISION: Final = "Revision"
JSON: Final = "application/json"
LOOK_FOR_CLIENT_S: Final = 0.1
DESTROYS: Final = "destroys"
_SENT_AHEAD: Final = 64 << 10
REFUSED_USER: Final = "refused_user"  # where the protocol leaves why the user at the other end is not served
CYCLE: Final = "cycle"  # where the protocol leaves what knows whether the client is still there
SHOWN_KEY: Final = "dayline.shown_key"  # what to call when a request has shown a valid key


class Call(Struct, frozen=True, kw_only=True):
    """One request on its way through a handler. `params` are the decoded fields of the path.

    `store` and `access` are what this caller sees of the stores, for this one call: see `Store.once`. `tenant_of`
    gives the services of another tenant, for a call that turns out to be its own.
    """

    request: falcon.asgi.Request
    response: falcon.asgi.Response
    params: dict[str, str]
    tenant: TenantServices
    tenant_of: Callable[[str], Awaitable[TenantServices]]
    caller: Caller
    seen: Seen
    store: Store
    access: AccessStore
    app: App

    @property
    def server(self) -> ServerServices:
        """What all tenants share."""
        return self.tenant.server

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
        trail = (await self.tenant_of(caller.tenant)).trail
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
        chunks = [chunk async for chunk in self.body_chunks(limit or self.server.limits.body_mib << 20)]
        return b"".join(chunks)

    async def body_chunks(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it arrives, of at most so many bytes. Raises TooLarge as soon as it is larger, and TooMany."""
        size, usage = 0, self.server.key_usages.of(self.caller)
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


async def pages_in_thread(call: Call, pages: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read page after page on threads, each when the client has taken the one before, until it has enough."""
    while not call.is_abandoned and (page := await in_thread(next, pages, None)) is not None:
        yield page
