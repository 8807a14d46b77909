"""The categories of events that a search has found: each by itself, whatever else was in front at the time."""

from collections.abc import Sequence

import numpy as np

from dayline.insight.bucket_kinds import layer_of
from dayline.insight.classify import Classifier
from dayline.insight.scope import Scope
from dayline.insight.search_hits import Found, taken
from dayline.insight.search_query import CategoryClause
from dayline.query.distinct import used_codes
from dayline.storage.columns import Codes
from dayline.transform.words import fold


class Classified:
    """The rules of one search."""

    def __init__(self, scope: Scope) -> None:
        self._classifier = Classifier.of(scope.categories)

    def category(self, found: Found, event: int) -> list[str]:
        """The category of one event."""
        number = self._numbers(found, found.value[event : event + 1])[0]
        return list(self._classifier.names[int(number)])

    def chosen(self, found: Found, clauses: Sequence[CategoryClause]) -> Found:
        """The events whose category is one that was asked for, or lies below it."""
        fits = np.array([all(_holds(clause, name) for clause in clauses) for name in self._classifier.names])
        used = used_codes(found.value, len(found.dictionary))
        of_value = np.zeros(len(found.dictionary), dtype=np.bool_)
        of_value[used] = fits[self._numbers(found, used)]
        return taken(found, np.flatnonzero(of_value.take(found.value)))

    def _numbers(self, found: Found, values: Codes) -> Codes:
        layer = layer_of(found.bucket.type) or "window"
        return self._classifier.categories(self._classifier.places(layer, found.dictionary, values))


def _holds(clause: CategoryClause, name: Sequence[str]) -> bool:
    wanted = [fold(part) for part in clause.path]
    return ([fold(part) for part in name[: len(wanted)]] == wanted) is not clause.is_negated
