"""Items as texts that are decoded when they are looked at: there may be a hundred thousand titles."""

from collections.abc import Sequence
from typing import overload

from dayline.storage.columns.source import Items


class ItemTexts(Sequence[str]):
    """The texts of some items. What is no text is shown as JSON."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._items.raw(index).decode()

    @property
    def items(self) -> Items:
        return self._items
