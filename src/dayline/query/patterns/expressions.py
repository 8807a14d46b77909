"""A regular expression in Python's dialect, compiled by RE2, alone or in a set."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from dayline.query.patterns.dialect import Translation, translate
from dayline.query.patterns.python import compiled_pattern
from dayline.query.patterns.slow import TIMER

# The memory limit of a set; it grows on demand, and 37 ordinary rules over 100,000 titles need 2 MiB.
MEMORY_BYTES: Final = 32 << 20

SetSearch = Callable[[bytes], list[int] | None]


def compiled_set(patterns: Sequence[str], *, memory_bytes: int = MEMORY_BYTES) -> SetSearch | None:
    """A function that returns the numbers of the patterns that match a string; None if RE2 does not support them.

    A search that exceeds its memory also matches nothing, without an error: a pattern that always matches shows whether
    a search completed.
    """
    import re2  # imported here, so that queries without a pattern do not wait for it

    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    options.never_capture = True
    compiled = re2.Set.SearchSet(options)
    try:
        for pattern in patterns:
            compiled.Add(pattern)
        compiled.Compile()
    except re2.error:
        return None
    return compiled.Match


class Expression(Struct, frozen=True, eq=False):
    """A compiled pattern. `translation` is None if only `re` supports it."""

    text: str
    compiled: re.Pattern[str]
    translation: Translation | None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match by `re`. Raises PatternTooSlow if the pattern exceeds an active limit."""
        TIMER.text, TIMER.pattern = text, self.text
        try:
            return self.compiled.search(text)
        finally:
            TIMER.pattern = None


# Rules repeat from query to query, and checking whether RE2 supports one is half the work of compiling it.
@lru_cache(maxsize=1024)
def expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Compile a pattern. Raises PatternError."""
    compiled = compiled_pattern(text, ignore_case=ignore_case)
    translation = translate(text, ignore_case=ignore_case)
    if translation is not None and not _is_taken(translation):
        translation = None
    return Expression(text, compiled, translation)


def _is_taken(translation: Translation) -> bool:
    """Whether RE2 accepts it: it rejects what becomes too large when expanded."""
    return all(compiled_set([text]) for text in {translation.ascii_text, translation.other_text})
