"""Window titles without what changes all the time."""

from typing import Final

import numpy as np

from dayline.query.dictionaries import compact, with_fields
from dayline.query.distinct import used_codes
from dayline.query.table import Table
from dayline.query.titles import simplified
from dayline.storage.columns.source import MISSING, Column, Items

TITLE: Final = "title"
APP: Final = "app"


def simplify_window_titles(events: Table, key: str) -> Table:
    """The events with counters, and in titles of apps also frame rates and unsaved marks, taken out of a field."""
    events = compact(events)
    data = events.data
    column = data.column(key)
    has_app = data.column(APP).codes != MISSING
    # What a field becomes depends on its text and on whether there is an app: a number for both.
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
