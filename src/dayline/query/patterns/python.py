"""Compiles patterns with Python's `re`, and limits their CPU time. Without numpy: the recording process uses it too.

`re` can need hours for one title: `(?=(a+)+$)x` doubles its work with every letter. A search in C blocks other threads,
but checks for signals. So a timer ticks in CPU time, which does not depend on the load of the machine, and each tick
counts for the pattern being searched.
"""

import importlib
import re
import signal
import sys
import threading
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, cast

from msgspec import Struct


class PatternError(ValueError):
    """Invalid regular expression. `position` counts characters from 0; None if there is no single one."""

    hint = "write it as Python's re module takes it; a backslash before a sign takes its meaning away"

    def __init__(self, pattern: str, reason: str, position: int | None) -> None:
        place = "" if position is None else f" at position {position}"
        self.message = f"the regular expression {shortened(pattern)} is wrong{place}: {reason}"
        super().__init__(self.message)
        self.pattern = pattern
        self.reason = reason
        self.position = position


def compiled_pattern(text: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The pattern compiled by `re`. Raises PatternError."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    try:
        # Deprecated syntax is accepted with its current meaning.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _compile(text, flags)
    except re.error as error:
        raise PatternError(text, error.msg, error.pos) from error
    except (OverflowError, ValueError) as error:  # too many digits
        raise PatternError(text, "the repetition number is too large", None) from error
    except RecursionError as error:
        raise PatternError(text, "its groups are nested too deeply", None) from error


def _compile(text: str, flags: int) -> re.Pattern[str]:
    compiled = re.compile(text, flags)
    if sys.version_info >= (3, 11, 5):
        return compiled
    # Earlier versions match a possessive repetition of a group wrongly, and the same in an atomic group correctly.
    # Their parser is private, but these versions do not change any more.
    parser: Any = importlib.import_module("re._parser")
    tree = parser.parse(text, flags)
    if not _make_atomic(tree, parser):
        return compiled
    corrected: re.Pattern[str] = importlib.import_module("re._compiler").compile(tree, flags)
    return corrected


def _make_atomic(node: Any, parser: Any) -> bool:
    """Put each possessive repetition in a parsed pattern into an atomic group; False if there is none."""
    if isinstance(node, tuple | list):
        return any([_make_atomic(part, parser) for part in cast("Iterable[Any]", node)])  # all of them, not up to one
    if not isinstance(node, parser.SubPattern):
        return False
    has_any = _make_atomic(node.data, parser)
    for number, (operation, argument) in enumerate(node.data):
        if operation is parser.POSSESSIVE_REPEAT:
            repetition = parser.SubPattern(node.state, [(parser.MAX_REPEAT, argument)])
            node[number] = (parser.ATOMIC_GROUP, repetition)
            has_any = True
    return has_any


def shortened(text: str) -> str:
    """A text in quotes, cut after 80 characters."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


# Limits of CPU time, and patterns to skip.


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
    """Times the searches of one answer after the other. One per process, because signals belong to the process."""

    def __init__(self) -> None:
        self.pattern: str | None = None  # the pattern being searched, and the text
        self.text = ""
        self.skipped: frozenset[str] = frozenset()  # patterns skipped in this answer
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
