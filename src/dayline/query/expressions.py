"""A regular expression in Python's dialect, and what RE2 makes of it."""

import re
from functools import lru_cache

from msgspec import Struct

from dayline.query.dialect import Translation, translate
from dayline.query.python_patterns import compiled_pattern
from dayline.query.re2_sets import compiled_set
from dayline.query.slow_patterns import TIMER


class Expression(Struct, frozen=True, eq=False):
    """A compiled pattern. `translation` is None where only `re` can do it."""

    text: str
    compiled: re.Pattern[str]
    translation: Translation | None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match by `re`. Raises PatternTooSlow if the pattern exceeds a limit that is in force."""
        TIMER.text, TIMER.pattern = text, self.text
        try:
            return self.compiled.search(text)
        finally:
            TIMER.pattern = None


# Rules repeat from query to query, and to ask RE2 whether it takes one is half the work of compiling it.
@lru_cache(maxsize=1024)
def expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Compile a pattern. Raises PatternError."""
    compiled = compiled_pattern(text, ignore_case=ignore_case)
    translation = translate(text, ignore_case=ignore_case)
    if translation is not None and not _is_taken(translation):
        translation = None
    return Expression(text, compiled, translation)


def _is_taken(translation: Translation) -> bool:
    """Whether RE2 takes it: it refuses what grows too large when written out."""
    return all(compiled_set([text]) for text in {translation.ascii_text, translation.other_text})
