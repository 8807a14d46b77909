"""Random steps of a pipeline."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st

from dayline.query.columns.table import Table
from dayline.query.functions.ordering import concatenate
from dayline.query.functions.registry import FUNCTIONS
from dayline.query.language.environment import Context
from tests.query.functions.strategies import category_classes, keys, patterns, pulsetimes, tag_classes, values
from tests.query.reference import fields, intervals, selection
from tests.query.reference.events import Event
from tests.support.query.tables import context_of

Events = list[Event]


def _concat(context: Context, one: Table, other: Table) -> Table:
    return concatenate([one, other])


_FAST: Mapping[str, Callable[..., Any]] = {**FUNCTIONS, "concat": _concat}
_SLOW: Mapping[str, Callable[..., Events]] = {
    "categorize": fields.categorize,
    "chunk_events_by_key": selection.chunk_events_by_key,
    "concat": selection.concat,
    "exclude_keyvals": selection.exclude_keyvals,
    "filter_keyvals": selection.filter_keyvals,
    "filter_keyvals_regex": selection.filter_keyvals_regex,
    "filter_period_intersect": intervals.filter_period_intersect,
    "flood": intervals.flood,
    "limit_events": selection.limit_events,
    "merge_events_by_keys": selection.merge_events_by_keys,
    "merge_subwatcher_fields": intervals.merge_subwatcher_fields,
    "period_union": intervals.period_union,
    "simplify_window_titles": fields.simplify_window_titles,
    "sort_by_duration": selection.sort_by_duration,
    "sort_by_timestamp": selection.sort_by_timestamp,
    "split_url_events": fields.split_url_events,
    "tag": fields.tag,
    "union_no_overlap": intervals.union_no_overlap,
}
_OF_TWO_LISTS = {
    "concat", "filter_period_intersect", "merge_subwatcher_fields", "period_union", "union_no_overlap",
}  # fmt: skip


class Step(NamedTuple):
    """A call of a function. Of two lists of events, most take the first only."""

    name: str
    arguments: tuple[Any, ...] = ()

    def fast(self, one: Table, other: Table) -> Table:
        """The result of the engine."""
        events = (one, other) if self.name in _OF_TWO_LISTS else (one,)
        result = _FAST[self.name](context_of({}), *events, *self.arguments)
        assert isinstance(result, Table)
        return result

    def slow(self, one: Events, other: Events) -> Events:
        """The result of the reference."""
        events = (one, other) if self.name in _OF_TWO_LISTS else (one,)
        return _SLOW[self.name](*events, *self.arguments)


def _steps(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(*arguments).map(lambda drawn: Step(name, drawn))


_some_values = st.lists(values, max_size=3)
_some_keys = st.lists(keys, max_size=2)
steps = st.one_of(
    _steps("categorize", category_classes),
    _steps("chunk_events_by_key", keys),
    _steps("concat"),
    _steps("exclude_keyvals", keys, _some_values),
    _steps("filter_keyvals", keys, _some_values),
    _steps("filter_keyvals_regex", keys, patterns),
    _steps("filter_period_intersect"),
    _steps("flood", pulsetimes),
    _steps("limit_events", st.integers(0, 8).map(float)),
    _steps("merge_events_by_keys", _some_keys),
    _steps("merge_subwatcher_fields", _some_keys, st.sampled_from(["base_wins", "sub_wins"])),
    _steps("period_union"),
    _steps("simplify_window_titles", keys),
    _steps("sort_by_duration"),
    _steps("sort_by_timestamp"),
    _steps("split_url_events"),
    _steps("tag", tag_classes),
    _steps("union_no_overlap"),
)
