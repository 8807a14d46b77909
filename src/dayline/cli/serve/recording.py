"""The watch process of a server: started with it, restarted with a back-off, and reported to health."""

import asyncio
import logging
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from dayline.cli.calls.call import LocalEndpoint
from dayline.cli.options.settings import Settings
from dayline.client.watch.process import COMMAND, VARIABLES, Report, WatchConfig
from dayline.model.errors import Unavailable
from dayline.model.health import Problem
from dayline.runtime.background import BackgroundWorkers

if TYPE_CHECKING:
    from dayline.maintenance.health import Health

log = logging.getLogger(__name__)

_RETRY_S: Final = 1.0
_MAX_RETRY_S: Final = 60.0
_STOP_S: Final = 10.0
_SYSTEMD_S: Final = 5.0
_HINT: Final = "Dayline starts the watcher again; `enabled = false` in the section [watch] of the settings turns it off"
# Variables by which programs find the desktop session.
_SESSION: Final = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "SWAYSOCK")


@asynccontextmanager
async def recording(
    settings: Settings, endpoint: LocalEndpoint, health: "Health", background: BackgroundWorkers
) -> AsyncGenerator[None]:
    """Record this computer for the length of the block, if the settings say so."""
    if not settings.watch.enabled:
        yield
        return
    recorder = ComputerRecorder(lambda: watch_config(settings, endpoint), background)
    health.add(recorder.problems)
    recorder.start()
    try:
        yield
    finally:
        await recorder.close()


def watch_config(settings: Settings, endpoint: LocalEndpoint) -> WatchConfig:
    """What the watch process of a server at this endpoint runs with."""
    from dayline.access.tls import certificate_fingerprint  # here, because few servers use TLS on loopback

    certificate = endpoint.tls_cert
    return WatchConfig(
        url=endpoint.url,
        key=endpoint.token,
        fingerprint=None if certificate is None else certificate_fingerprint(Path(certificate).read_text("ascii")),
        hostname=socket.gethostname(),
        folder=str(settings.database.with_name(f"{settings.database.stem}-watch")),
        away_after_s=settings.watch.away_after_s,
        records_titles=settings.watch.titles,
        is_supervised=True,
    )


class ComputerRecorder:
    """Keeps a watch process running from `start` until `close`. Used on the event loop."""

    def __init__(self, config: Callable[[], WatchConfig], background: BackgroundWorkers) -> None:
        self._config = config
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._quiet: dict[str, Report] = {}  # by bucket
        self._failure: Report | None = None
        self._task = background.task(
            "recording this computer",
            self._run,
            interval_s=None,
            retry_s=_RETRY_S,
            max_retry_s=_MAX_RETRY_S,
            hint=_HINT,
        )

    def start(self) -> None:
        self._task.start()

    async def close(self) -> None:
        """Stop the process. What it has not sent is sent after the next start."""
        await self._task.close()
        await self._stop()

    def problems(self) -> list[Problem]:
        """Buckets that another watcher records into."""
        return [
            Problem(kind="background", message=report.message or "", hint=report.hint)
            for report in self._quiet.values()
        ]

    async def _run(self) -> float | None:
        """Start the process unless it is running. Raises Unavailable if it ended."""
        if self._process is not None and self._reading is not None and not self._reading.done():
            return None
        if self._process is None:
            await self._spawn()
            return None
        await self._stop()
        report = self._failure
        raise Unavailable("the watcher ended" if report is None else _text(report))

    async def _spawn(self) -> None:
        if sys.platform != "linux":
            raise Unavailable("Dayline's watcher works on Linux; use those of ActivityWatch on this system")
        environment = {**os.environ, **await _session_variables(), **VARIABLES}
        # A session of its own: Ctrl-C in a terminal is for the server, which then stops it.
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        self._process, self._failure = process, None
        self._quiet.clear()
        assert process.stdin is not None
        with suppress(ConnectionError):  # it ended at once, and the reading says so
            process.stdin.write(msgspec.json.encode(self._config()) + b"\n")
            await process.stdin.drain()
        first = await self._next_report(process)
        if first is None or first.state == "failed":
            self._failure = first
            await self._stop()
            raise Unavailable("the watcher did not start" if first is None else _text(first))
        self._note(first)
        self._reading = asyncio.get_running_loop().create_task(self._read(process))

    async def _read(self, process: Process) -> None:
        while (report := await self._next_report(process)) is not None:
            self._note(report)
        self._task.wake()

    async def _next_report(self, process: Process) -> Report | None:
        assert process.stdout is not None
        line = await process.stdout.readline()
        return msgspec.json.decode(line, type=Report) if line else None

    def _note(self, report: Report) -> None:
        if report.state == "failed":
            self._failure = report
            return
        if report.bucket is not None and report.state == "quiet":
            self._quiet[report.bucket] = report
        elif report.bucket is not None:
            self._quiet.pop(report.bucket, None)
        if report.message is not None:
            log.log(logging.WARNING if report.state == "quiet" else logging.INFO, "%s", _text(report))

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        reading, self._reading = self._reading, None
        if reading is not None:
            await reading


async def _session_variables() -> dict[str, str]:
    """Where the desktop session is, if this process was started outside of it: systemd's user manager knows."""
    if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        return {}
    try:
        process = await asyncio.create_subprocess_exec(
            "systemctl", "--user", "show-environment", stdout=PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(_SYSTEMD_S):
            output, _ = await process.communicate()
    except (OSError, TimeoutError):
        return {}
    pairs = (line.partition("=") for line in output.decode("utf-8", "replace").splitlines())
    return {name: value for name, _, value in pairs if name in _SESSION}


def _text(report: Report) -> str:
    return f"{report.message} ({report.hint})" if report.hint else report.message or ""
