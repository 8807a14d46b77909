"""What query processes keep between queries: the most recently used things, within a number of bytes."""

from collections import OrderedDict
from collections.abc import Hashable

from dayline.storage.columns import K, Kept


class ColumnCache:
    """Things by key. What a key stands for never changes: a new state of a bucket has new keys."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        kept = self._kept.get(key)
        if not isinstance(kept, kind):
            return None
        self._kept.move_to_end(key)
        return kept

    def put(self, key: Hashable, thing: Kept) -> None:
        self._kept[key] = thing

    def trim(self) -> None:
        """Let go of what was not used for the longest time. Called between queries: sizes are known only then."""
        total = sum(thing.nbytes for thing in self._kept.values())
        while self._kept and total > self._most_bytes:
            _, thing = self._kept.popitem(last=False)
            total -= thing.nbytes
