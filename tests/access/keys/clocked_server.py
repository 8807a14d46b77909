"""A server that asks for keys, whose clock the test sets ahead."""

from datetime import timedelta
from pathlib import Path
from typing import Final

from tests.support.keyed_server import KeyedServer

_CHANGE: Final = """
import pathlib, time
true, control = time.time_ns, pathlib.Path({control!r})
time.time_ns = lambda: true() + int(control.read_text())
"""


class ClockedServer(KeyedServer):
    """Its clock goes right until `set_ahead`."""

    def __init__(self, database: Path, *flags: str) -> None:
        super().__init__(database, *flags)
        self._control = database.with_suffix(".clock")
        self.change = _CHANGE.format(control=str(self._control))
        self.set_ahead(timedelta(0))

    def set_ahead(self, difference: timedelta) -> None:
        """Let the clock be ahead by so much from now on."""
        unfinished = self._control.with_suffix(".new")
        unfinished.write_text(str(difference // timedelta(microseconds=1) * 1000))
        unfinished.replace(self._control)  # in one step: it is read at any moment
