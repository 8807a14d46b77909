"""What query processes keep between queries: the most recently used things, within a number of bytes."""

from collections import Counter, OrderedDict
from collections.abc import Hashable, Sequence

from dayline.storage.columns.columns import K, Kept


class ColumnCache:
    """Things by key. What a key stands for never changes: a new state of a bucket has new keys."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self.kept_bytes = 0  # after the last query

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
        holders = Counter(id(shared) for thing in self._kept.values() for shared in _shared(thing))
        counted = {id(shared): shared for thing in self._kept.values() for shared in _shared(thing)}
        total = sum(thing.nbytes for thing in (*self._kept.values(), *counted.values()))
        while self._kept and total > self._most_bytes:
            _, thing = self._kept.popitem(last=False)
            total -= thing.nbytes
            for shared in _shared(thing):
                holders[id(shared)] -= 1
                total -= 0 if holders[id(shared)] else shared.nbytes
        self.kept_bytes = total


def _shared(thing: Kept) -> Sequence[Kept]:
    shares: Sequence[Kept] = getattr(thing, "shares", ())  # asked whether it is a protocol, it would take longer
    return shares
