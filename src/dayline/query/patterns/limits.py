"""Limits of the CPU time of patterns, and patterns to skip. Without numpy: the recording process uses it too."""

import signal
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Final

from msgspec import Struct

_TICK_S: Final = 0.02


class PatternLimits(Struct, frozen=True, kw_only=True):
    """CPU time limits of a pattern, in seconds.

    An ordinary pattern takes microseconds for a title, and 0.2 s for the 100,000 titles of a year.
    """

    text_s: float = 0.5
    answer_s: float = 5.0


class PatternTooSlow(Exception):
    """A pattern has exceeded its limit."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern
        self.text = text  # being searched


class SkippedRule(Struct, frozen=True, kw_only=True):
    """A rule that is skipped because its pattern is too slow. `label` is its category or tag."""

    label: tuple[str, ...]
    pattern: str


class SearchTimer:
    """Times the searches of one response after the other. One per process, because signals belong to the process."""

    def __init__(self) -> None:
        self.pattern: str | None = None  # the pattern being searched, and the text
        self.text = ""
        self.skipped: frozenset[str] = frozenset()  # patterns skipped in this response
        self._noted: dict[SkippedRule, None] = {}
        self._limits = PatternLimits()
        self._spent_s: dict[str, float] = {}
        self._last: tuple[str, str] | None = None  # pattern and text at the last tick
        self._spent_on_last_s = 0.0

    @contextmanager
    def limiting(self, limits: PatternLimits, *, skipped: frozenset[str]) -> Generator[None]:
        """Raise PatternTooSlow in the search that exceeds a limit, until the end of the block.

        Without effect on threads and on Windows, where a search cannot be interrupted: only the time limit of the whole
        query applies there.
        """
        self.skipped, self._noted, self._limits = skipped, {}, limits
        self._spent_s, self._last = {}, None
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGVTALRM, self._on_tick)
        signal.setitimer(signal.ITIMER_VIRTUAL, _TICK_S, _TICK_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
            self.skipped = frozenset()

    def note(self, rules: Iterable[SkippedRule]) -> None:
        """Record rules that were skipped."""
        self._noted.update(dict.fromkeys(rules))

    @property
    def noted(self) -> list[SkippedRule]:
        """The rules that were skipped, each once."""
        return list(self._noted)

    def _on_tick(self, number: int, frame: FrameType | None) -> None:
        pattern, text = self.pattern, self.text
        if pattern is None:
            self._last = None
            return
        is_same = self._last is not None and self._last[0] is pattern and self._last[1] is text
        self._last = (pattern, text)
        self._spent_on_last_s = _TICK_S + (self._spent_on_last_s if is_same else 0.0)
        spent = self._spent_s[pattern] = self._spent_s.get(pattern, 0.0) + _TICK_S
        if self._spent_on_last_s > self._limits.text_s or spent > self._limits.answer_s:
            self.pattern = None
            raise PatternTooSlow(pattern, text)


TIMER: Final = SearchTimer()
