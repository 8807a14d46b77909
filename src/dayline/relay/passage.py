"""Calls that are not kept: passed on to the server at once, and its answer passed back."""

import asyncio
import secrets
import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from dayline.client.errors import ServerUnreachable
from dayline.client.transport import JSON, Reply, Transport
from dayline.model.errors import Unavailable

AT_ONCE: Final = 8  # calls on their way; each has a connection and a thread of its own


class PassedCall(Struct, frozen=True, kw_only=True):
    """A call as it came in. `path` and `query` are raw, `token` is the client's Idempotency-Key."""

    method: str
    path: str
    query: str = ""
    body: bytes | None = None
    content_type: str = JSON
    token: str | None = None


class Passage:
    """The way through. `on_answer` is told whenever the server has taken a call."""

    def __init__(self, new_transport: Callable[[], Transport], *, on_answer: Callable[[], None]) -> None:
        self._new_transport = new_transport
        self._on_answer = on_answer
        self._room = asyncio.Semaphore(AT_ONCE)
        self._idle: list[Transport] = []

    async def call(self, call: PassedCall) -> Reply:
        """What the server answers, whatever it is. Raises Unavailable where it does not."""
        async with self._room:
            transport = self._idle.pop() if self._idle else self._new_transport()
            try:
                reply = await _in_daemon(lambda: _send(transport, call))
            except ServerUnreachable as error:
                raise Unavailable(
                    f"the server is away: {error.message}",
                    hint="what watchers record is kept until it is back; everything else has to wait for it",
                ) from error
            self._idle.append(transport)
        if reply.status < 400:
            self._on_answer()
        return reply


def _send(transport: Transport, call: PassedCall) -> Reply:
    headers: dict[str, str] = {}
    if call.method != "GET":
        # With a token a change can be sent again where a kept connection turns out to be closed.
        headers["Idempotency-Key"] = call.token or secrets.token_urlsafe(16)
    return transport.call(
        call.method, call.path, query=call.query, body=call.body, content_type=call.content_type, headers=headers
    )


async def _in_daemon(send: Callable[[], Reply]) -> Reply:
    """Run it on a thread that does not keep the process from ending, as those of an executor would."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Reply | Exception] = loop.create_future()

    def settle(result: Reply | Exception) -> None:
        if not outcome.done():  # the relay that stops has given up waiting
            outcome.set_result(result)

    def run() -> None:
        try:
            result: Reply | Exception = send()
        except Exception as error:
            result = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=run, name="passage", daemon=True).start()
    result = await outcome
    if isinstance(result, Exception):
        raise result
    return result
