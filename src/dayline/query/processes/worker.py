"""The loop of a query process: reads a job from standard input, writes the response to standard output."""

import contextlib
import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from dayline.model.access import ALL_BUCKETS, BucketNames
from dayline.model.errors import BucketNotFound, ReplicaUnusable, Unavailable
from dayline.model.time import Microseconds
from dayline.query.processes.failures import out_of_memory
from dayline.query.processes.messages import (
    Cancelled,
    Crashed,
    Done,
    JobOutcome,
    QueryJob,
    Ready,
    Reply,
    StoreUnreadable,
    Work,
    read_work,
)
from dayline.runtime.framing import frame
from dayline.runtime.machine import writable_process_files
from dayline.runtime.untrusted import limit_memory
from dayline.storage.columns.source import Cache, Cacheable, ColumnSource, EventColumns, K, ReadReport, SourceBucket
from dayline.transform.text import TextQuery

_NICENESS: Final = 10
_OOM_SCORE: Final = 500  # of 1,000: when memory runs out, the system kills this process before the recording one


def confine(*, memory_mib: int) -> None:
    """Limit the memory, lower the priority, and leave Ctrl-C to the recording process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        return
    os.nice(_NICENESS)
    limit_memory(memory_mib)
    if sys.platform == "linux":
        _offer_to_the_system()


def give_back_memory() -> None:
    """Return free memory to the system, if the C library supports it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every Linux has glibc
            ctypes.CDLL(None).malloc_trim(0)


def _offer_to_the_system() -> None:
    score = Path("/proc/self/oom_score_adj")
    with contextlib.suppress(OSError):  # not available in every container; nothing else depends on it
        if os.access(score, os.W_OK):
            score.write_text(f"{_OOM_SCORE}\n")
        else:  # this process has the key of an encrypted database
            with writable_process_files():
                score.write_text(f"{_OOM_SCORE}\n")


_LOOK_FOR_PARENT_S: Final = 1.0
_TRY_AGAIN_S: Final = 0.01
MANY_EVENTS: Final = 2_000_000  # a query that read more leaves fragmented memory, and the next would need as much again

Answer: TypeAlias = Callable[[Work, ColumnSource], tuple[JobOutcome, list[bytes]]]


class Columns(Protocol):
    """Stores as query processes read them."""

    def snapshot(self, tenant: str = "", *, may_read_replica: bool = False) -> AbstractContextManager[ColumnSource]:
        """A snapshot of a tenant's data for one query. Reading it raises ReplicaUnusable if a replica cannot be read.

        Without a replica, `may_read_replica` has no effect.
        """
        ...


class _CancelledByParent(BaseException):
    """Not an Exception, so that no handler on the way treats it as a failure."""


def serve(columns: Columns, answer: Answer) -> None:
    """Process jobs until standard input ends. Other output to standard output goes to standard error."""
    # Duplicates, so that a stray print cannot get between two messages.
    jobs, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _serve(_Worker(columns, answer), jobs, replies)
    except BrokenPipeError:
        os._exit(1)  # the parent is gone, and closing the pipe would only fail again
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)  # during shutdown Python removes the signal handler


class _Worker:
    def __init__(self, columns: Columns, answer: Answer) -> None:
        self._columns = columns
        self._answer = answer
        self._is_cancelable = False
        self._is_cancel_lost = False
        self._parent = os.getppid()
        sys.unraisablehook = self._on_unraisable
        signal.signal(signal.SIGTERM, self._on_cancel)
        if hasattr(signal, "setitimer"):
            # A timer, not a thread: a runaway regular expression checks for signals, but blocks threads.
            signal.signal(signal.SIGALRM, self._on_alarm)
            signal.setitimer(signal.ITIMER_REAL, _LOOK_FOR_PARENT_S, _LOOK_FOR_PARENT_S)

    def run(self, work: Work) -> tuple[Reply, list[bytes]]:
        try:
            return self._run(work, may_read_replica=work.may_read_replica)
        except ReplicaUnusable:  # possibly in the middle: all of it runs again, on the primary
            return self._run(work, may_read_replica=False)

    def _run(self, work: Work, *, may_read_replica: bool) -> tuple[Reply, list[bytes]]:
        try:
            # Only the query itself can be canceled: the snapshot is always released.
            snapshot = self._columns.snapshot(work.tenant, may_read_replica=may_read_replica)
            with snapshot as source, self._cancelable():
                outcome, body = self._answer(work, source)
        except _CancelledByParent:
            return Cancelled(), []
        except MemoryError:
            outcome, body = JobOutcome(failure=out_of_memory()), []
        except ReplicaUnusable:
            raise
        except Unavailable as error:
            return StoreUnreadable(error.message, error.hint), []
        except Exception:
            return Crashed(traceback.format_exc()), []
        if isinstance(work, QueryJob) and work.mode == "explain":
            # As results, which the recording process passes on without decoding: there may be many.
            body = [] if outcome.failure is not msgspec.UNSET else [msgspec.json.encode(outcome.statements)]
            outcome = replace(outcome, statements=[])
        return Done(outcome, sum(map(len, body))), body

    @contextmanager
    def _cancelable(self) -> Generator[None]:
        self._is_cancelable = True
        try:
            yield
        finally:
            self._is_cancelable = self._is_cancel_lost = False

    def _on_cancel(self, number: int, frame: FrameType | None) -> None:
        if self._is_cancelable:
            self._is_cancelable = False
            raise _CancelledByParent

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if os.getppid() != self._parent:
            os._exit(1)  # the parent no longer waits for the response
        if self._is_cancel_lost:
            self._is_cancel_lost = False
            raise _CancelledByParent

    def _on_unraisable(self, unraisable: "sys.UnraisableHookArgs") -> None:
        # What a signal raises while an object is finalized is lost: it is raised again a moment later.
        if unraisable.exc_type is _CancelledByParent and hasattr(signal, "setitimer"):
            self._is_cancel_lost = True
            signal.setitimer(signal.ITIMER_REAL, _TRY_AGAIN_S, _LOOK_FOR_PARENT_S)
        else:
            sys.__unraisablehook__(unraisable)


def _serve(worker: _Worker, jobs: BinaryIO, replies: BinaryIO) -> None:
    _write(replies, Ready(), [])
    while (work := read_work(jobs)) is not None:
        reply, body = worker.run(work)
        _write(replies, reply, body)
        if isinstance(reply, Crashed):
            return
        has_read_much = isinstance(reply, Done) and reply.outcome.statistics.events_read > MANY_EVENTS
        del reply, body  # must not be held while the next job runs
        if has_read_much:
            give_back_memory()


def _write(pipe: BinaryIO, reply: Reply, body: list[bytes]) -> None:
    pipe.write(frame(reply))
    pipe.writelines(body)
    pipe.flush()


class SourceView:
    """A ColumnSource with some of the buckets, as if the others did not exist, or with another cache."""

    def __init__(self, source: ColumnSource, names: BucketNames = ALL_BUCKETS, *, cache: Cache | None = None) -> None:
        self._source = source
        self._names = names
        self.cache = source.cache if cache is None else cache

    def buckets(self) -> Sequence[SourceBucket]:
        if self._names.is_all:
            return self._source.buckets()
        return [
            msgspec.structs.replace(bucket, aliases=tuple(alias for alias in bucket.aliases if alias in self._names))
            for bucket in self._source.buckets()
            if bucket.id in self._names
        ]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        self._check(bucket_id)
        return self._source.events(bucket_id, start, end, report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        self._check(bucket_id)
        return self._source.matching(bucket_id, start, end, query, report)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        self._check(bucket_id)
        return self._source.words_like(bucket_id, word)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        self._check(bucket_id)
        return self._source.count(bucket_id, start, end)

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        self._check(bucket_id)
        return self._source.extent(bucket_id)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        self._check(bucket_id)
        return self._source.state(bucket_id, start, end)

    def _check(self, bucket_id: str) -> None:
        if self._names.is_all:
            return
        # By its own id or an alias, and both must be allowed.
        if not any(bucket_id == bucket.id or bucket_id in bucket.aliases for bucket in self.buckets()):
            raise BucketNotFound(bucket_id)


def without_rules(source: ColumnSource, skipped: frozenset[str]) -> ColumnSource:
    """A source that separates cached rule results from those before these patterns were skipped."""
    return SourceView(source, cache=_PrefixedCache(source.cache, skipped)) if skipped else source


class _PrefixedCache:
    def __init__(self, cache: Cache, prefix: Hashable) -> None:
        self._cache = cache
        self._prefix = prefix

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        return self._cache.get((self._prefix, key), kind)

    def put(self, key: Hashable, thing: Cacheable) -> None:
        self._cache.put((self._prefix, key), thing)
