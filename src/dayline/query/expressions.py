"""A regular expression in Python's dialect, and what RE2 makes of it."""

import re
import warnings
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from dayline.query.dialect import Translation, translate
from dayline.query.re2_sets import compiled_set


class PatternError(ValueError):
    """Not a regular expression. `position` counts characters from 0; None where none is at fault alone."""

    hint = "write it as Python's re module takes it; a backslash before a sign takes its meaning away"

    def __init__(self, pattern: str, reason: str, position: int | None) -> None:
        place = "" if position is None else f" at position {position}"
        self.message = f"the regular expression {_shortened(pattern)} is wrong{place}: {reason}"
        super().__init__(self.message)
        self.pattern = pattern
        self.reason = reason
        self.position = position


class Expression(Struct, frozen=True, eq=False):
    """A compiled pattern. `translation` is None where only `re` can do it."""

    text: str
    is_found_in: Callable[[str], object]  # truthy where the pattern is found
    translation: Translation | None


# Rules repeat from query to query, and to ask RE2 whether it takes one is half the work of compiling it.
@lru_cache(maxsize=1024)
def expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Compile a pattern. Raises PatternError."""
    compiled = compiled_pattern(text, ignore_case=ignore_case)
    translation = translate(text, ignore_case=ignore_case)
    if translation is not None and not _is_taken(translation):
        translation = None
    return Expression(text, compiled.search, translation)


def compiled_pattern(text: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The pattern as `re` takes it. Raises PatternError."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    try:
        # What a future Python may take otherwise is taken here as this one takes it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, flags)
    except re.error as error:
        raise PatternError(text, error.msg, error.pos) from error
    except (OverflowError, ValueError) as error:  # by the number of digits
        raise PatternError(text, "the repetition number is too large", None) from error
    except RecursionError as error:
        raise PatternError(text, "its groups are nested too deeply", None) from error


def _is_taken(translation: Translation) -> bool:
    """Whether RE2 takes it: it refuses what grows too large when written out."""
    return all(compiled_set([text]) for text in {translation.ascii_text, translation.other_text})


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
