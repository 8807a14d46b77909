"""Text for people: numbers with nouns, and cells of spreadsheets."""

from typing import Final

EVENT_COLUMNS: Final = ("bucket", "host", "type", "start", "end", "duration", "app", "title", "url", "data")
# A spreadsheet treats a text that begins with one of these as a formula: some also the full-width and the small forms,
# and some skip or split at a control character.
FORMULA_STARTS: Final = frozenset(
    "=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b" + "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
)
# Characters that leave no mark, which some spreadsheets skip at the start: spaces, a byte order mark, and the like.
INVISIBLE: Final = "".join(
    map(
        chr,
        (
            0x20, 0xA0, 0xAD, 0x61C, 0x1680, 0x180E, *range(0x2000, 0x2010), *range(0x2028, 0x2030),
            *range(0x205F, 0x2070), 0x3000, 0xFEFF,
        ),
    )
)  # fmt: skip
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
    return f"'{text}" if text.lstrip(INVISIBLE)[:1] in FORMULA_STARTS else text
