"""Compiles patterns with Python's `re`. Without numpy: the recording process uses it too."""

import importlib
import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any, cast


class PatternError(ValueError):
    """Invalid regular expression. `position` counts characters from 0; None if there is no single one."""

    hint = "use the syntax of Python's re module; escape special characters with \\"

    def __init__(self, pattern: str, reason: str, position: int | None) -> None:
        position_text = "" if position is None else f" at position {position}"
        self.message = f"the regular expression {shortened(pattern)} is wrong{position_text}: {reason}"
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
