"""Who is next: clients take turns, so that one with many queries does not keep another waiting."""

from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from dayline.query.errors import QueriesBusy

T = TypeVar("T")


class FairQueue(Generic[T]):
    """One queue a client, served in turn. No client may have more than half of all places, or an eighth."""

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
        """Those who wait, the next in turn first."""
        return self._waiting.keys()

    def put(self, client: str, item: T, *, gets_few: bool = False) -> None:
        """Raises QueriesBusy if there is no place. `gets_few`: the client may have an eighth of them only."""
        line = self._waiting.get(client, ())
        if self._size >= self._places:
            raise QueriesBusy(
                f"{self._size} queries are waiting already, which is the limit", hint="send it again in a few seconds"
            )
        if len(line) >= (self._few_places_each if gets_few else self._places_each):
            raise QueriesBusy(
                f"{len(line)} queries of this client are waiting already, which is the limit for one",
                hint="wait for answers before you send more",
            )
        self._waiting.setdefault(client, deque()).append(item)
        self._size += 1

    def take(self) -> T:
        """The next in turn; the client that it is from goes to the end of the clients."""
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
        """Give up a place; nothing where it was taken already."""
        line = self._waiting.get(client)
        if line is None or item not in line:
            return
        line.remove(item)
        self._size -= 1
        if not line:
            del self._waiting[client]
