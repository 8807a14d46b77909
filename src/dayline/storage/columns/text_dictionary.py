"""Data objects as their JSON texts, and what makes columns of them. Only query processes import this."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.normal_form import normal_form
from dayline.storage.columns.columns import MISSING, Codes, Column, Items, no_column

_decode = msgspec.json.Decoder().decode


class TextDictionary:
    """Data objects given as their JSON texts, each once: what is read from rows."""

    def __init__(self, texts: Sequence[CanonicalJson]) -> None:
        self._texts = texts
        self._columns: dict[str, Column] | None = None
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return len(self._texts)

    def fields(self) -> Sequence[str]:
        return tuple(self._decoded())

    def column(self, field: str) -> Column:
        return self._decoded().get(field) or no_column(len(self._texts))

    def classes(self) -> Codes:
        if self._classes is None:
            self._classes = classes_of(self._texts)
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        texts = self._texts
        return [texts[code] for code in codes.tolist()]

    def _decoded(self) -> dict[str, Column]:
        if self._columns is None:
            self._columns = columns_of(self._texts)
        return self._columns


def columns_of(texts: Sequence[CanonicalJson]) -> dict[str, Column]:
    """Every field of these JSON objects."""
    building: dict[str, tuple[Codes, dict[object, int], list[bytes], list[bool]]] = {}
    for number, text in enumerate(texts):
        for field, value in _decode(text).items():
            column = building.get(field)
            if column is None:
                column = building[field] = (np.full(len(texts), MISSING, dtype=np.int32), {}, [], [])
            codes, seen, raws, is_string = column
            # A string is its own key; the text of anything else cannot be taken for one, being bytes.
            key: object = value if isinstance(value, str) else canonical_json(value)
            code = seen.get(key)
            if code is None:
                code = seen[key] = len(seen)
                raws.append(key.encode() if isinstance(key, str) else canonical_json(value))
                is_string.append(isinstance(key, str))
            codes[number] = code
    return {field: Column(codes, Items.of(raws, flags)) for field, (codes, _, raws, flags) in building.items()}


def member_texts(field: str, column: Column) -> list[bytes]:
    """For each object its field as it stands in the JSON text, key and item; nothing where it lacks the field."""
    key, listed = canonical_json(field), column.codes.tolist()
    texts = column.items.texts({code for code in listed if code != MISSING})
    members = {code: b"%b:%b" % (key, text) for code, text in texts.items()}
    members[MISSING] = b""
    return [members[code] for code in listed]


def classes_of(texts: Iterable[CanonicalJson]) -> Codes:
    """For each text the first one that is equal to it by value."""
    firsts: dict[bytes, int] = {}
    return np.fromiter(
        (firsts.setdefault(normal_form(text), number) for number, text in enumerate(texts)), dtype=np.int32
    )
