"""The loop of a query process: a job from standard input, its answer to standard output, until the input ends."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import BinaryIO, Final, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from dayline.model.errors import ReplicaUnusable, Unavailable
from dayline.query.confinement import give_back_memory
from dayline.query.failures import out_of_memory
from dayline.query.frames import Cancelled, Crashed, Done, Ready, Reply, Unreadable, frame, read_work
from dayline.query.job import Job, Outcome, Work
from dayline.storage.columns.source import ColumnSource

_LOOK_FOR_PARENT_S: Final = 1.0
_TRY_AGAIN_S: Final = 0.01
MANY_EVENTS: Final = 2_000_000  # a query that read more leaves memory in pieces, and the next would need as much anew

Answer: TypeAlias = Callable[[Work, ColumnSource], tuple[Outcome, list[bytes]]]


class Columns(Protocol):
    """Stores as query processes read them."""

    def snapshot(self, tenant: str = "", *, may_read_replica: bool = False) -> AbstractContextManager[ColumnSource]:
        """One state of a person's, for one query. What reads it raises ReplicaUnusable where a replica cannot be read.

        Without a replica, `may_read_replica` changes nothing.
        """
        ...


class _CancelledByParent(BaseException):
    """Not an Exception, so that nobody on its way takes it for a failure of their own."""


def serve(columns: Columns, answer: Answer) -> None:
    """Answer jobs until standard input ends. What others write to standard output goes to standard error."""
    # Copies, so that a stray print cannot stand between two messages.
    jobs, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _serve(_Worker(columns, answer), jobs, replies)
    except BrokenPipeError:
        os._exit(1)  # nobody is left to be told, and closing the pipe would only fail again
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)  # on its way out Python forgets who takes the signal


class _Worker:
    def __init__(self, columns: Columns, answer: Answer) -> None:
        self._columns = columns
        self._answer = answer
        self._is_cancellable = False
        self._is_cancel_lost = False
        self._parent = os.getppid()
        sys.unraisablehook = self._on_unraisable
        signal.signal(signal.SIGTERM, self._on_cancel)
        if hasattr(signal, "setitimer"):
            # A timer, not a thread: a runaway regular expression looks for signals, and lets no thread run.
            signal.signal(signal.SIGALRM, self._on_alarm)
            signal.setitimer(signal.ITIMER_REAL, _LOOK_FOR_PARENT_S, _LOOK_FOR_PARENT_S)

    def run(self, work: Work) -> tuple[Reply, list[bytes]]:
        try:
            return self._run(work, may_read_replica=work.may_read_replica)
        except ReplicaUnusable:  # perhaps in the middle: all of it is run again, on the data themselves
            return self._run(work, may_read_replica=False)

    def _run(self, work: Work, *, may_read_replica: bool) -> tuple[Reply, list[bytes]]:
        try:
            # Only the query itself can be cancelled: the snapshot is always given back.
            snapshot = self._columns.snapshot(work.tenant, may_read_replica=may_read_replica)
            with snapshot as source, self._cancellable():
                outcome, body = self._answer(work, source)
        except _CancelledByParent:
            return Cancelled(), []
        except MemoryError:
            outcome, body = Outcome(failure=out_of_memory()), []
        except ReplicaUnusable:
            raise
        except Unavailable as error:
            return Unreadable(error.message, error.hint), []
        except Exception:
            return Crashed(traceback.format_exc()), []
        if isinstance(work, Job) and work.mode == "explain":
            # As results, which the recording process passes on without looking into them: there may be many.
            body = [] if outcome.failure is not msgspec.UNSET else [msgspec.json.encode(outcome.statements)]
            outcome = replace(outcome, statements=[])
        return Done(outcome, sum(map(len, body))), body

    @contextmanager
    def _cancellable(self) -> Generator[None]:
        self._is_cancellable = True
        try:
            yield
        finally:
            self._is_cancellable = self._is_cancel_lost = False

    def _on_cancel(self, number: int, frame: FrameType | None) -> None:
        if self._is_cancellable:
            self._is_cancellable = False
            raise _CancelledByParent

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if os.getppid() != self._parent:
            os._exit(1)  # nobody waits for the answer any more
        if self._is_cancel_lost:
            self._is_cancel_lost = False
            raise _CancelledByParent

    def _on_unraisable(self, unraisable: "sys.UnraisableHookArgs") -> None:
        # What a signal raises while an object is torn down goes no further: it is raised again a moment later.
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
        del reply, body  # not to be held while the next job runs
        if has_read_much:
            give_back_memory()


def _write(pipe: BinaryIO, reply: Reply, body: list[bytes]) -> None:
    pipe.write(frame(reply))
    pipe.writelines(body)
    pipe.flush()
