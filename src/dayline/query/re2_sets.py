"""Many patterns looked for in one pass over a string, by RE2."""

from collections.abc import Callable, Sequence
from typing import Final

# The most that a set takes; it grows as strings need it, and 37 ordinary rules over 100,000 titles need 2 MiB.
MEMORY_BYTES: Final = 32 << 20

SetSearch = Callable[[bytes], list[int] | None]


def compiled_set(patterns: Sequence[str], *, memory_bytes: int = MEMORY_BYTES) -> SetSearch | None:
    """What tells the numbers of the patterns found in a string; None where RE2 does not take them.

    A search that needs more memory than it may also finds nothing, without a word: a pattern that is always found
    shows whether a search went through.
    """
    import re2  # here, so that queries without a pattern do not wait for it

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
