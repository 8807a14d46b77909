"""Counts calls in memory and writes the counts to the audit log at intervals."""

import asyncio
import contextlib
import logging
from collections import Counter
from typing import Final

from dayline.access.keyring import Clock, Keyring
from dayline.model.access import Caller
from dayline.model.audit import AuditTally, KeyUse
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError
from dayline.model.time import SECOND, Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore

FLUSH_S: Final = 10
_HOUR: Final[Microseconds] = 3600 * SECOND
_DAY: Final[Microseconds] = 24 * _HOUR
_ERROR: Final = 400
# Limits of lines, because callers can invent buckets, addresses and origins. Beyond the first limit the bucket is left
# out, beyond the second one the address, too.
_MAX_TALLIES: Final = (4_500, 5_000)  # between two flushes
_MAX_ERROR_TALLIES: Final = (500, 750)  # for errors of an hour; the same again for callers that are not known
_MAX_BUCKETS: Final = 50  # in errors of one caller, address, call and status in an hour
_MAX_ORIGINS: Final = 20  # of a key in an hour
OTHER: Final = "(many)"
TallyKey = tuple[str, str, str, str, int, Microseconds]  # who, address, call, bucket, status, slot

log = logging.getLogger(__name__)


class Tally:
    """A count that is not written yet."""

    __slots__ = ("address", "bucket", "call", "caller", "count", "first", "last", "slot", "status", "who")

    def __init__(
        self, caller: Caller, *, who: str, address: str, call: str, bucket: str, status: int, slot: Microseconds
    ) -> None:
        self.caller = caller
        self.who = who
        self.address = address
        self.call = call
        self.bucket = bucket
        self.status = status
        self.slot = slot
        self.count = 0
        self.first: Microseconds = 0
        self.last: Microseconds = 0


class AuditLog:
    """The calls since the last flush. Use on the event loop."""

    def __init__(
        self,
        store: AccessStore,
        keyring: Keyring,
        *,
        days: int,
        clock: Clock = now_us,
        ages: Clock | None = None,
        flush_s: float = FLUSH_S,
        background: BackgroundWorkers | None = None,
        tenant: str = "",
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._retention = days * _DAY
        self._clock = clock
        self._ages = ages or clock  # clock for expiry: one that was set ahead must not delete lines
        self._flush_s = flush_s
        self._tallies: dict[TallyKey, Tally] = {}
        self._errors = _ErrorLines()
        self._origins: dict[str, set[str]] = {}  # by key, in the hour that begins at `_origin_slot`
        self._origin_slot: Microseconds = 0
        self._timer: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        workers = background or BackgroundWorkers()
        self._task = workers.task("audit log", self._flush, interval_s=None, initial_delay_s=None, tenant=tenant)
        self.turn = 0  # changes with each flush; tallies of an earlier turn are written

    def note(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> None:
        """Count an answered call."""
        self.add(self.tally(caller, address=address, call=call, bucket=bucket, status=status))

    async def note_operation(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> None:
        """Write a destructive call at once, on its own line, so that it survives a kill."""
        who, slot = self._name(caller), self._clock()
        tally = Tally(caller, who=who, address=address, call=call, bucket=bucket, status=status, slot=slot)
        self.add(tally)
        # The operation is done and must be answered: if this fails, the next flush tries again.
        with contextlib.suppress(DaylineError):
            await self._write([tally])

    def tally(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> Tally:
        """The count of such calls until the next flush. Callers with many calls keep it and use `add`."""
        unit = _HOUR if status >= _ERROR else _DAY
        slot = self._clock() // unit * unit
        bucket = bucket[:MAX_ID_CHARACTERS]  # a rejected request may contain an id of any length
        who = self._name(caller)
        return self._tally(caller, who=who, address=address, call=call, bucket=bucket, status=status, slot=slot)

    def _name(self, caller: Caller) -> str:
        """The caller's name; without the origin if its key has sent many."""
        if not (caller.key_id and caller.origin):
            return caller.who
        hour = self._clock() // _HOUR
        if hour != self._origin_slot:
            self._origin_slot, self._origins = hour, {}
        origins = self._origins.setdefault(caller.key_id, set())
        if len(origins) < _MAX_ORIGINS:
            origins.add(caller.origin)
        return caller.who if caller.origin in origins else f"{caller.kind} {caller.key_id} {OTHER}"

    def _tally(
        self, caller: Caller, *, who: str, address: str, call: str, bucket: str, status: int, slot: Microseconds
    ) -> Tally:
        for level, name in enumerate((bucket, OTHER)):
            key, bucket = (who, address, call, name, status, slot), name
            if self._has_place(key, level, is_known=caller.kind != "nobody"):
                break
        else:
            address = OTHER
            key = (who, address, call, bucket, status, slot)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = Tally(
                caller, who=who, address=address, call=call, bucket=bucket, status=status, slot=slot
            )
            self._schedule()
        return tally

    def _has_place(self, key: TallyKey, level: int, *, is_known: bool) -> bool:
        """Whether there may be a line for this key."""
        if key in self._tallies:
            return True
        status = key[4]
        if status >= _ERROR and not self._errors.has_place(key, level, is_known=is_known):
            return False
        return len(self._tallies) < _MAX_TALLIES[level]

    def add(self, tally: Tally) -> None:
        """Count a call in a tally of the current turn."""
        now = self._clock()
        tally.count += 1
        tally.first = tally.first or now
        tally.last = now

    async def flush(self) -> None:
        """Write all counts. If that fails, they are kept for the next flush."""
        with contextlib.suppress(DaylineError):  # the background task tries again and logs the error
            await self._flush()

    async def close(self) -> None:
        """Write the remaining counts. Raises nothing."""
        async with self._one_at_a_time:
            await self._task.close()
        try:
            await self._flush()
        except DaylineError as error:
            log.warning("The last entries of the audit log are lost: %s", error.message)
        except Exception:
            log.exception("The last entries of the audit log are lost")
        if self._timer is not None:
            self._timer.cancel()

    async def _flush(self) -> None:
        async with self._one_at_a_time:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            tallies, self._tallies = self._tallies, {}
            self.turn += 1
            counted = [tally for tally in tallies.values() if tally.count]
            if counted:
                await self._write(counted)

    async def _write(self, tallies: list[Tally]) -> None:
        uses = _uses(tallies)
        forget_before = self._ages() - self._retention
        try:
            await self._store.note([_audit_tally(tally) for tally in tallies], uses, forget_before=forget_before)
        except Exception:
            self._restore(tallies)
            raise
        for use in uses:
            self._keyring.note_use(use)

    def _restore(self, tallies: list[Tally]) -> None:
        for tally in tallies:
            mine = self._tally(
                tally.caller,
                who=tally.who,
                address=tally.address,
                call=tally.call,
                bucket=tally.bucket,
                status=tally.status,
                slot=tally.slot,
            )
            mine.count += tally.count
            mine.first = min(tally.first, mine.first or tally.first)
            mine.last = max(tally.last, mine.last)

    def _schedule(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._flush_s, self._begin_flush)

    def _begin_flush(self) -> None:
        self._task.start()  # only now: a command with a single call needs no task
        self._task.wake()


class _ErrorLines:
    """The lines for errors in an hour.

    Callers that are not known have lines of their own, and each has few buckets: so errors of others keep their bucket,
    and all keep their address.
    """

    def __init__(self) -> None:
        self._slot: Microseconds = 0
        self._lines: dict[bool, set[TallyKey]] = {True: set(), False: set()}  # by whether the caller is known
        self._buckets: Counter[tuple[str, str, str, int]] = Counter()

    def has_place(self, key: TallyKey, level: int, *, is_known: bool) -> bool:
        """Whether there may be a line for this key; if so, it is counted."""
        who, address, call, _, status, slot = key
        # Also if the slot is much earlier: the clock was set back. Restored tallies are at most an hour old.
        if slot > self._slot or slot < self._slot - _HOUR:
            self._slot, self._lines, self._buckets = slot, {True: set(), False: set()}, Counter()
        lines, source = self._lines[is_known], (who, address, call, status)
        if key in lines:
            return True
        if len(lines) >= _MAX_ERROR_TALLIES[level] or (level == 0 and self._buckets[source] >= _MAX_BUCKETS):
            return False
        lines.add(key)
        self._buckets[source] += 1
        return True


def _audit_tally(tally: Tally) -> AuditTally:
    return AuditTally(
        slot=tally.slot,
        who=tally.who,
        key_id=tally.caller.key_id,
        address=tally.address,
        call=tally.call,
        bucket=tally.bucket,
        status=tally.status,
        first=tally.first,
        last=tally.last,
        count=tally.count,
    )


def _uses(tallies: list[Tally]) -> list[KeyUse]:
    """The last use of each key."""
    latest: dict[str, Tally] = {}
    for tally in tallies:
        key_id = tally.caller.key_id
        if key_id and (key_id not in latest or latest[key_id].last < tally.last):
            latest[key_id] = tally
    return [KeyUse(key_id=key_id, when=tally.last, address=tally.address) for key_id, tally in latest.items()]
