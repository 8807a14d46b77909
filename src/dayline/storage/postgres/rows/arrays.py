"""Arrays in PostgreSQL's text format: four times as fast as lists, which psycopg inspects for their types."""

from collections.abc import Iterable


def as_array(numbers: Iterable[int | None]) -> str:
    """An array of integers; None is NULL."""
    return f"{{{','.join(map(str, numbers))}}}".replace("None", "NULL")


def as_text_array(texts: Iterable[str]) -> str:
    """An array of texts, at least one."""
    escaped = '","'.join([text.replace("\\", "\\\\").replace('"', '\\"') for text in texts])
    return f'{{"{escaped}"}}'
