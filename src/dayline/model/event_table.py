"""Events as a table for spreadsheets: its columns, and texts that none of them takes for a formula."""

from typing import Final

COLUMNS: Final = ("bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data")
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")


def cell(text: str) -> str:
    """The text; with an apostrophe before it where a spreadsheet would calculate it."""
    return f"'{text}" if text.startswith(_FORMULAS) else text
