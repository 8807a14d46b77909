"""Records the server's own computer: keeps a watch process running while that is turned on."""

import asyncio
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from dayline.client.watch.process import COMMAND, STOP, VARIABLES, Report, Session, WatchConfig, end_process
from dayline.client.watch.session import find_session
from dayline.model.errors import DaylineError, Unavailable
from dayline.model.health import Problem
from dayline.model.time import Microseconds, now_us
from dayline.runtime.background import BackgroundTask, BackgroundWorkers
from dayline.runtime.encryption import keyed_command
from dayline.runtime.machine import is_in_container
from dayline.runtime.threads import in_thread

log = logging.getLogger(__name__)

_RETRY_S: Final = 1.0
_MAX_RETRY_S: Final = 60.0
_STOP_S: Final = 10.0
_SYSTEMD_S: Final = 5.0
_PROBE_S: Final = 5.0  # how long the response of a probe is used
_NAME: Final = "recording this computer"
_HINT: Final = "Dayline starts the watcher again; turn it off on the Settings page, or with: " + (
    "dayline settings set watch.enabled false"
)
# Variables by which programs find the desktop session.
_SESSION: Final = (
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "SWAYSOCK",
    "DBUS_SESSION_BUS_ADDRESS",
)  # fmt: skip

RecorderState: TypeAlias = Literal["off", "starting", "checking", "recording", "quiet", "failed"]


class SessionProbe(Struct, frozen=True, kw_only=True):
    """Whether the computer can be recorded: the kind of its session, or why not."""

    session: Session | None = None
    message: str | None = None  # without a session: why; with one: what cannot be observed in it
    hint: str | None = None


class RecordedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of the watch process, its state, and since when it is in that state."""

    id: str
    state: Literal["recording", "quiet"]
    since: Microseconds


class ComputerRecorder:
    """The watch process of a server. Used on the event loop, except for `problems`.

    `enabled` is the setting at the start, and `save` stores a new one. Without a server, which calls `start`, nothing
    is recorded.
    """

    def __init__(
        self, background: BackgroundWorkers, *, folder: Path, enabled: bool, save: Callable[[bool], None]
    ) -> None:
        self.enabled = enabled
        self._background = background
        self._folder = folder
        self._save = save
        self._changing = asyncio.Lock()
        self._config: Callable[[], WatchConfig] | None = None
        self._task: BackgroundTask | None = None
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._buckets: dict[str, RecordedBucket] = {}
        self._quiet: dict[str, Report] = {}  # by bucket
        self._failure: Report | None = None
        self._probe = SessionProbe()
        self._probed_at = float("-inf")  # monotonic

    async def start(self, config: Callable[[], WatchConfig]) -> None:
        """Record from now on, if it is turned on. Otherwise end a watch process that outlived an earlier server."""
        self._config = config
        if self.enabled:
            self._start_task()
        elif sys.platform == "linux":
            try:
                await in_thread(end_process, self._folder)
            except (DaylineError, OSError) as error:
                log.warning("Cannot end the watcher of an earlier server: %s", error)

    async def turn(self, *, on: bool, claim: Callable[[], Awaitable[None]]) -> None:
        """Start or stop recording, and store the setting. Raises Unavailable if there is nothing to record.

        `claim` is called before anything changes; it raises if the same request was carried out already.
        """
        if self._config is None:
            raise Unavailable("no server is running", hint="start it with: dayline serve")
        async with self._changing:
            if on and not self.enabled:
                probe = await self.probe()
                if probe.session is None:
                    raise Unavailable(probe.message or "this computer cannot be recorded", hint=probe.hint)
            await claim()
            if on != self.enabled:
                await in_thread(self._save, on)
            self.enabled = on
            if on:
                self._start_task()
            else:
                await self._end()

    async def close(self) -> None:
        """Stop the process. What it has not sent is sent after the next start."""
        async with self._changing:
            await self._end()
            self._config = None

    @property
    def state(self) -> RecorderState:
        if self._task is None:
            return "off"
        if self._failure is not None:
            return "failed"
        if self._process is None or self._reading is None:
            return "starting"
        states = {bucket.state for bucket in self._buckets.values()}
        return "recording" if "recording" in states else "quiet" if states else "checking"

    @property
    def failure(self) -> Report | None:
        """Why the process ended or did not start; None once it runs again."""
        return self._failure

    def buckets(self) -> list[RecordedBucket]:
        """The buckets that the process records into, or does not because another watcher does."""
        return list(self._buckets.values())

    def problems(self) -> list[Problem]:
        """Buckets that another watcher records into. Called from any thread."""
        return [
            Problem(kind="background", message=report.message or "", hint=report.hint)
            for report in list(self._quiet.values())
        ]

    async def probe(self) -> SessionProbe:
        """Whether this computer can be recorded, from the variables of its desktop session."""
        now = time.monotonic()
        if self._reading is None and now - self._probed_at > _PROBE_S:  # a running watcher knows better
            self._probe = await in_thread(_probe, await _environment())
            self._probed_at = now
        return self._probe

    def _start_task(self) -> None:
        if self._task is not None:
            return
        self._task = self._background.task(
            _NAME, self._run, interval_s=None, retry_s=_RETRY_S, max_retry_s=_MAX_RETRY_S, hint=_HINT
        )
        self._task.start()

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            await task.close()
        await self._stop()
        self._failure = None

    async def _run(self) -> float | None:
        """Start the process unless it is running. Raises Unavailable if it ended."""
        if self._process is not None and self._reading is not None and not self._reading.done():
            return None
        if self._process is None:
            await self._spawn()
            return None
        await self._stop()
        report = self._failure = self._failure or Report(state="failed", message="the watcher ended")
        raise Unavailable(_text(report))

    async def _spawn(self) -> None:
        if sys.platform != "linux":
            raise Unavailable("Dayline's watcher works on Linux; use those of ActivityWatch on this system")
        assert self._config is not None
        config = self._config()
        command, key = keyed_command(COMMAND)
        # A session of its own: Ctrl-C in a terminal is for the server, which then stops it.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env={**await _environment(), **VARIABLES}, start_new_session=True
        )
        self._process = process
        await _write(process, key + msgspec.json.encode(config) + b"\n")
        first = await self._next_report(process)
        if first is None or first.state == "failed":
            await self._stop()
            self._failure = first or Report(state="failed", message="the watcher did not start")
            raise Unavailable(_text(self._failure))
        self._failure = None
        self._note(first)
        self._reading = asyncio.get_running_loop().create_task(self._read(process))

    async def _read(self, process: Process) -> None:
        while (report := await self._next_report(process)) is not None:
            self._note(report)
        if self._task is not None:
            self._task.wake()

    async def _next_report(self, process: Process) -> Report | None:
        assert process.stdout is not None
        line = await process.stdout.readline()
        return msgspec.json.decode(line, type=Report) if line else None

    def _note(self, report: Report) -> None:
        if report.state == "failed":
            self._failure = report
            return
        if report.state == "checking":
            self._probe = SessionProbe(session=report.session, message=report.message, hint=report.hint)
        elif report.bucket is not None:
            self._buckets[report.bucket] = RecordedBucket(id=report.bucket, state=report.state, since=now_us())
            self._quiet.pop(report.bucket, None)
            if report.state == "quiet":
                self._quiet[report.bucket] = report
        if report.message is not None:
            log.log(logging.WARNING if report.state == "quiet" else logging.INFO, "%s", _text(report))

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        await _write(process, STOP)
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):  # it has just ended
                process.kill()
            await process.wait()
        reading, self._reading = self._reading, None
        if reading is not None:
            await reading
        self._buckets.clear()
        self._quiet.clear()


async def _write(process: Process, text: bytes) -> None:
    """Write to standard input of a process, which may have ended."""
    assert process.stdin is not None
    with suppress(ConnectionError, RuntimeError):  # uvloop raises RuntimeError once it has noticed the end
        process.stdin.write(text)
        await process.stdin.drain()


def _probe(environment: Mapping[str, str]) -> SessionProbe:
    if sys.platform != "linux":
        return SessionProbe(
            message="Dayline's watcher works on Linux", hint="use the watchers of ActivityWatch on this system"
        )
    try:
        session = find_session(environment)
    except Unavailable as error:
        if is_in_container():
            return SessionProbe(
                message="the server runs in a container, which has no desktop session",
                hint="run watchers on the computer that you want to record, and let them send to this server",
            )
        return SessionProbe(message=error.message, hint=error.hint)
    message, hint = (
        (None, None) if session.limitation is None else (session.limitation.message, session.limitation.hint)
    )
    return SessionProbe(session=session.session, message=message, hint=hint)


async def _environment() -> dict[str, str]:
    """The variables of the desktop session: if this process was started outside of it, systemd's user manager's."""
    if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        return dict(os.environ)
    try:
        process = await asyncio.create_subprocess_exec(
            "systemctl", "--user", "show-environment", stdout=PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(_SYSTEMD_S):
            output, _ = await process.communicate()
    except (OSError, TimeoutError):
        return dict(os.environ)
    pairs = (line.partition("=") for line in output.decode("utf-8", "replace").splitlines())
    return {**os.environ, **{name: value for name, _, value in pairs if name in _SESSION}}


def _text(report: Report) -> str:
    return f"{report.message} ({report.hint})" if report.hint else report.message or ""
