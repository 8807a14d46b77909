"""The problems of one tenant that health reports: devices and watchers that have stopped."""

import asyncio
from collections.abc import Callable
from typing import Final

from dayline.insight.now.watchers import Watchers
from dayline.model.errors import DaylineError
from dayline.model.health import Problem
from dayline.model.time import SECOND, Microseconds, format_timestamp, parse_timestamp
from dayline.model.upkeep.mirror import is_mirror
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store

# Health must answer even if the database cannot be read, and at once while other requests wait for it.
_WAIT_S: Final = 2.0
_TURN_S: Final = 0.3
_HINT: Final = "start what records there again; dayline status shows all watchers"


class WatcherHealth:
    """Use it on the event loop. While events cannot be read, it reports the last known state."""

    def __init__(self, watchers: Watchers, store: Store, *, clock: Callable[[], Microseconds]) -> None:
        self._watchers = watchers
        self._store = store
        self._clock = clock
        self._problems: list[Problem] = []
        self._reading: asyncio.Task[None] | None = None
        self._has_begun = False

    async def problems(self) -> list[Problem]:
        """Devices and watchers that have stopped although they are expected to record."""
        if self._reading is None or self._reading.done():
            self._has_begun = False
            self._reading = asyncio.get_running_loop().create_task(self._read())
        await asyncio.wait({self._reading}, timeout=_TURN_S)
        if self._has_begun:
            await asyncio.wait({self._reading}, timeout=_WAIT_S - _TURN_S)
        return self._problems

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _read(self) -> None:
        try:
            self._problems = await in_thread(self._find_problems)
        except DaylineError:
            return  # the database reports its own problems

    def _find_problems(self) -> list[Problem]:
        self._has_begun = True
        everything, now = self._store.buckets().values(), self._clock()
        buckets = [bucket for bucket in everything if not is_mirror(bucket)]  # another device knows what it records
        verdicts, devices = self._watchers.all_verdicts(self._store, buckets, (), now=now)
        problems = [
            _problem(f"nothing is recorded on {device}", verdict.last)
            for device, verdict in devices.items()
            if verdict.health == "silent" and verdict.last is not None
        ]
        for bucket in buckets:
            since = verdicts[bucket.id].silent_since
            if since is not None and devices[bucket.hostname].health != "silent":
                message = f"{bucket.id} records nothing, although {bucket.hostname} is in use"
                problems.append(_problem(message, parse_timestamp(since)))
        return problems


def _problem(message: str, last: Microseconds) -> Problem:
    since = format_timestamp(last // SECOND * SECOND)
    return Problem(kind="watcher", message=f"{message}: last recorded {since}", hint=_HINT, since=since)
