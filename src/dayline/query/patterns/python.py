"""Compiles a pattern with Python's `re`, or explains the error. Without numpy: the recording process uses it too."""

import re
import warnings


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
            return re.compile(text, flags)
    except re.error as error:
        raise PatternError(text, error.msg, error.pos) from error
    except (OverflowError, ValueError) as error:  # too many digits
        raise PatternError(text, "the repetition number is too large", None) from error
    except RecursionError as error:
        raise PatternError(text, "its groups are nested too deeply", None) from error


def shortened(text: str) -> str:
    """A text in quotes, cut after 80 characters."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
