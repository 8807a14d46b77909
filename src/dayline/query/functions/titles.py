"""Window titles without parts that change while the window stays the same: counters, frame rates, unsaved marks."""

import re
from typing import Final

import numpy as np

from dayline.query.columns.dictionaries import compact, with_fields
from dayline.query.columns.distinct import used_codes
from dayline.query.columns.table import Table
from dayline.storage.columns.source import MISSING, Column, Items

_COUNTER: Final = re.compile(r"^\(\d+\)\s*")
_FRAME_RATE: Final = re.compile(r"FPS:\s+[\d.]+")
_MARK: Final = re.compile(r"^[●*]\s*")


def simplified(title: str, *, has_app: bool, is_title: bool) -> str:
    """The title of a window, simplified; any other text only loses its leading counter.

    In this order: text before a counter protects it, so `* (3) foo` becomes `(3) foo`.
    """
    title = _COUNTER.sub("", title)
    if not (has_app and is_title):
        return title
    return _MARK.sub("", _FRAME_RATE.sub("FPS: ...", title))


TITLE: Final = "title"
APP: Final = "app"


def simplify_window_titles(events: Table, key: str) -> Table:
    """The events with counters removed from a field, and in titles of apps also frame rates and unsaved marks."""
    events = compact(events)
    data = events.data
    column = data.column(key)
    has_app = data.column(APP).codes != MISSING
    # The new text depends on the old text and on whether there is an app: one number for both.
    kinds = np.where(column.codes == MISSING, MISSING, column.codes * 2 + has_app).astype(np.int32)
    used = used_codes(kinds[used_codes(events.value, len(data))], 2 * len(column.items))
    used = used[column.items.is_string[used // 2]]
    titles = [raw.decode() for raw in column.items.raws(used // 2)]
    numbers: dict[str, int] = {}
    new_codes = np.full(2 * len(column.items) + 1, MISSING, dtype=np.int32)
    for kind, title in zip(used.tolist(), titles, strict=True):
        new = simplified(title, has_app=bool(kind % 2), is_title=key == TITLE)
        if new != title:
            new_codes[kind] = numbers.setdefault(new, len(numbers))
    new_column = Column(new_codes[kinds], Items.of_values(numbers))
    return with_fields(events, {key: new_column})
