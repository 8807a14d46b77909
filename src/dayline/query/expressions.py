"""A regular expression in Python's dialect, and what RE2 makes of it."""

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from dayline.query.dialect import Translation, translate
from dayline.query.python_patterns import compiled_pattern
from dayline.query.re2_sets import compiled_set


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


def _is_taken(translation: Translation) -> bool:
    """Whether RE2 takes it: it refuses what grows too large when written out."""
    return all(compiled_set([text]) for text in {translation.ascii_text, translation.other_text})
