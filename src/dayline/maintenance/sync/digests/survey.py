"""The digests of the spans of a bucket, which are computed again only if the events may have changed."""

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct, structs

from dayline.maintenance.sync.digests.spans import Digest, span_of
from dayline.model.event import Event
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.writing.mirrors import Mirrors, StartRange, StoredBucket


class SpanDigest(Struct, frozen=True):
    """The digest of the events of a span, and how many there are."""

    digest: str
    events: int


def digest_of(events: Iterable[Event]) -> SpanDigest:
    digest = Digest()
    for event in events:
        digest.add(event)
    return SpanDigest(digest.text(), digest.events)


def moved(events: Iterable[Event], offset: int) -> Iterable[Event]:
    """Events with other ids."""
    return (structs.replace(event, id=event.id + offset) for event in events) if offset else events


class Survey:
    """Computes digests. Keeps those of closed months as long as the store says that these have not changed."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._mirrors = mirrors
        self._known: dict[tuple[int, int, int], tuple[tuple[int, int], SpanDigest]] = {}

    def forget(self) -> None:
        """Compute everything again."""
        self._known.clear()

    def spans(self, stored: StoredBucket, made: Microseconds, *, first_id: int = 0) -> dict[str, SpanDigest]:
        """The digests of all spans with events, for a head of this time. `first_id` is subtracted from the ids."""
        spans: dict[str, SpanDigest] = {}
        for month in self._mirrors.months(stored.key):
            whole = start_of_month(month.month), start_of_month(month.month + 1) - 1
            if month.month == month_of(made):
                spans |= self._open_month(stored.key, whole, made, first_id)
                continue
            place, version = (stored.key, month.month, first_id), (stored.dictionary, month.version)
            known = self._known.get(place)
            if known is None or month.version is None or known[0] != version:
                found = digest_of(moved(self._mirrors.events(stored.key, whole), -first_id))
                known = (stored.dictionary, month.version or 0), found
                if month.version is not None:
                    self._known[place] = known
            if known[1].events:
                spans[span_of(whole[0], made)] = known[1]
        return spans

    def _open_month(self, key: int, whole: StartRange, made: Microseconds, first_id: int) -> dict[str, SpanDigest]:
        events = moved(self._mirrors.events(key, whole), -first_id)
        return {span: digest_of(some) for span, some in groupby(events, lambda event: span_of(event.start, made))}
