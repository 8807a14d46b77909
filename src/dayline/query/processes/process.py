"""One query process, as the recording process sees it."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.query.processes.failures import describe_status, lost_process
from dayline.query.processes.messages import Cancelled, Crashed, Done, Ready, StoreUnreadable, Work, read_reply
from dayline.runtime.encryption import keyed_command
from dayline.runtime.framing import frame

START_S: Final = 30.0
END_S: Final = 10.0  # how long a process that is no longer needed may take to end
STREAMED_BYTES: Final = 4 << 20  # larger results are streamed
_CHUNK: Final = 256 << 10
_COMPLAINT_BYTES: Final = 8 << 10  # of the end of its standard error

_ENVIRONMENT: Final = {
    # More threads would compete: there are as many processes as should run in parallel.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # For glibc: columns of a year are some MiB each, allocated and freed by the dozen. Returning that memory to the
    # system each time takes a fifth of such a query.
    "MALLOC_MMAP_THRESHOLD_": str(8 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
}

log = logging.getLogger(__name__)


class Whole(Struct, frozen=True):
    """A finished job with its results."""

    done: Done
    body: bytes


class Lost(Struct, frozen=True):
    """The process ended without a response."""

    status: int | None


Answer: TypeAlias = Whole | Done | Cancelled | StoreUnreadable | Crashed | Lost


class QueryProcess:
    """Takes one job at a time. Created by `start_process`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._complaint = asyncio.ensure_future(self._listen())

    @property
    def pid(self) -> int:
        return self._process.pid

    async def until_ready(self) -> None:
        """Wait until it can take jobs. Raises QueryProcessLost."""
        try:
            async with asyncio.timeout(START_S):
                is_ready = isinstance(await read_reply(self._stdout), Ready)
        except (asyncio.IncompleteReadError, TimeoutError):
            is_ready = False
        if not is_ready:
            self.kill()
            raise lost_process(await self.status())

    def ask(self, work: Work) -> "asyncio.Task[Answer]":
        """Send it a job. A Done on its own means that its results are large and still to be read."""
        return asyncio.get_running_loop().create_task(self._answer(work))

    async def read(self, most: int) -> bytes:
        """Up to `most` bytes of the results; empty if the process has ended."""
        return await self._stdout.read(min(most, _CHUNK))

    async def drained(self) -> None:
        """Read and discard everything until the process ends: an unread pipe would stay open."""
        while await self._stdout.read(_CHUNK):
            pass

    def cancel(self) -> None:
        """Cancel its job; on Windows, this ends the process."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def dismiss(self) -> None:
        """Let it end, because it has nothing to do."""
        self._stdin.close()
        asyncio.get_running_loop().call_later(END_S, self.kill)

    async def status(self) -> int:
        """Wait for its end; returns its exit status."""
        return await self._process.wait()

    async def ended(self) -> int:
        """Like `status`, and log the end of its standard error."""
        status = await self.status()
        self._stdin.close()
        complaint = (await self._complaint).decode(errors="replace").strip()
        if complaint:
            log.warning("Query process %d ended (%s): %s", self.pid, describe_status(status), complaint)
        return status

    async def _answer(self, work: Work) -> Answer:
        if self._stdin.is_closing():  # the process has ended; uvloop raises RuntimeError if we write now
            return Lost(await self.status())
        try:
            self._stdin.write(frame(work))
            await self._stdin.drain()
            reply = await read_reply(self._stdout)
            if isinstance(reply, Done) and reply.body_bytes <= STREAMED_BYTES:
                return Whole(reply, await self._stdout.readexactly(reply.body_bytes))
        except (asyncio.IncompleteReadError, ConnectionError):
            return Lost(await self.status())
        assert not isinstance(reply, Ready)
        return reply

    async def _listen(self) -> bytes:
        """The end of its standard error. Reads all of it, because a full pipe would block the process."""
        complaint = b""
        while piece := await self._stderr.read(_CHUNK):
            complaint = (complaint + piece)[-_COMPLAINT_BYTES:]
        return complaint


async def start_process(command: Sequence[str], environment: Mapping[str, str]) -> QueryProcess:
    """Start a process, which is not ready yet. Raises OSError if the system refuses.

    `environment` is added to ours.
    """
    command, key = keyed_command(command)
    # Spawned, never forked: the recording process has threads.
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_CHUNK,
        env={**os.environ, **_ENVIRONMENT, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if key and process.stdin is not None and not process.stdin.is_closing():
        process.stdin.write(key)
    return QueryProcess(process)
