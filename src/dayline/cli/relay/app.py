"""The relay's `/api/0` for watchers on this computer, and its status.

Recording calls are queued, everything else is forwarded. No key is required, so only this computer can reach it, and
the same checks of Host and Origin as in the server keep other pages out.
"""

import asyncio
from http import HTTPStatus
from typing import Final

import falcon.asgi
import msgspec
from msgspec import Struct

from dayline.access.origins import HostRules, OriginRules, Standing
from dayline.api.http import errors
from dayline.api.http.call import REFUSED_USER
from dayline.api.http.entry import answer_options, begin_answer, check_host, check_origin
from dayline.api.http.router import decode_segment
from dayline.api.v0.info import Info
from dayline.cli.relay.passthrough import PassedCall, Passthrough
from dayline.cli.relay.recording import Recording
from dayline.client.link import Link, LinkState, State
from dayline.client.queue import CallQueue, QueueState
from dayline.client.queued_call import Kind
from dayline.client.transport import JSON
from dayline.model.errors import Forbidden, NotAllowed, PathNotFound, TooLarge, Unavailable, WrongType
from dayline.model.time import Timestamp, format_timestamp


class RefusedCall(Struct, frozen=True, kw_only=True):
    """A call that the server rejected permanently. It is kept in the queue's file."""

    bucket: str
    kind: Kind
    reason: str
    time: Timestamp


class RelayStatus(Struct, frozen=True, kw_only=True):
    """The server, the connection to it, and the queue.

    `since` is when the state changed, and `reason` why the server is away. `held_back` are buckets that the server
    rejects calls for, with the reasons. `sent` counts from the start of the relay; `refusals` are the latest of the
    `refused` calls.
    """

    to: str
    state: State
    since: Timestamp
    reason: str | None
    waiting: int
    oldest: Timestamp | None
    held_back: dict[str, str]
    refused: int
    refusals: list[RefusedCall]
    sent: int
    queue_bytes: int


def status_of(to: str, link: LinkState, queue: QueueState) -> RelayStatus:
    """The status of the connection and the queue."""
    return RelayStatus(
        to=to,
        state=link.state,
        since=format_timestamp(link.since),
        reason=link.reason,
        waiting=queue.waiting,
        oldest=None if queue.oldest is None else format_timestamp(queue.oldest),
        held_back=link.held_back,
        refused=queue.refused,
        refusals=[
            RefusedCall(
                bucket=refusal.bucket_id,
                kind=refusal.kind,
                reason=refusal.reason,
                time=format_timestamp(refusal.refused),
            )
            for refusal in queue.refusals
        ],
        sent=link.sent,
        queue_bytes=queue.used_bytes,
    )


BODY_MIB: Final = 32  # the server's limit for calls other than imports
# Headers of the server's response that are forwarded; the request id is that of the server's log.
_PASSED_HEADERS: Final[tuple[str, ...]] = (
    "content-disposition",
    "allow",
    "retry-after",
    "undo-id",
    "etag",
    "x-request-id",
)

App = falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]


class RelayServices(Struct, frozen=True, kw_only=True):
    """What the relay's endpoints use."""

    to: str
    info: Info
    hosts: HostRules
    origins: OriginRules
    recording: Recording
    passage: Passthrough
    queue: CallQueue
    link: Link


def make_relay_app(services: RelayServices) -> App:
    """The ASGI application. One sink receives every path, as in the server."""
    app = falcon.asgi.App()
    app.req_options.auto_parse_form_urlencoded = False
    errors.register(app)
    app.add_sink(_RelayDispatcher(services).dispatch, prefix="")
    return app


class _RelayDispatcher:
    def __init__(self, services: RelayServices) -> None:
        self._services = services

    async def dispatch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response | None, **_nothing: object) -> None:
        assert resp is not None  # only WebSockets have none, and we do not serve them
        request, response = req, resp
        begin_answer(request, response)
        hosts = [value for name, value in request.scope["headers"] if name == b"host"]
        check_host(hosts[0] if len(hosts) == 1 else None, self._services.hosts)
        standing = check_origin(request, response, self._services.origins)
        if request.method == "OPTIONS":
            answer_options(request, response)
            return
        try:
            await self._route(request, response, is_extension=standing is Standing.APPEND_ONLY)
        except asyncio.CancelledError as error:
            # Only a relay that is stopping cancels a request.
            raise Unavailable("the relay is stopping", hint="retry in a few seconds") from error

    async def _route(self, request: falcon.asgi.Request, response: falcon.asgi.Response, *, is_extension: bool) -> None:
        raw_path = request.scope["raw_path"].decode("ascii")
        method = "GET" if request.method == "HEAD" else request.method
        segments = [segment for segment in raw_path.split("/") if segment]
        if any(decode_segment(segment) in (".", "..") for segment in segments):
            raise PathNotFound(raw_path)  # a proxy before the server could resolve it to another path
        recording = self._services.recording
        refusal = request.scope["state"].get(REFUSED_USER)
        match (method, *segments):
            case ("GET", "api", "0", "info"):
                _answer(response, msgspec.json.encode(self._services.info))
            case _ if refusal is not None:
                raise Forbidden(refusal, hint="to allow all users of this machine: dayline relay --other-users allow")
            case ("POST", "api", "0", "buckets", bucket):
                _answer(response, await recording.create(decode_segment(bucket), await _json_body(request)))
            case ("POST", "api", "0", "buckets", bucket, "heartbeat"):
                pulsetime = request.get_param("pulsetime")
                body = await _json_body(request)
                _answer(response, await recording.heartbeat(decode_segment(bucket), body, pulsetime=pulsetime))
            case ("POST", "api", "0", "buckets", bucket, "events"):
                _answer(response, await recording.insert(decode_segment(bucket), await _json_body(request)))
            case _ if is_extension:
                raise Forbidden(f"browser extensions may only record data, not call {method} {raw_path[:80]}")
            case (_, "api", "0", _, *_):
                await self._forward(request, response, method, segments)
            case ("GET", "api", "1", "relay"):
                state = await asyncio.to_thread(self._services.queue.state)
                _answer(response, msgspec.json.encode(status_of(self._services.to, self._services.link.state(), state)))
            case (_, "api", "1", "relay"):
                raise NotAllowed(method, raw_path, allowed=("GET", "HEAD", "OPTIONS"))
            case _:
                raise PathNotFound(raw_path)

    async def _forward(
        self, request: falcon.asgi.Request, response: falcon.asgi.Response, method: str, segments: list[str]
    ) -> None:
        body = await _body(request)
        reply = await self._services.passage.call(
            PassedCall(
                method=method,
                # A trailing slash matters only for pages, which the relay does not serve.
                path=f"/{'/'.join(segments)}",
                query=request.scope["query_string"].decode("ascii"),
                body=body or None,
                content_type=request.content_type or JSON,
                token=request.get_header("Idempotency-Key"),
            )
        )
        match (method, *segments):
            case ("DELETE", "api", "0", "buckets", bucket) if reply.status < HTTPStatus.BAD_REQUEST:
                await asyncio.to_thread(self._services.queue.forget, decode_segment(bucket))
            case _:
                pass
        response.status = reply.status
        response.set_headers({name: reply.headers[name] for name in _PASSED_HEADERS if name in reply.headers})
        if reply.status != HTTPStatus.NOT_MODIFIED:
            _answer(response, reply.body)
            response.content_type = reply.headers.get("content-type", JSON)


def _answer(response: falcon.asgi.Response, body: bytes) -> None:
    response.content_type = JSON
    response.data = body


async def _json_body(request: falcon.asgi.Request) -> bytes:
    kind = (request.content_type or "").partition(";")[0].strip().lower()
    if kind != JSON:
        # Forces a preflight on pages of other sites.
        raise WrongType(
            f"the Content-Type must be {JSON} (got {kind or 'none'})", hint=f"send the header Content-Type: {JSON}"
        )
    return await _body(request)


async def _body(request: falcon.asgi.Request) -> bytes:
    too_large = TooLarge(
        f"the body is larger than the relay's limit of {BODY_MIB} MiB", hint="send it to the server directly"
    )
    if (request.content_length or 0) > BODY_MIB << 20:
        raise too_large
    chunks, size = list[bytes](), 0
    async for chunk in request.stream:
        chunks.append(chunk)
        size += len(chunk)
        if size > BODY_MIB << 20:
            raise too_large
    return b"".join(chunks)
