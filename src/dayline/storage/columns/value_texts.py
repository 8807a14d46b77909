"""What values stand for, read from rows and kept between queries. Only query processes import this."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from dayline.model.data import CanonicalJson
from dayline.storage.columns.text_dictionary import TextDictionary

# From what the store calls values to each with its text, in any order.
ReadTexts: TypeAlias = Callable[[list[int]], Iterable[tuple[int, CanonicalJson]]]


class RowDictionary(TextDictionary):
    """Values of rows."""

    def __init__(self, texts: Sequence[CanonicalJson]) -> None:
        super().__init__(texts)
        self.nbytes = 4 * sum(map(len, texts)) + 200 * len(texts)


class ValueTexts:
    """Texts of values by their keys, as many as have been needed lately."""

    def __init__(self) -> None:
        self._texts: dict[int, CanonicalJson] = {}
        self.nbytes = 0

    def read(self, keys: list[int], read: ReadTexts, *, most_bytes: int) -> list[CanonicalJson]:
        if self.nbytes > most_bytes:
            self._texts = {}
            self.nbytes = 0
        unknown = [key for key in keys if key not in self._texts]
        for key, text in read(unknown):
            self._texts[key] = text
            self.nbytes += len(text) + 150
        return [self._texts[key] for key in keys]
