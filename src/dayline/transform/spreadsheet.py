"""Events as a table for spreadsheets: its columns, and texts that none of them takes for a formula."""

from typing import Final

COLUMNS: Final = ("bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data")
# With one of these a spreadsheet takes a text for a formula; some of them also if it is full-width.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(text: str) -> str:
    """The text; with an apostrophe before it where a spreadsheet would calculate it."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
