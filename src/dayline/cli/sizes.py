"""Numbers of bytes in words."""

from typing import Final

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_in_words(count: int) -> str:
    """Such as `950 bytes` or `12.3 MiB`."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{size:,.1f} {_UNITS[unit]}"
