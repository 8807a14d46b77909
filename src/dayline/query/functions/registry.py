"""The functions of the query language."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dayline.query.functions.categories import categorize, tag
from dayline.query.functions.flood import flood
from dayline.query.functions.grouping import chunk_events_by_key, merge_events_by_keys, sum_durations
from dayline.query.functions.ordering import limit_events, sort_by_duration, sort_by_timestamp
from dayline.query.functions.overlap import filter_period_intersect
from dayline.query.functions.reading import find_bucket, query_bucket, query_bucket_eventcount, query_bucket_names
from dayline.query.functions.selecting import exclude_keyvals, filter_keyvals, filter_keyvals_regex
from dayline.query.functions.subwatcher import merge_subwatcher_fields
from dayline.query.functions.titles import simplify_window_titles
from dayline.query.functions.union import period_union, union_no_overlap
from dayline.query.functions.urls import split_url_events
from dayline.query.language.environment import Context, Function
from dayline.query.language.values import Value


def nop() -> float:
    """1, for checking that queries work."""
    return 1.0


def _without_context(function: Function) -> Function:
    def run(context: Context, *arguments: Value) -> Value:
        return function(*arguments)

    return run


_FUNCTIONS: Final[tuple[Function, ...]] = (
    categorize,
    filter_keyvals_regex,
    find_bucket,
    query_bucket,
    query_bucket_eventcount,
    query_bucket_names,
    tag,
)
_PURE_FUNCTIONS: Final[tuple[Function, ...]] = (
    chunk_events_by_key,
    exclude_keyvals,
    filter_keyvals,
    filter_period_intersect,
    flood,
    limit_events,
    merge_events_by_keys,
    merge_subwatcher_fields,
    nop,
    period_union,
    simplify_window_titles,
    sort_by_duration,
    sort_by_timestamp,
    split_url_events,
    sum_durations,
    union_no_overlap,
)

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {function.__name__: function for function in _FUNCTIONS}
    | {function.__name__: _without_context(function) for function in _PURE_FUNCTIONS}
)
