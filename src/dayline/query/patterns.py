"""One regular expression, looked for in the values of a field."""

from functools import lru_cache

import numpy as np

from dayline.query.expressions import expression
from dayline.query.matching import NONE_FOUND, Matcher
from dayline.storage.columns.source import Codes, Flags, Items


class Pattern:
    """A pattern in the dialect of Python's `re`. Raises PatternError where it is none.

    What was found in which items is kept as long as the items are, for later patterns of the same text too.
    """

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        self.text = text
        self.uses_re2 = expression(text, ignore_case=ignore_case).translation is not None
        self._matcher = _matcher(text, ignore_case=ignore_case)

    def found_in(self, items: Items, needed: Codes) -> Flags:
        """For each of the needed items whether it is a string in which the pattern is found."""
        return np.not_equal(self._matcher.answers(items, needed)[needed], NONE_FOUND)


@lru_cache(maxsize=64)
def _matcher(text: str, *, ignore_case: bool) -> Matcher:
    return Matcher([expression(text, ignore_case=ignore_case)])
