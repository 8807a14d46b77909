"""Keys of several chunks numbered alike. Only query processes import this."""

from collections.abc import Sequence

import numpy as np

from dayline.insight.active.combinations import Key
from dayline.insight.item_texts import ItemTexts
from dayline.query.joined_columns import joined_column
from dayline.storage.columns.source import MISSING, Codes, Column


def common_names(parts: Sequence[tuple[Sequence[Key], Codes]]) -> tuple[Sequence[Key], list[Codes]]:
    """The names of all parts, each once, and for each part its codes as numbers of them."""
    texts = [Column(codes, names.items) for names, codes in parts if isinstance(names, ItemTexts)]
    if texts:
        # What is found of items is kept as long as they are: those of other months are the same again and again.
        joined = joined_column(texts)
        edges = np.cumsum([len(codes) for _, codes in parts])[:-1]
        return ItemTexts(joined.items), np.split(joined.codes, edges)
    numbers: dict[Key, int] = {}
    found: list[Codes] = []
    for names, codes in parts:
        of_names = [numbers.setdefault(name, len(numbers)) for name in names]
        found.append(np.array([*of_names, MISSING], dtype=np.int32)[codes])  # MISSING is the last entry
    return list(numbers), found
