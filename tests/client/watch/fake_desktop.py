"""A desktop whose windows and input a test sets."""

import os
import time

from dayline.client.watch.desktop import NO_WINDOW, Limitation, Window


class FakeDesktop:
    """Implements Desktop. `show` and `type` may be called from another thread than the rest."""

    def __init__(self, *, has_idle_time: bool = True) -> None:
        self.limitation: Limitation | None = None
        self.interval_s: float | None = None
        self._has_idle_time = has_idle_time
        self._window = NO_WINDOW
        self._last_input = time.monotonic()
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)

    def show(self, app: str, title: str = "a title") -> None:
        self._window = Window(app, title)
        os.write(self._writing, b"c")

    def fileno(self) -> int:
        return self._reading

    def has_changed(self) -> bool:
        try:
            return bool(os.read(self._reading, 4096))
        except BlockingIOError:
            return False

    def window(self) -> Window | None:
        return self._window

    def idle_s(self) -> float | None:
        return time.monotonic() - self._last_input if self._has_idle_time else None

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)
