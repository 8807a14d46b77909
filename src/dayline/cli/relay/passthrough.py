"""Other calls than those that record: passed to the server, a few at a time."""

import asyncio
import secrets
import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from dayline.client.errors import ServerUnreachable
from dayline.client.transport import JSON, Reply, Transport
from dayline.model.errors import Unavailable

# Calls that are not queued: forwarded to the server at once.
AT_ONCE: Final = 8  # concurrent calls; each has its own connection and thread


class PassedCall(Struct, frozen=True, kw_only=True):
    """A call to forward. `path` and `query` are raw, `token` is the client's Idempotency-Key."""

    method: str
    path: str
    query: str = ""
    body: bytes | None = None
    content_type: str = JSON
    token: str | None = None


class Passthrough:
    """Forwards calls. Calls `on_answer` whenever the server has accepted one."""

    def __init__(self, new_transport: Callable[[], Transport], *, on_answer: Callable[[], None]) -> None:
        self._new_transport = new_transport
        self._on_answer = on_answer
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._idle: list[Transport] = []

    async def call(self, call: PassedCall) -> Reply:
        """The server's response, whatever its status. Raises Unavailable if there is none."""
        async with self._slots:
            transport = self._idle.pop() if self._idle else self._new_transport()
            try:
                reply = await _in_daemon(lambda: _send(transport, call))
            except ServerUnreachable as error:
                raise Unavailable(
                    f"the server is not available: {error.message}",
                    hint="recorded events are queued until it is back; other calls need the server",
                ) from error
            self._idle.append(transport)
        if reply.status < 400:
            self._on_answer()
        return reply


def _send(transport: Transport, call: PassedCall) -> Reply:
    headers: dict[str, str] = {}
    if call.method != "GET":
        # With an idempotency key a change can be sent again if a persistent connection turns out to be closed.
        headers["Idempotency-Key"] = call.token or secrets.token_urlsafe(16)
    return transport.call(
        call.method, call.path, query=call.query, body=call.body, content_type=call.content_type, headers=headers
    )


async def _in_daemon(send: Callable[[], Reply]) -> Reply:
    """Run it in a daemon thread, which does not keep the process from exiting as an executor's thread would."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Reply | Exception] = loop.create_future()

    def settle(result: Reply | Exception) -> None:
        if not outcome.done():  # canceled if the relay stops
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
