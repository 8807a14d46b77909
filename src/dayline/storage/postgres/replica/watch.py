"""The replica check, on its own thread: whether queries may use the replica, and why not."""

import contextlib
import logging
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeVar

import psycopg

from dayline.model.errors import StoreUnusable
from dayline.model.health import Problem
from dayline.model.time import Timestamp, format_timestamp, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.postgres.connection import (
    Connection,
    connect,
    connect_standby,
    display_address,
    error_text,
    within,
)
from dayline.storage.postgres.replica.standby import Primary, Standby, marked_primary_of, misfit, standby_of

T = TypeVar("T")

log = logging.getLogger(__name__)

_LOOK_S: Final = 1.0
_ANSWER_S: Final = 3.0
_SAMPLES: Final = 3600  # an hour: a longer lag is reported as an hour


class ReplicaWatch:
    """Checks once a second until `close`. All other methods may be called from any thread.

    A replica that was dropped is used again when its lag is below half of `max_lag_s`, so that it does not flap.
    """

    def __init__(self, address: str, replica: str, *, max_lag_s: float, background: BackgroundWorkers) -> None:
        self._primary = _ReconnectingConnection(lambda: connect(address))
        self._replica = _ReconnectingConnection(lambda: connect_standby(replica))
        self._name = display_address(replica)
        self._max_lag_s = max_lag_s
        interval_s = min(_LOOK_S, max_lag_s / 4)
        self._lag = Lag()
        self._is_known = False  # whether it has been checked
        self._fault: tuple[str, Timestamp] | None = None
        self._thread = background.thread(
            "replica watch",
            self._run,
            interval_s=interval_s,
            max_retry_s=interval_s,
            problem_kind="replica",
            on_stop=self._disconnect,
        )
        self._thread.start()

    def is_usable(self) -> bool:
        """Whether queries may use the replica. Each query checks itself that its data is there."""
        return self._is_known and self._fault is None

    def problems(self) -> list[Problem]:
        fault = self._fault
        if fault is None:
            return []
        return [
            Problem(
                kind="replica",
                message=f"queries use the primary because the replica {self._name} {fault[0]}",
                hint="check the replica; queries return to it automatically",
                since=fault[1],
            )
        ]

    def close(self) -> None:
        self._thread.close(10)

    def _run(self) -> None:
        try:
            self._look()
        except Exception:
            self._note("could not be checked; see the log")
            raise

    def _disconnect(self) -> None:
        self._primary.close()
        self._replica.close()

    def _look(self) -> None:
        try:
            primary = self._primary.ask(marked_primary_of)
        except (psycopg.Error, StoreUnusable):
            return  # without the primary nothing can be read, and the writer reports that
        self._lag.take(primary, monotonic())
        self._note(self._fault_now(primary))

    def _fault_now(self, primary: Primary) -> str | None:
        try:
            standby = self._replica.ask(standby_of)
        except psycopg.Error as error:
            return f"cannot be read: {error_text(error)}"
        except StoreUnusable as error:
            return f"cannot be read: {error.message}"
        problem = misfit(primary, standby)
        if problem is not None:
            self._replica.close()  # with several hosts, another may be the standby now
            return problem
        lag_s = self._lag.of(standby, monotonic())
        max_s = self._max_lag_s if self._fault is None else self._max_lag_s / 2
        return f"is {lag_s:.1f} s behind" if lag_s > max_s else None

    def _note(self, fault: str | None) -> None:
        before, was_known = self._fault, self._is_known
        if fault is not None:
            self._fault = (fault, format_timestamp(now_us()) if before is None else before[1])
        else:
            self._fault = None
        self._is_known = True
        if fault is not None and before is None:
            log.warning("Queries use the primary because the replica %s %s", self._name, fault)
        elif fault is None and (before is not None or not was_known):
            log.info("Queries use the replica %s", self._name)


class Lag:
    """How long ago the primary was where a standby is now, by our own clock: theirs may differ or pause."""

    def __init__(self) -> None:
        self._line = ""
        self._samples: deque[tuple[float, int]] = deque(maxlen=_SAMPLES)

    def take(self, primary: Primary, now: float) -> None:
        """Record the position of the primary."""
        if primary.line != self._line:
            self._line = primary.line
            self._samples.clear()
        if not self._samples or self._samples[-1][1] != primary.flushed:
            self._samples.append((now, primary.flushed))

    def of(self, standby: Standby, now: float) -> float:
        """The lag in seconds."""
        if standby.line == self._line:
            while self._samples and self._samples[0][1] <= standby.replayed:
                self._samples.popleft()
        return now - self._samples[0][0] if self._samples else 0.0


class _ReconnectingConnection:
    """A connection that is opened on demand, and again after it was lost."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._db: Connection | None = None

    def ask(self, question: Callable[[Connection], T]) -> T:
        """Raises psycopg.Error, or StoreUnusable if the user lacks a permission."""
        db = self._db
        if db is None:
            db = self._db = self._connect()
        try:
            with within(db, _ANSWER_S):
                return question(db)
        except psycopg.Error:
            self.close()
            raise

    def close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(psycopg.Error):
                db.close()
