"""Calls without a connection: from an envelope, or from a command that has opened the database."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from dayline.access.peers import RequestOrigin
from dayline.model.access import Caller, Once
from dayline.model.errors import TooLarge

App = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

TRUSTED: Final = "trusted"  # key of the scope's state with the caller; clients cannot set it
_DISCONNECT: Final[Mapping[str, str]] = {"type": "http.disconnect"}
MAX_ANSWER_BYTES: Final = 256 << 20  # the response is held in memory


class Trusted(Struct, frozen=True, kw_only=True):
    """An authenticated caller, and the idempotency keys of the call."""

    caller: Caller
    origin: RequestOrigin
    once: tuple[Once, ...] = ()


class InnerCall(Struct, frozen=True, kw_only=True):
    """A request without a connection. `path` and `query` are raw, as in a URL."""

    method: str
    path: str
    query: str = ""
    body: bytes | None = None
    chunks: Iterable[bytes] | None = None  # a JSON body in pieces, of any length
    trusted: Trusted


class InnerResponse(Struct, frozen=True, kw_only=True):
    """A response. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def call_within(app: App, call: InnerCall) -> InnerResponse:
    """Run a call through the application without its entry checks. Raises TooLarge."""
    headers = [(b"host", b"localhost")]
    if call.chunks is None:
        headers.append((b"content-length", b"%d" % len(call.body or b"")))
    if call.body is not None or call.chunks is not None:
        headers.append((b"content-type", b"application/json"))
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": call.method,
        "scheme": "http",
        "path": "/",  # the dispatcher reads raw_path
        "raw_path": call.path.encode("ascii"),
        "root_path": "",
        "query_string": call.query.encode("ascii"),
        "headers": headers,
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
        "state": {TRUSTED: call.trusted},
    }
    sent = _Sent()
    requests = _requests(call)

    async def receive() -> Any:
        if call.chunks is None:
            return next(requests, _DISCONNECT)
        return await asyncio.to_thread(next, requests, _DISCONNECT)  # the chunks may be read from a disk

    await app(scope, receive, sent.take)
    return InnerResponse(status=sent.status, headers=sent.headers, body=b"".join(sent.body))


def _requests(call: InnerCall) -> Iterator[Any]:
    for chunk in call.chunks or ():
        yield {"type": "http.request", "body": chunk, "more_body": True}
    yield {"type": "http.request", "body": call.body or b"", "more_body": False}


class _Sent:
    def __init__(self) -> None:
        self.status = 500
        self.headers: dict[str, str] = {}
        self.body: list[bytes] = []
        self._size = 0

    async def take(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        elif message["type"] == "http.response.body":
            chunk: bytes = message.get("body", b"")
            self._size += len(chunk)
            if self._size > MAX_ANSWER_BYTES:
                raise TooLarge(
                    f"the response is larger than the limit of {MAX_ANSWER_BYTES >> 20} MiB",
                    hint="request a shorter range or a smaller page",
                )
            self.body.append(chunk)
