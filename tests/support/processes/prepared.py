"""The command in a process of its own, without the half second in which Python finds and loads its modules.

One interpreter (`python -m tests.support.processes.prepared`) loads them once and forks for each process that is
requested. The fork runs what `python -m dayline` runs, with its own arguments, environment and standard streams. The
start itself is tested elsewhere, with processes that are started the long way.

Every process ends with the `PreparedProcess` that means it, and so with the test run, even if that is killed.
"""

import atexit
import gc
import importlib
import mimetypes
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import msgspec

_PACKAGES: Final = (
    "dayline.cli",
    "dayline.access",
    "dayline.maintenance",
)  # every module, and what it uses
_NOT_PRELOADED: Final = (
    "dayline.cli.serve.query_process",
    "dayline.access.issuing",
)  # large packages that servers do without
_PRELOADED: Final = ("dayline.storage.postgres.database", "uvicorn.lifespan.off", "uvloop", "encodings.idna")
_DAYLINE: Final = "from dayline.cli.main import main\nmain()"
_NUMBER: Final = struct.Struct("q")
_MOST_BYTES: Final = 1 << 17  # of an order: mostly the environment


class Order(msgspec.Struct, frozen=True):
    """What is to be run. With it come standard output, standard error, and where the process's number and end go."""

    program: list[str]  # to be executed with the arguments; none for the `dayline` that is loaded
    code: str  # Python that the loaded interpreter runs instead of `dayline`
    arguments: list[str]
    environment: dict[str, str]
    folder: str


class PreparedProcess:
    """A `dayline` of the loaded interpreter, or another program; it is killed if this object goes away.

    `code` is Python to run instead of `dayline`; as with `python -c`, the arguments are in `sys.argv[1:]`. `change` is
    Python to run before it. Everything is imported already: a constant that is replaced is so only for code that reads
    it from its module.

    `output` and `errors` are open files for what it writes to its standard streams.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        program: Sequence[str] = (),
        code: str = "",
        change: str = "",
        folder: Path | None = None,
        output: int | None = None,
        errors: int | None = None,
    ) -> None:
        self._errors = _file(self) if errors is None else errors
        self._reports, far_end = os.pipe()
        if change:
            code = f"{change}\n{code or _DAYLINE}"
        order = msgspec.json.encode(Order([*program], code, [*arguments], {**environment}, str(folder or Path.cwd())))
        with Path(os.devnull).open("wb") as nowhere:
            files = [nowhere.fileno() if output is None else output, self._errors, far_end]
            socket.send_fds(_prepared(), [order], files)
        os.close(far_end)
        weakref.finalize(self, os.close, self._reports)
        self.pid: int = self._number()
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        return self._ended(0)

    def wait(self, seconds: float) -> int:
        """The exit status. Raises TimeoutExpired if it still runs by then."""
        status = self._ended(seconds)
        if status is None:
            raise subprocess.TimeoutExpired("dayline", seconds)
        return status

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    @property
    def errors(self) -> bytes:
        return _read(self._errors)

    def _ended(self, seconds: float) -> int | None:
        if self._status is None and select.select([self._reports], [], [], seconds)[0]:
            self._status = self._number()
        return self._status

    def _number(self) -> int:
        number: int = _NUMBER.unpack(os.read(self._reports, _NUMBER.size))[0]
        return number


def completed(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    seconds: float,
    folder: Path | None = None,
    program: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """What a command said that was run to its end."""
    with tempfile.TemporaryFile() as output:
        process = PreparedProcess(arguments, environment, program=program, folder=folder, output=output.fileno())
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(
            ["dayline", *arguments], status, _read(output.fileno()).decode(), process.errors.decode()
        )


def _file(owner: object) -> int:
    """An open file without a name, closed with its owner."""
    file, name = tempfile.mkstemp()
    Path(name).unlink()
    weakref.finalize(owner, os.close, file)
    return file


def _read(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)


@cache
def _prepared() -> socket.socket:
    """The interpreter that is divided; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes.prepared"], stdin=theirs.fileno(), stdout=subprocess.DEVNULL
        )
    atexit.register(process.wait)
    atexit.register(ours.close)  # before: then it ends
    return ours


def _take_orders() -> None:
    for package in _PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name not in _NOT_PRELOADED:
                importlib.import_module(module.name)
    for name in _PRELOADED:
        importlib.import_module(name)
    mimetypes.init()  # otherwise every server reads the MIME types as it starts
    gc.collect()
    gc.freeze()
    _Processes(socket.socket(fileno=os.dup(0))).serve()


class _Process(NamedTuple):
    pid: int
    ended: int  # becomes readable when the process has ended
    report_to: int  # where its number and its exit status are written to


class _Processes:
    """Starts the processes that are ordered, reports their end, and kills those whose end no one waits for."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._running: dict[int, _Process] = {}  # by `ended` and by `report_to`
        self._changes = select.poll()
        self._changes.register(orders, select.POLLIN)

    def serve(self) -> None:
        """Until no one is left to give orders; then all of them are killed. In a new process, until that has run."""
        while True:
            number, _ = self._changes.poll()[0]  # one at a time: handling it may close the descriptors of the others
            process = self._running.get(number)
            if process is None:
                text, handed, _, _ = socket.recv_fds(self._orders, _MOST_BYTES, 3)
                if not text:
                    break
                if not self._start(msgspec.json.decode(text, type=Order), handed):
                    return
            elif number == process.ended:
                self._report(process)
            else:
                self._kill(process)
        for process in set(self._running.values()):
            self._kill(process)

    def _start(self, order: Order, handed: list[int]) -> bool:
        """False in the new process, when it has run."""
        output, errors, report_to = handed
        pid = os.fork()
        if pid == 0:
            self._orders.close()
            for other in set(self._running.values()):
                os.close(other.ended)
                os.close(other.report_to)
            os.close(report_to)
            _become(order, output, errors)
            return False
        os.close(output)
        os.close(errors)
        process = _Process(pid, os.pidfd_open(pid), report_to)
        self._running |= {process.ended: process, report_to: process}
        self._changes.register(process.ended, select.POLLIN)
        self._changes.register(report_to, 0)  # errors are reported in any case: no one reads any more
        _report(report_to, pid)
        return True

    def _kill(self, process: _Process) -> None:
        signal.pidfd_send_signal(process.ended, signal.SIGKILL)
        self._forget(process.report_to)

    def _report(self, process: _Process) -> None:
        self._forget(process.ended)
        self._forget(process.report_to)
        _, status = os.waitpid(process.pid, 0)
        _report(process.report_to, os.waitstatus_to_exitcode(status))
        os.close(process.ended)
        os.close(process.report_to)

    def _forget(self, number: int) -> None:
        if self._running.pop(number, None) is not None:
            self._changes.unregister(number)


def _report(report_to: int, number: int) -> None:
    with suppress(BrokenPipeError):  # the reader is gone, and the process is killed for it
        os.write(report_to, _NUMBER.pack(number))


def _become(order: Order, output: int, errors: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, place in ((nothing, 0), (output, 1), (errors, 2)):
        os.dup2(number, place)
        os.close(number)
    # As a new interpreter does: those that were made for the null device expect to be able to seek.
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  # until the process ends
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    os.chdir(order.folder)
    if order.program:
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and a program that is executed inherits that
            signal.signal(ignored, signal.SIG_DFL)
        os.execvp(order.program[0], [*order.program, *order.arguments])
    sys.argv = ["dayline", *order.arguments]
    sys.orig_argv = [sys.executable, "-m", "dayline", *order.arguments]  # what a server that restarts itself executes
    _end_with(_run(order.code or _DAYLINE))


def _run(code: str) -> int:
    """The exit status with which the interpreter would end."""
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        sys.stderr.write(f"{error.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end_with(status: int) -> NoReturn:
    """End as the interpreter does, but for taking its modules apart: that touches, and so copies, all of its memory."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    _take_orders()
