"""The categories of events that a search has found."""

from collections.abc import Sequence

import numpy as np

from dayline.insight.event_categories import BucketEvents, EventCategories
from dayline.insight.scope import Scope
from dayline.insight.search_hits import Found, taken
from dayline.insight.search_query import CategoryClause
from dayline.storage.columns.source import Codes, ColumnSource
from dayline.transform.words import fold


class Classified:
    """The rules of one search."""

    def __init__(self, source: ColumnSource, scope: Scope) -> None:
        self._categories = EventCategories(source, scope)

    def categories(self, found: Found, events: Sequence[int]) -> dict[int, list[str]]:
        """The category of each of some events."""
        which = np.array(sorted(events), dtype=np.int64)
        numbers: list[int] = self._numbers(taken(found, which)).tolist()
        return {event: list(self._categories.names[each]) for event, each in zip(which.tolist(), numbers, strict=True)}

    def chosen(self, found: Found, clauses: Sequence[CategoryClause]) -> Found:
        """The events whose category is one that was asked for, or lies below it."""
        fits = np.array([all(_holds(clause, name) for clause in clauses) for name in self._categories.names])
        return taken(found, np.flatnonzero(fits[self._numbers(found)]))

    def _numbers(self, found: Found) -> Codes:
        end = found.begin + found.whole
        return self._categories.numbers(BucketEvents(found.bucket, found.begin, end, found.value, found.dictionary))


def _holds(clause: CategoryClause, name: Sequence[str]) -> bool:
    wanted = [fold(part) for part in clause.path]
    return ([fold(part) for part in name[: len(wanted)]] == wanted) is not clause.is_negated
