"""Events as a table for spreadsheets: the columns, and protection against formulas."""

from typing import Final

COLUMNS: Final = ("bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data")
# A spreadsheet treats a text with such a first character as a formula; some also the full-width ones.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(text: str) -> str:
    """The text, preceded by an apostrophe if a spreadsheet would evaluate it."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
