"""Text for people: numbers with nouns, and cells of spreadsheets."""

from typing import Final

EVENT_COLUMNS: Final = ("bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data")
# A spreadsheet treats a text with such a first character as a formula; some also the full-width ones.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 event, 1,204 events. The plural defaults to the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def format_size(count: int) -> str:
    """A size such as `950 bytes` or `12.3 MiB`."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{size:,.1f} {_UNITS[unit]}"


def cell(text: str) -> str:
    """The text, preceded by an apostrophe if a spreadsheet would evaluate it."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
