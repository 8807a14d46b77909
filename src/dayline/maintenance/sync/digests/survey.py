"""The digests of the spans of a bucket, which are computed again only if the events may have changed."""

from collections.abc import Callable, Iterable
from itertools import groupby

from msgspec import structs

from dayline.maintenance.sync.digests.spans import SpanDigest, digest_of, span_of
from dayline.model.event import Event
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.writing.mirrors import Mirrors, StoredBucket


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

    def spans(
        self,
        stored: StoredBucket,
        made: Microseconds,
        *,
        first_id: int = 0,
        compute: Callable[[str], SpanDigest] | None = None,
    ) -> dict[str, SpanDigest]:
        """The digests of all spans with events, for a head of this time. `first_id` is subtracted from the ids.

        `compute` returns the digest of a closed month that is not known; by default, its events are read.
        """
        spans: dict[str, SpanDigest] = {}
        for month in self._mirrors.months(stored.key):
            whole = start_of_month(month.month), start_of_month(month.month + 1) - 1
            events = self._mirrors.events(stored.key, whole)
            if month.month == month_of(made):
                for span, some in groupby(events, lambda event: span_of(event.start, made)):
                    spans[span] = digest_of(some, first_id=first_id)
                continue
            digest_key, version = (stored.key, month.month, first_id), (stored.dictionary, month.version)
            span, known = span_of(whole[0], made), self._known.get(digest_key)
            if known is None or month.version is None or known[0] != version:
                found = digest_of(events, first_id=first_id) if compute is None else compute(span)
                known = (stored.dictionary, month.version or 0), found
                if month.version is not None:
                    self._known[digest_key] = known
            if known[1].events:
                spans[span] = known[1]
        return spans
