"""A query process whose programs are orders: `sleep 2`, `exit 3`, `body 100`; all around the engine is the real thing.

python -m tests.support.query.scripted_worker MEMORY_MIB
"""

import os
import re
import signal
import sys
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from dayline.model.errors import StoreUnusable
from dayline.query.errors import QueryFunctionError, SourcePosition
from dayline.query.processes.messages import Failure, JobOutcome, QueryJob, Statistics, Work
from dayline.query.processes.worker import confine, serve
from dayline.storage.columns.source import ColumnSource
from tests.support.query.tables import MemorySource

BEGUN_FOLDER: Final = "SCRIPTED_WORKER_BEGUN"  # the variable that names where processes mark what they have begun

HELD: Final = "held"  # a file in that folder: while it is there, no process becomes ready


class NoColumns:
    """A store without buckets."""

    @contextmanager
    def snapshot(self, tenant: str = "", *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        yield MemorySource({})


def report(_: str) -> object:
    """What can be seen of the process from inside."""
    return {
        "pid": os.getpid(),
        "nice": os.nice(0),
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "interrupt": signal.getsignal(signal.SIGINT) == signal.SIG_IGN,
    }


def sleep(seconds: str) -> object:
    time.sleep(float(seconds))
    return "slept"


def marked(order: str) -> str:
    """The name of the file that says that a process has begun an order."""
    return order.replace("/", "_")[:100]


def tear_down(seconds: str) -> object:
    """Sleep in the callback of a weak reference, where nothing that is raised gets any further, and then again."""
    thing = MemorySource({})
    reference = weakref.ref(thing, lambda _: time.sleep(float(seconds)))
    del thing
    assert reference() is None
    return sleep(seconds)


def run_away(_: str) -> object:
    return re.search("(a+)+$", "a" * 60 + "b")


def end(status: str) -> object:
    os._exit(int(status))


def end_by_signal(number: str) -> object:
    os.kill(os.getpid(), int(number))
    return "alive"


def say(words: str) -> object:
    """To standard output, where the responses go, and to standard error."""
    os.write(1, words.encode())
    os.write(2, words.encode())
    return "said"


def fail(message: str) -> object:
    raise ValueError(message)


def cannot_read(message: str) -> object:
    raise StoreUnusable(message, hint="a hint")


def allocate(mib: str) -> object:
    return len(bytearray(int(mib) << 20))


def fill(size: str) -> object:
    return "x" * (int(size) - 4)  # without the brackets and quotes around it


ORDERS: Final[dict[str, Callable[[str], object]]] = {
    "report": report,
    "sleep": sleep,
    "sleep-deaf": sleep,
    "tear-down": tear_down,
    "run-away": run_away,
    "exit": end,
    "signal": end_by_signal,
    "say": say,
    "fail": fail,
    "cannot-read": cannot_read,
    "allocate": allocate,
    "body": fill,
}


def answer(work: Work, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
    assert isinstance(work, QueryJob)
    order, _, rest = work.text.partition(" ")
    if order == "sleep-deaf":  # it does not hear that it is to be given up
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    (Path(os.environ[BEGUN_FOLDER]) / marked(work.text)).touch()
    if order == "print":
        return JobOutcome(printed=rest.split(",")), [b"[]"]
    if order == "refuse":
        failure = Failure(
            kind=QueryFunctionError.kind,
            message=rest,
            hint="a hint",
            place=SourcePosition(line=2, column=3, excerpt="x\n ^"),
            expected=("y",),
        )
        return JobOutcome(failure=failure), []
    result = msgspec.json.encode([ORDERS[order](rest)])
    return JobOutcome(statistics=Statistics(result_bytes=len(result))), [result[:1], result[1:]]


if __name__ == "__main__":
    while (Path(os.environ[BEGUN_FOLDER]) / HELD).exists():
        time.sleep(0.01)
    confine(memory_mib=int(sys.argv[1]))
    serve(NoColumns(), answer)
