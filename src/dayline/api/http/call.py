"""The argument of a handler: the request, the response, and the services of the server and the tenant."""

import asyncio
import re
import socket
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

import falcon
import falcon.asgi
import msgspec
from falcon import ETag
from msgspec import Struct

from dayline.access.peers import UNIX, RequestOrigin, is_loopback
from dayline.api.http.inner import App
from dayline.api.http.services import ServerServices, TenantServices
from dayline.model.access import Caller, Once
from dayline.model.data import decode_body
from dayline.model.errors import ClientGone, Malformed, NotFound, Stale, TooLarge, WrongType
from dayline.model.time import SECOND, Microseconds, clamp, parse_parameter
from dayline.model.upkeep.undo import JournalNote
from dayline.query.patterns.limits import SkippedRule
from dayline.runtime.threads import in_thread
from dayline.storage.access import AccessStore
from dayline.storage.store import Store

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

T = TypeVar("T")

UNDO_ID: Final = "Undo-Id"
UNDO_GROUP: Final = "Undo-Group"
_MAX_GROUP_CHARACTERS: Final = 64
REVISION: Final = "Revision"
JSON: Final = "application/json"
CLIENT_POLL_S: Final = 0.1
DESTROYS: Final = "destroys"
_SEND_BUFFER_BYTES: Final = 64 << 10
_USER_AGENT_CHARACTERS: Final = 200  # the names of clients are remembered
_PAGE_ITEMS: Final = 100
_MAX_PAGE_ITEMS: Final = 1000
REFUSED_USER: Final = "refused_user"  # state key: why the local user of this connection is rejected
PEER_USER: Final = "peer_user"  # state key: function that returns the local user of this connection
CYCLE: Final = "cycle"  # state key: weak reference to uvicorn's cycle, which knows whether the client is connected
SHOWN_KEY: Final = "dayline.shown_key"  # state key: function to call when a request had a valid key


class Call(Struct, frozen=True, kw_only=True):
    """One request. `params` are the decoded fields of the path.

    `store` and `access` are limited to what this caller may access, for this one call: see `Store.once`. `tenant_of`
    returns the services of another tenant, for calls that find out their tenant from the body.
    """

    request: falcon.asgi.Request
    response: falcon.asgi.Response
    params: dict[str, str]
    tenant: TenantServices
    tenant_of: Callable[[str], Awaitable[TenantServices]]
    caller: Caller
    origin: RequestOrigin
    store: Store
    access: AccessStore
    app: App

    @property
    def server(self) -> ServerServices:
        """What all tenants share."""
        return self.tenant.server

    @property
    def raw_path(self) -> str:
        """The path as it was sent, without decoding."""
        return bytes(self.request.scope["raw_path"]).decode("ascii")

    @property
    def has_final_slash(self) -> bool:
        """Whether the path ends with a slash. It matters for relative links in pages, not for routes."""
        return self.raw_path.endswith("/")

    @property
    def has_connection(self) -> bool:
        """Whether the response goes to a connection, not into an envelope or to a command."""
        return CYCLE in self.request.scope["state"]

    @property
    def _cycle(self) -> "RequestResponseCycle | None":
        """uvicorn's cycle of this request; None without a connection, and if it is gone."""
        cycle: weakref.ref[RequestResponseCycle] | None = self.request.scope["state"].get(CYCLE)
        return None if cycle is None else cycle()

    @property
    def is_abandoned(self) -> bool:
        """Whether the client has disconnected. Writing to it does not raise an error."""
        return self.has_connection and getattr(self._cycle, "disconnected", True)

    async def until_abandoned(self) -> None:
        """Return when the client has disconnected."""
        while not self.is_abandoned:
            await asyncio.sleep(CLIENT_POLL_S)

    async def while_there(self, work: Coroutine[object, object, T]) -> T:
        """Wait for `work`. If the client disconnects, cancel it and raise ClientGone."""
        running = asyncio.ensure_future(work)
        watching = asyncio.ensure_future(self.until_abandoned())
        try:
            await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise ClientGone("the client has disconnected")
            return running.result()
        finally:
            running.cancel()
            watching.cancel()

    def hang_up(self) -> None:
        """Abort the connection during a response, if the rest of it is not available."""
        cycle = self._cycle
        if cycle is not None:
            cycle.disconnected = True  # otherwise uvicorn logs the incomplete response as an error
            cycle.transport.abort()

    def send_little_ahead(self) -> None:
        """Use a small send buffer, for responses that are useful only if the client reads them at once."""
        cycle = self._cycle
        transport: asyncio.Transport | None = getattr(cycle, "transport", None)
        sock = None if transport is None else transport.get_extra_info("socket")
        if sock is not None and transport is not None and not transport.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
            self.response.set_header("Connection", "close")  # later requests on it would be slow

    async def note_as(self, caller: Caller, name: str, *, status: int) -> None:
        """Write a call to the audit log of a caller who was identified by the body of the request."""
        audit_log = (await self.tenant_of(caller.tenant)).audit_log
        audit_log.note(caller, address=self.origin.address, call=name, bucket="", status=status)

    def note_destruction(self) -> None:
        """Mark this call as destructive in the audit log, although calls of its route usually are not."""
        self.request.context[DESTROYS] = True

    @property
    def client(self) -> str:
        """The name of the caller in the queue for query processes."""
        return query_client(self.caller, self.origin.address, self.request.user_agent or "")

    def set_undo(self, undo_id: int | None) -> None:
        """Set the header with the undo entry of this call, if there is one."""
        if undo_id is not None:
            self.response.set_header(UNDO_ID, str(undo_id))

    def set_revision(self) -> None:
        """Set the header with the store's revision, unless the caller is limited to some buckets."""
        if self.caller.buckets.is_all:
            self.response.set_header(REVISION, str(self.store.revision))

    def warn_of_skipped_rules(self, rules: Sequence[SkippedRule]) -> None:
        """Add a `Warning` header with the rules that were skipped. Their text is only for callers who may see rules."""
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

    def answer_value(self, value: object, *, status: int | None = None) -> None:
        if status is not None:
            self.response.status = status
        self.answer_json(msgspec.json.encode(value))

    @property
    def content_kind(self) -> str:
        """The media type of the body without parameters, in lower case; empty if there is none."""
        return (self.request.content_type or "").partition(";")[0].strip().lower()

    def check_json_type(self) -> None:
        """Raise WrongType unless the body is declared as JSON, which forces a preflight on pages of other sites."""
        kind = self.content_kind
        if kind != JSON:
            raise WrongType(
                f"the Content-Type must be {JSON} (got {kind or 'none'})", hint=f"send the header Content-Type: {JSON}"
            )

    async def json_body(self, *, limit: int | None = None) -> bytes:
        """The body of a call that accepts JSON, of at most `limit` bytes. Raises WrongType or TooLarge."""
        self.check_json_type()
        chunks = [chunk async for chunk in self.body_chunks(limit or self.server.limits.body_mib << 20)]
        return b"".join(chunks)

    async def decoded(self, kind: type[T], *, limit: int | None = None) -> T:
        """The body as a value of that type. Raises WrongType, TooLarge, Malformed or Invalid."""
        return decode_body(await self.json_body(limit=limit), kind)

    async def body_chunks(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises TooLarge as soon as it exceeds `limit` bytes, and TooMany."""
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

    def time(self, name: str) -> Microseconds | None:
        """A time from the query string, clamped to the range of events; None if it is missing."""
        text = self.request.get_param(name)
        if text is None:
            return None
        try:
            return clamp(parse_parameter(text))
        except ValueError as error:
            raise Malformed(f"{name}: {error}", field=name) from error

    def number(self, name: str) -> int | None:
        """A positive integer from the query string; None if it is missing."""
        text = self.request.get_param(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0):
            raise Malformed(f"{name} must be a positive whole number (got {text[:40]!r})", field=name)
        return int(text)

    def flag(self, name: str, *, default: bool) -> bool:
        """A parameter that is 0 or 1. Raises Malformed."""
        text = self.request.get_param(name, default="1" if default else "0")
        if text not in ("0", "1", "false", "true"):
            raise Malformed(f"{name} must be 0 or 1 (got {text[:40]!r})", field=name)
        return text in ("1", "true")

    def page_limit(self) -> int:
        """How many items of a list are requested."""
        return min(self.number("limit") or _PAGE_ITEMS, _MAX_PAGE_ITEMS)

    def path_number(self, name: str) -> int | None:
        """An integer in the path; None if it is not one."""
        text = self.params[name]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None

    def path_id(self, name: str, missing: Callable[[str], NotFound]) -> int:
        """The same for an id. Raises what `missing` returns for a text that is not an integer."""
        number = self.path_number(name)
        if number is None:
            raise missing(self.params[name])
        return number


Handler = Callable[[Call], Awaitable[None]]


def query_client(caller: Caller, address: str, user_agent: str) -> str:
    """The name of a caller in the queue for query processes: its key, or else its address.

    Local programs without a key are identified by their user agent. For remote callers the user agent is ignored,
    because one caller could send many.
    """
    if caller.key_id:
        return f"key {caller.key_id}"
    return f"{address} {user_agent[:_USER_AGENT_CHARACTERS]}" if address == UNIX or is_loopback(address) else address


def _too_large(limit: int) -> TooLarge:
    size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
    return TooLarge(f"the body is larger than the limit of {size}")


async def pages_in_thread(call: Call, pages: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read pages in threads, each while the client receives the previous one, until it disconnects."""
    reading = asyncio.ensure_future(in_thread(next, pages, None))
    try:
        while not call.is_abandoned and (page := await reading) is not None:
            reading = asyncio.ensure_future(in_thread(next, pages, None))
            yield page
    finally:
        # If the client is gone, nothing receives the error of the page after its last one.
        reading.add_done_callback(lambda read: read.cancelled() or read.exception())


# `If-Match` and `If-None-Match` (RFC 9110, 13.1).


# Falcon accepts partly invalid lists; for a change the whole list must be valid.
_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"[ \t]*\*[ \t]*|[ \t,]*{_TAG}(?:[ \t]*,[ \t,]*{_TAG})*[ \t,]*")

ExpectedTags: TypeAlias = Sequence[ETag | Literal["*"]]


def expected_tags(call: Call) -> ExpectedTags | None:
    """The tags of `If-Match`; None if there is no such header. Raises Malformed if it is invalid."""
    text = call.request.get_header("If-Match")
    if text is None:
        return None
    tags = call.request.if_match
    if tags is None or not _TAGS.fullmatch(text):
        raise Malformed(
            f"invalid If-Match {text[:60]!r}", hint='send the ETag exactly as received, with its quotes: "…"'
        )
    return tags


def is_any(tags: ExpectedTags) -> bool:
    """Whether the header is `*`, which matches any version."""
    return any(not isinstance(tag, ETag) for tag in tags)


def strong_tags(tags: ExpectedTags) -> list[str]:
    """The strong tags, without quotes. A weak tag cannot permit a change."""
    return [str(tag) for tag in tags if isinstance(tag, ETag) and not tag.is_weak]


def permits(tags: ExpectedTags, tag: str) -> bool:
    """Whether an object with this tag (without quotes) may be changed."""
    return is_any(tags) or tag in strong_tags(tags)


def has_current(call: Call, tag: str) -> bool:
    """Whether `If-None-Match` has this tag, with or without quotes: the client has the current version."""
    tags = call.request.if_none_match or ()
    return is_any(tags) or ETag.loads(tag) in tags


def tag_of(value: object) -> str:
    """The strong ETag of an object's JSON, with quotes."""
    return f'"{content_tag(msgspec.json.encode(value))}"'


def content_tag(body: bytes) -> str:
    """A tag computed from these bytes, without quotes."""
    return blake2b(body, digest_size=12).hexdigest()


def check_match(call: Call, value: object, *, name: str) -> None:
    """Raise Stale if `If-Match` names another version of the object. Does nothing without `If-Match`."""
    tags, tag = expected_tags(call), tag_of(value)
    if tags is None or permits(tags, ETag.loads(tag)):
        return
    raise Stale(
        f"{name} was changed by another client",
        hint="check `current`, and send the change again with the new ETag",
        current=msgspec.json.decode(msgspec.json.encode(value)),
        tag=tag,
    )


# `Idempotency-Key`: a client that does not know whether a change arrived sends it again with the same key.


IDEMPOTENCY_KEY: Final = "idempotency-key"
_RETENTION: Final[Microseconds] = 30 * 86_400 * SECOND  # a relay may be offline this long between two attempts
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def journal_note(request: falcon.asgi.Request, caller: Caller) -> JournalNote:
    """Who makes a change, as the list of changes names it, and the group that the client gave it. Raises Malformed."""
    group = request.get_header(UNDO_GROUP, default="")
    if len(group) > _MAX_GROUP_CHARACTERS or not group.isprintable():
        raise Malformed(
            f"invalid {UNDO_GROUP} {group[:40]!r}",
            hint=f"send up to {_MAX_GROUP_CHARACTERS} printable characters, such as a random id",
        )
    return JournalNote(by=_changed_by(caller, request.user_agent or ""), group=group)


def _changed_by(caller: Caller, agent: str) -> str:
    if caller.kind == "local":
        return "command"
    if caller.kind == "key":
        return caller.key_id
    return "browser" if agent.startswith("Mozilla/") else agent.partition("/")[0][:40] or caller.kind


def once_of(text: str, caller: Caller, *, now: Microseconds) -> Once:
    """The idempotency key as it is stored, prefixed with the caller's key id. Raises Malformed."""
    if not _TOKEN.fullmatch(text):
        raise Malformed(
            f"invalid Idempotency-Key {text[:80]!r}: use 1 to 64 letters, digits, - or _", field="Idempotency-Key"
        )
    return Once(token=f"{caller.key_id}/{text}", until=now + _RETENTION)
