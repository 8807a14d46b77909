"""Gathers what callers do, and writes it to the audit log now and then: a heartbeat adds to a count in memory."""

import asyncio
import contextlib
import logging
from typing import Final

from dayline.access.caller import Caller
from dayline.access.keyring import Clock, Keyring
from dayline.model.access import AuditTally, KeyUse
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError
from dayline.model.time import SECOND, Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore

FLUSH_S: Final = 10
_HOUR: Final[Microseconds] = 3600 * SECOND
_DAY: Final[Microseconds] = 24 * _HOUR
_REFUSED: Final = 400
_MOST_TALLIES: Final = 5_000  # different ones between two flushes; beyond it address and bucket are left out
_MOST_REFUSALS: Final = 1_000  # the same for refusals of an hour: anybody can have those, about any bucket
OTHER: Final = "(many)"

Place = tuple[str, str, str, str, int, Microseconds]  # who, address, call, bucket, status, slot

log = logging.getLogger(__name__)


class Tally:
    """A count that is still growing."""

    __slots__ = ("address", "bucket", "call", "caller", "count", "first", "last", "slot", "status")

    def __init__(
        self, caller: Caller, *, address: str, call: str, bucket: str, status: int, slot: Microseconds
    ) -> None:
        self.caller = caller
        self.address = address
        self.call = call
        self.bucket = bucket
        self.status = status
        self.slot = slot
        self.count = 0
        self.first: Microseconds = 0
        self.last: Microseconds = 0


class AuditLog:
    """What happened since the last flush. Every method is called on the event loop."""

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
        self._kept = days * _DAY
        self._clock = clock
        self._ages = ages or clock  # by which old lines are forgotten: a clock that was set ahead must not do that
        self._flush_s = flush_s
        self._tallies: dict[Place, Tally] = {}
        self._refusals: set[Place] = set()  # told apart in the hour that begins at `_refusal_slot`
        self._refusal_slot: Microseconds = 0
        self._timer: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        workers = background or BackgroundWorkers()
        self._task = workers.task("audit log", self._flush, interval_s=None, initial_delay_s=None, tenant=tenant)
        self.turn = 0  # changes when the tallies that were handed out no longer count

    def note(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> None:
        """Count a call that was answered."""
        self.add(self.tally(caller, address=address, call=call, bucket=bucket, status=status))

    async def note_operation(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> None:
        """Write down at once something that destroys: it is told alone, and is there even if the server is killed."""
        tally = Tally(caller, address=address, call=call, bucket=bucket, status=status, slot=self._clock())
        self.add(tally)
        # What was done is done, and is answered: where it cannot be written, the next flush tries again.
        with contextlib.suppress(DaylineError):
            await self._write([tally])

    def tally(self, caller: Caller, *, address: str, call: str, bucket: str, status: int) -> Tally:
        """The count of such calls until the next turn, for those who make many of them: see `add`."""
        unit = _HOUR if status >= _REFUSED else _DAY
        slot = self._clock() // unit * unit
        bucket = bucket[:MAX_ID_CHARACTERS]  # what is refused may be called anything, at any length
        return self._tally(caller, address=address, call=call, bucket=bucket, status=status, slot=slot)

    def _tally(self, caller: Caller, *, address: str, call: str, bucket: str, status: int, slot: Microseconds) -> Tally:
        place = (caller.who, address, call, bucket, status, slot)
        if self._is_one_too_many(place):
            address, bucket = OTHER, OTHER
            place = (caller.who, address, call, bucket, status, slot)
        tally = self._tallies.get(place)
        if tally is None:
            tally = self._tallies[place] = Tally(
                caller, address=address, call=call, bucket=bucket, status=status, slot=slot
            )
            self._schedule()
        return tally

    def _is_one_too_many(self, place: Place) -> bool:
        """Whether a line of its own would be one of so many that somebody must be making them up."""
        if place in self._tallies:
            return False
        *_, status, slot = place
        if status >= _REFUSED:
            # Or far before it: the clock was set back. What is taken back is of the hour before at most.
            if slot > self._refusal_slot or slot < self._refusal_slot - _HOUR:
                self._refusal_slot, self._refusals = slot, set()
            if place not in self._refusals:
                if len(self._refusals) >= _MOST_REFUSALS:
                    return True
                self._refusals.add(place)
        return len(self._tallies) >= _MOST_TALLIES

    def add(self, tally: Tally) -> None:
        """Count a call in a tally of this turn."""
        now = self._clock()
        tally.count += 1
        tally.first = tally.first or now
        tally.last = now

    async def flush(self) -> None:
        """Write what has gathered. What cannot be written now is kept for the next time."""
        with contextlib.suppress(DaylineError):  # it is tried again, and then logged
            await self._flush()

    async def close(self) -> None:
        """Write what is left. Raises nothing."""
        async with self._one_at_a_time:
            await self._task.close()
        try:
            await self._flush()
        except DaylineError as error:
            log.warning("the last entries of the audit log are lost: %s", error.message)
        except Exception:
            log.exception("the last entries of the audit log are lost")
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
        forget_before = self._ages() - self._kept
        try:
            await self._store.note([_written(tally) for tally in tallies], uses, forget_before=forget_before)
        except Exception:
            self._take_back(tallies)
            raise
        for use in uses:
            self._keyring.note_use(use)

    def _take_back(self, tallies: list[Tally]) -> None:
        for tally in tallies:
            mine = self._tally(
                tally.caller,
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
        self._task.start()  # not before: a command that calls once leaves no task behind
        self._task.wake()


def _written(tally: Tally) -> AuditTally:
    return AuditTally(
        slot=tally.slot,
        who=tally.caller.who,
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
    """For each key its last use."""
    latest: dict[str, Tally] = {}
    for tally in tallies:
        key_id = tally.caller.key_id
        if key_id and (key_id not in latest or latest[key_id].last < tally.last):
            latest[key_id] = tally
    return [KeyUse(key_id=key_id, when=tally.last, address=tally.address) for key_id, tally in latest.items()]
