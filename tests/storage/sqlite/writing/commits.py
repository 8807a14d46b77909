"""Watches the commits of this process: how many there are, and whether the event loop makes them."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal

import apsw

Place = Literal["loop", "thread"]


class Commits:
    """Where each commit was made, in order. The event loop is that of the main thread."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def forget(self) -> None:
        self.places.clear()

    @contextmanager
    def watched(self) -> Generator[None]:
        """Every connection that is opened in the block is watched."""
        apsw.connection_hooks.append(self._watch)
        try:
            yield
        finally:
            apsw.connection_hooks.remove(self._watch)

    def _watch(self, db: apsw.Connection) -> None:
        db.set_commit_hook(self._note)

    def _note(self) -> bool:
        self.places.append("loop" if threading.current_thread() is threading.main_thread() else "thread")
        return False  # the commit goes ahead
