"""The last messages of a channel, for those who come back."""

from collections import deque
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct

from dayline.api.live.messages import Topic

_MOST_BYTES: Final = 4 << 20


class Sent(Struct, frozen=True):
    """A message as it was sent, and when."""

    number: int
    topic: Topic
    at: float
    message: bytes


class Replay:
    """Messages in order, for so many seconds, and at most so many."""

    def __init__(self, *, seconds: float, messages: int) -> None:
        self._seconds = seconds
        self._messages = messages
        self._sent: deque[Sent] = deque()
        self._bytes = 0
        self._forgotten: dict[Topic, int] = {}  # the number of the last message of a topic that is gone

    def add(self, sent: Sent) -> None:
        """Keep a message, and let go of those that are too old or too many."""
        self._sent.append(sent)
        self._bytes += len(sent.message)
        self._forget(sent.at)
        while self._sent and (len(self._sent) > self._messages or self._bytes > _MOST_BYTES):
            self._forget_first()

    def after(self, number: int, topics: AbstractSet[Topic], *, now: float) -> list[Sent] | None:
        """What came after a number on these topics; None where some of it is gone."""
        self._forget(now)
        if any(self._forgotten.get(topic, 0) > number for topic in topics):
            return None
        return [sent for sent in self._sent if sent.number > number and sent.topic in topics]

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0].at < now - self._seconds:
            self._forget_first()

    def _forget_first(self) -> None:
        first = self._sent.popleft()
        self._bytes -= len(first.message)
        self._forgotten[first.topic] = first.number
