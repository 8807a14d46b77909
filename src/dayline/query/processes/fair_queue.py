"""A queue that serves clients in turn."""

from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from dayline.query.errors import QueriesBusy
from dayline.runtime.text import quantity

T = TypeVar("T")


class FairQueue(Generic[T]):
    """One queue per client, served in turn. A client may have at most half of the entries, or an eighth."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._places_each = max(1, places // 2)
        self._few_places_each = max(1, places // 8)
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def clients(self) -> Collection[str]:
        """The waiting clients, the next in turn first."""
        return self._waiting.keys()

    def put(self, client: str, item: T, *, gets_few: bool = False) -> None:
        """Raises QueriesBusy if the queue is full. `gets_few`: the client may only have an eighth of the entries."""
        line = self._waiting.get(client, ())
        if self._size >= self._places:
            raise QueriesBusy(
                f"{quantity(self._size, 'query is', 'queries are')} waiting already, which is the limit",
                hint="retry in a few seconds",
            )
        if len(line) >= (self._few_places_each if gets_few else self._places_each):
            raise QueriesBusy(
                f"{quantity(len(line), 'query', 'queries')} of this client are waiting already, "
                "which is the limit for one",
                hint="wait for responses before you send more",
            )
        self._waiting.setdefault(client, deque()).append(item)
        self._size += 1

    def take(self) -> T:
        """The next in turn; its client moves to the end."""
        return self._take_from(next(iter(self._waiting)))

    def take_if(self, may: Callable[[str], bool]) -> tuple[str, T] | None:
        """The next in turn of the clients that may have it, with its client; None if none may."""
        client = next(filter(may, self._waiting), None)
        return None if client is None else (client, self._take_from(client))

    def _take_from(self, client: str) -> T:
        line = self._waiting.pop(client)
        item = line.popleft()
        self._size -= 1
        if line:
            self._waiting[client] = line
        return item

    def remove(self, client: str, item: T) -> None:
        """Remove an entry, unless it was taken already."""
        line = self._waiting.get(client)
        if line is None or item not in line:
            return
        line.remove(item)
        self._size -= 1
        if not line:
            del self._waiting[client]
