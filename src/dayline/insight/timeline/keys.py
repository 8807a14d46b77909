"""What pieces show: one field of their data, by the type of the bucket. Only query processes import this."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

import numpy as np

from dayline.query.distinct import used_codes
from dayline.query.functions.websites import DOMAIN, URL, UrlPart
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, no_column

T = TypeVar("T", bound=Hashable)

# By the beginning of a bucket's type: the fields that say best what was there, of which the first one counts that any
# of the events has.
_FIELDS_OF_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "currentwindow": ("app",),
    "web.tab": ("domain", "url"),
    "afkstatus": ("status",),
    "app.editor": ("file", "project"),
    "dayline.annotation": ("label", "kind"),
    "general.stopwatch": ("label",),
}
_TELLING: Final = ("label", "title", "app", "name", "status", "project", "file", "url")
_SHORT_BYTES: Final = 80


def key_column(data: Dictionary, values: Codes, bucket_type: str, field: str | None) -> Column:
    """For each value of a dictionary what it shows: the field named, or what suits the type of the bucket.

    `values` are those that occur. For the others it may be wrong.
    """
    if field is not None:
        return column_of(data, field)
    suiting = next((fields for kind, fields in _FIELDS_OF_TYPES.items() if bucket_type.startswith(kind)), None)
    if suiting is None:
        return _first_short(data, values)
    columns = [column_of(data, name) for name in suiting]
    return next((column for column in columns if _occurs(column, values)), columns[0])


def _first_short(data: Dictionary, values: Codes) -> Column:
    """The field that says most where the type does not tell which: one of the usual ones, else any with short texts."""
    fields = data.fields()
    for name in (*(name for name in _TELLING if name in fields), *sorted(set(fields) - set(_TELLING))):
        column = data.column(name)
        if _occurs(column, values) and _is_short(column):
            return column
    return no_column(len(data))


def _occurs(column: Column, values: Codes) -> bool:
    return bool((column.codes[values] != MISSING).any())


def _is_short(column: Column) -> bool:
    """Whether it holds texts, most of them short."""
    items = column.items
    return bool(items.is_string.all()) and len(items.heap) <= _SHORT_BYTES * len(items)


def column_of(data: Dictionary, field: str) -> Column:
    """A field of each value; `domain` is that of its URL."""
    if field == "domain" and field not in data.fields():
        every = np.arange(len(data), dtype=np.int32)
        return UrlPart(data.column(URL), DOMAIN).of(every) if URL in data.fields() else no_column(len(data))
    return data.column(field)


class Numbering(Generic[T]):
    """Names with numbers: each once, in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def numbers(self, names: Sequence[T], codes: Codes) -> Codes:
        """For each of these codes, which are places in `names`, the number of its name; -1 where it is MISSING."""
        renumbered = np.full(len(names) + 1, MISSING, dtype=np.int32)  # MISSING is the last entry
        used: list[int] = used_codes(codes, len(names)).tolist()
        for code in used:
            renumbered[code] = self._numbers.setdefault(names[code], len(self._numbers))
        return renumbered[codes]

    def all(self) -> list[T]:
        return list(self._numbers)
