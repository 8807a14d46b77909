"""The watch process: observes the desktop and records it until it is stopped.

`dayline watch` and `dayline serve` start it without the modules of the command line.
"""

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from dayline.client.errors import ClientError
from dayline.client.transport import Transport
from dayline.client.watch.desktop import NO_WINDOW, Desktop, Window
from dayline.client.watch.outlet import Outlet, State
from dayline.client.watch.process import EXIT_UNAVAILABLE, STOP, Report, Session, WatchConfig, WatchFolder
from dayline.client.watch.server_checks import RuleCache, ServerChecks
from dayline.client.watch.session import find_session, open_desktop
from dayline.client.watch.states import POLL_S, WINDOW_PULSETIME_S, PresenceState, WindowState, without_private_title
from dayline.client.watcher import Watcher
from dayline.model.errors import DaylineError, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.worker import WorkerThreads

log = logging.getLogger("dayline.watch")

WINDOW: Final = "aw-watcher-window"
PRESENCE: Final = "aw-watcher-afk"
TITLE_INTERVAL_S: Final = 1.0  # a program that counts in its title makes one event a second at most
_SLEEP_S: Final = 1.0  # a difference of the clocks that means that the computer slept
_BETWEEN_WINDOWS_S: Final = 0.1
_CLOSE_S: Final = 2.0
_RETRY_S: Final = 1.0  # after the server did not answer
_MAX_RETRY_S: Final = 30.0


def main() -> None:
    """Read the configuration from standard input, and record until SIGTERM, or until the server ends."""
    # Without a buffer, which would hide STOP from `select`.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as given:
        config = msgspec.json.decode(given.readline(), type=WatchConfig)
    logging.basicConfig(
        level=logging.WARNING if config.is_supervised else logging.INFO, format="%(message)s", stream=sys.stderr
    )
    reporter = _Reporter(is_supervised=config.is_supervised)
    try:
        session = find_session(os.environ).session
        desktop = open_desktop(session, os.environ)
        try:
            # Last, because a process that outlived its server records until then.
            folder = WatchFolder(Path(config.folder)) if config.is_supervised else None
            recording = Recording(config, session, desktop, reporter.report)

            def stop(_number: int, _frame: object) -> None:
                recording.stop()

            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, stop)
            recording.run()
            if folder is not None:
                folder.release()
        finally:
            desktop.close()
    except DaylineError as error:
        reporter.report(Report(state="failed", message=error.message, hint=error.hint))
        sys.exit(EXIT_UNAVAILABLE)


class _Reporter:
    def __init__(self, *, is_supervised: bool) -> None:
        self._is_supervised = is_supervised

    def report(self, report: Report) -> None:
        if self._is_supervised:
            with suppress(BrokenPipeError):  # the server ended, as standard input says, too
                os.write(sys.stdout.fileno(), msgspec.json.encode(report) + b"\n")
        elif report.state == "failed":
            log.error("dayline: %s%s", report.message, f"\n  → {report.hint}" if report.hint else "")
        elif report.message is not None:
            log.info("%s%s", report.message, f"\n  → {report.hint}" if report.hint else "")


class Recording:
    """Records one desktop. `report` is called from any thread."""

    def __init__(
        self, config: WatchConfig, session: Session, desktop: Desktop, report: Callable[[Report], None]
    ) -> None:
        self._config = config
        self._session: Session = session
        self._desktop = desktop
        self._report = report
        self._limitation = desktop.limitation
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._is_stopping = False
        self._orphaned_until: float | None = None  # monotonic; None while there is a server, or none is needed
        self._last_window: Window | None = NO_WINDOW
        self._cache = RuleCache(Path(config.folder) / "privacy-rules.json")
        self._windows = self._outlet(WINDOW, type="currentwindow", pulsetime_s=WINDOW_PULSETIME_S)
        self._presence = self._outlet(PRESENCE, type="afkstatus", pulsetime_s=config.away_after_s + POLL_S)
        self._window_state = WindowState(self._windows.record)
        self._presence_state = PresenceState(self._presence.record, away_after_s=config.away_after_s)
        has_presence = desktop.idle_s() is not None
        self._outlets = [self._windows, self._presence] if has_presence else [self._windows]
        self._clock_difference = _clock_difference()
        self._checks = ServerChecks(
            self._transport(), self._outlets, self._cache, on_rules=self._wake, on_state=self._changed
        )
        self._checking = WorkerThreads().thread(
            "checking the server",
            self._check,
            interval_s=None,
            retry_s=_RETRY_S,
            max_retry_s=_MAX_RETRY_S,
            on_stop=self._checks.close,
        )

    def run(self) -> None:
        """Record until `stop`. Raises Unavailable when the session ends."""
        self._checking.start()
        try:
            self._report_limitation()
            self._loop()
            self._observe_window(time.time_ns() // 1000)
        finally:
            self._checking.close(_CLOSE_S)
            for outlet in (self._windows, self._presence):
                outlet.watcher.close(_CLOSE_S if self._orphaned_until is None else 0)

    def stop(self) -> None:
        """End `run`. May be called from any thread and from a signal handler."""
        self._is_stopping = True
        self._wake()

    def _loop(self) -> None:
        inputs: list[Any] = [self._desktop, self._wake_read, *([sys.stdin] if self._config.is_supervised else [])]
        next_poll, next_title, is_due, last = 0.0, 0.0, True, None
        while not self._is_stopping:
            now = time.monotonic()
            if self._orphaned_until is not None and now >= self._orphaned_until:
                return
            if now >= next_poll:
                self._poll()
                next_poll, is_due = now + POLL_S, False
            is_due = self._desktop.has_changed() or is_due
            if is_due and now >= next_title:
                window = self._observe_window(time.time_ns() // 1000)
                is_due = False
                # A change of the program is recorded at once, one of the title alone once a second.
                is_same_app = last is not None and window is not None and last.app == window.app
                next_title, last = (now + TITLE_INTERVAL_S if is_same_app else 0.0), window
            until = min(next_poll, next_title) if is_due else next_poll
            if self._desktop.interval_s is not None:
                until = min(until, now + self._desktop.interval_s)
            readable, _, _ = select.select(inputs, [], [], max(0.0, until - time.monotonic()))
            if self._wake_read in readable:
                os.read(self._wake_read, 4096)
                for outlet in self._outlets:
                    outlet.flush()
            if sys.stdin in readable:
                self._read_input()
                inputs.remove(sys.stdin)

    def _read_input(self) -> None:
        """Stop if the server says so. If the input ends without that, the server was killed: continue without it."""
        if os.read(sys.stdin.fileno(), len(STOP)) or self._config.max_orphaned_s <= 0:
            self._is_stopping = True
            return
        self._orphaned_until = time.monotonic() + self._config.max_orphaned_s
        # Nothing is sent any more: another server may answer at this address, with other data.
        for outlet in self._outlets:
            outlet.watcher.pause()
        self._checking.close(_CLOSE_S)
        for outlet in self._outlets:
            outlet.watcher.pause()  # a check that was under way may have ended the pause

    def _poll(self) -> None:
        now = time.time_ns() // 1000
        difference = _clock_difference()
        was_suspended, self._clock_difference = difference - self._clock_difference > _SLEEP_S, difference
        self._observe_window(now, was_suspended=was_suspended)
        idle_s = self._desktop.idle_s()
        if idle_s is not None:
            self._presence_state.observe(round(idle_s * SECOND), now, was_suspended=was_suspended)
        if self._desktop.limitation != self._limitation:
            self._limitation = self._desktop.limitation
            self._report_limitation()

    def _observe_window(self, now: Microseconds, *, was_suspended: bool = False) -> Window | None:
        window = self._current_window()
        shown = None if window is None else without_private_title(window)
        if shown is not None and not self._config.records_titles:
            shown = Window(app=shown.app, title="")
        self._window_state.observe(shown, now, was_suspended=was_suspended)
        return window

    def _current_window(self) -> Window | None:
        window = self._desktop.window()
        if window == NO_WINDOW and self._last_window != NO_WINDOW:
            # Between two windows a window manager may report none for a moment.
            time.sleep(_BETWEEN_WINDOWS_S)
            window = self._desktop.window()
        self._last_window = window
        return window

    def _check(self) -> float | None:
        try:
            return self._checks.run()
        except ClientError as error:
            raise Unavailable(error.message, hint=error.hint) from error

    def _report_limitation(self) -> None:
        limitation = self._limitation
        message, hint = (None, None) if limitation is None else (limitation.message, limitation.hint)
        self._report(Report(state="checking", session=self._session, message=message, hint=hint))

    def _changed(self, outlet: Outlet, state: State) -> None:
        if state == "quiet":
            message = f"another watcher is recording into {outlet.bucket_id}: Dayline does not"
            hint = "stop the other watcher, or turn this one off"
            self._report(Report(state="quiet", bucket=outlet.bucket_id, message=message, hint=hint))
        else:
            message = f"Recording into {outlet.bucket_id}"
            self._report(Report(state="recording", bucket=outlet.bucket_id, message=message))

    def _outlet(self, name: str, *, type: str, pulsetime_s: float) -> Outlet:
        config = self._config
        watcher = Watcher(
            name,
            type=type,
            pulsetime_s=pulsetime_s,
            url=config.url,
            key=config.key,
            ca_file=config.ca_file,
            fingerprint=config.fingerprint,
            hostname=config.hostname,
            queue_file=Path(config.folder) / f"{name}.db",
            is_paused=True,
        )
        return Outlet(watcher, pulsetime_s=pulsetime_s, rules=lambda: self._cache.rules)

    def _transport(self) -> Transport:
        config = self._config
        return Transport(config.url, key=config.key, ca_file=config.ca_file, fingerprint=config.fingerprint)

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # if the pipe is full, it is awake
            os.write(self._wake_write, b"w")


def _clock_difference() -> float:
    """Seconds that this computer has slept since it started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


if __name__ == "__main__":
    main()
