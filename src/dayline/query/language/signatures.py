"""Parameters and results of the functions of the query language: for checks, completion and the docs.

Without numpy, because the recording process serves this list.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from msgspec import Struct

Kind = Literal[
    "events",  # a list of events
    "string",
    "number",
    "boolean",
    "list",  # a list of values without events
    "keys",  # a list of strings
    "list or events",
    "list or dict",
    "any",
    "nothing",
]


class Parameter(Struct, frozen=True):
    """One argument of a function. A variadic one, always the only one, may be given any number of times or never."""

    name: str
    kind: Kind
    description: str
    is_optional: bool = False
    is_variadic: bool = False


class Signature(Struct, frozen=True, kw_only=True):
    """A function with its description. `is_over_period`: it depends on the period of the query."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    returns: Kind
    example: str
    is_over_period: bool = False

    @property
    def form(self) -> str:
        """How it is called, such as `flood(events [, pulsetime])`."""
        needed = ", ".join(parameter.name for parameter in self.parameters if not parameter.is_optional)
        optional = "".join(f" [, {parameter.name}]" for parameter in self.parameters if parameter.is_optional)
        more = ", …" if self.most is None else ""
        return f"{self.name}({needed}{optional}{more})"

    @property
    def fewest(self) -> int:
        """The minimum number of arguments."""
        return sum(not (parameter.is_optional or parameter.is_variadic) for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        """The maximum number of arguments; None: any number."""
        if self.parameters and self.parameters[-1].is_variadic:
            return None
        return len(self.parameters)


def _optional(name: str, kind: Kind, description: str) -> Parameter:
    return Parameter(name, kind, description, is_optional=True)


def _any_number_of(name: str, kind: Kind, description: str) -> Parameter:
    return Parameter(name, kind, description, is_variadic=True)


_EVENTS: Final = Parameter("events", "events", "The events to work on; they stay as they are.")
_BUCKET: Final = Parameter("bucket", "string", "The id of the bucket.")
_KEY: Final = Parameter("key", "string", "The field of the events' data to look at.")

_ALL: Final = (
    Signature(
        name="query_bucket", returns="events", is_over_period=True, parameters=(_BUCKET,),
        summary="The events of a bucket that touch the period, clipped to it, newest first.",
        example='events = query_bucket("aw-watcher-window_laptop");',
    ),
    Signature(
        name="query_bucket_eventcount", returns="number", is_over_period=True, parameters=(_BUCKET,),
        summary="How many events of a bucket touch the period.",
        example='RETURN = query_bucket_eventcount("aw-watcher-window_laptop");',
    ),
    Signature(
        name="query_bucket_names", returns="list", parameters=(),
        summary="The ids of all buckets.",
        example="RETURN = query_bucket_names();",
    ),
    Signature(
        name="find_bucket", returns="string",
        parameters=(
            Parameter("prefix", "string", "The id, its beginning or a part of it."),
            _optional("hostname", "string", "The host that the bucket must belong to."),
        ),
        summary="The id of a bucket: the one named so, else the first that begins with the text, else one that has it.",
        example='events = query_bucket(find_bucket("aw-watcher-window_"));',
    ),
    Signature(
        name="filter_keyvals", returns="events",
        parameters=(_EVENTS, _KEY, Parameter("values", "list", "The values to keep.")),
        summary="The events whose data has one of the values in a field.",
        example='active = filter_keyvals(afk, "status", ["not-afk"]);',
    ),
    Signature(
        name="exclude_keyvals", returns="events",
        parameters=(_EVENTS, _KEY, Parameter("values", "list", "The values to leave out.")),
        summary="The events whose data has none of the values in a field, or no such field.",
        example='events = exclude_keyvals(events, "app", ["Screensaver"]);',
    ),
    Signature(
        name="filter_keyvals_regex", returns="events",
        parameters=(_EVENTS, _KEY, Parameter("pattern", "string", "A regular expression, found anywhere.")),
        summary="The events in whose field, a string, a pattern is found.",
        example=r'meetings = filter_keyvals_regex(events, "title", "(?i)\bmeeting\b");',
    ),
    Signature(
        name="filter_period_intersect", returns="events",
        parameters=(_EVENTS, Parameter("filter", "events", "The events that cover the time to keep.")),
        summary="The parts of events that lie within the time covered by other events.",
        example="events = filter_period_intersect(events, active);",
    ),
    Signature(
        name="period_union", returns="events", parameters=(_EVENTS, Parameter("others", "events", "More events.")),
        summary="The time covered by any event of two lists, as events without data that do not overlap.",
        example="active = period_union(active, audible);",
    ),
    Signature(
        name="union_no_overlap", returns="events",
        parameters=(
            Parameter("events", "events", "The events that win."),
            Parameter("others", "events", "The events that give way."),
        ),
        summary="Two lists as one; where they overlap, the first one wins. Both must be sorted by start.",
        example="events = union_no_overlap(events_laptop, events_desktop);",
    ),
    Signature(
        name="concat", returns="list or events", parameters=(_any_number_of("lists", "list or events", "A list."),),
        summary="Several lists as one, in the order given.",
        example="events = concat(events_laptop, events_desktop);",
    ),
    Signature(
        name="sort_by_timestamp", returns="events", parameters=(_EVENTS,),
        summary="The events by start, earliest first.",
        example="events = sort_by_timestamp(events);",
    ),
    Signature(
        name="sort_by_duration", returns="events", parameters=(_EVENTS,),
        summary="The events by duration, longest first.",
        example="events = sort_by_duration(events);",
    ),
    Signature(
        name="limit_events", returns="events",
        parameters=(_EVENTS, Parameter("count", "number", "How many to keep.")),
        summary="The first events of a list.",
        example="RETURN = limit_events(sort_by_duration(events), 100);",
    ),
    Signature(
        name="sum_durations", returns="number", parameters=(_EVENTS,),
        summary="The seconds that the events last together.",
        example="RETURN = sum_durations(events);",
    ),
    Signature(
        name="merge_events_by_keys", returns="events",
        parameters=(_EVENTS, Parameter("keys", "keys", "The fields of the events' data to group by.")),
        summary="One event for each combination of the fields' values, its duration the sum; others are left out.",
        example='apps = sort_by_duration(merge_events_by_keys(events, ["app"]));',
    ),
    Signature(
        name="chunk_events_by_key", returns="events", parameters=(_EVENTS, _KEY),
        summary="Neighbors in the list that have the same value in a field, joined, their durations added.",
        example='RETURN = chunk_events_by_key(sort_by_timestamp(events), "app");',
    ),
    Signature(
        name="flood", returns="events",
        parameters=(
            _EVENTS,
            _optional("pulsetime", "number", "Gaps shorter than these seconds are closed; 5 if left out."),
        ),
        summary="The events with small gaps between them closed, and equal neighbors merged.",
        example='events = flood(query_bucket("aw-watcher-window_laptop"));',
    ),
    Signature(
        name="split_url_events", returns="events", parameters=(_EVENTS,),
        summary="The events, with the parts of their `url` as fields such as `$domain` and `$path`.",
        example='domains = merge_events_by_keys(split_url_events(web), ["$domain"]);',
    ),
    Signature(
        name="simplify_window_titles", returns="events", parameters=(_EVENTS, _KEY),
        summary="The events, with counters and unsaved marks taken out of their titles.",
        example='events = simplify_window_titles(events, "title");',
    ),
    Signature(
        name="merge_subwatcher_fields", returns="events",
        parameters=(
            Parameter("base", "events", "The events to split."),
            Parameter("sub", "events", "The events to copy from."),
            Parameter("keys", "keys", "The fields to copy."),
            _optional("conflict", "string", "Who wins where both have a field: base_wins (if left out) or sub_wins."),
        ),
        summary="The events, split where other events begin and end, with fields of those copied into the pieces.",
        example='events = merge_subwatcher_fields(windows, editor, ["project"]);',
    ),
    Signature(
        name="categorize", returns="events",
        parameters=(_EVENTS, Parameter("classes", "list", "Pairs of a category (a list of strings) and its rule.")),
        summary="The events, each with the category of the deepest rule that matches it in `$category`.",
        example='events = categorize(events, [[["Work"], {"type": "regex", "regex": "Editor"}]]);',
    ),
    Signature(
        name="tag", returns="events",
        parameters=(_EVENTS, Parameter("classes", "list", "Pairs of a tag (a string) and its rule.")),
        summary="The events, each with the tags of all rules that match it in `$tags`.",
        example='events = tag(events, [["call", {"type": "regex", "regex": "Meeting"}]]);',
    ),
    Signature(
        name="contains", returns="boolean",
        parameters=(
            Parameter("container", "list or dict", "Where to look."),
            Parameter("value", "any", "What to look for; in a dict a string."),
        ),
        summary="Whether a list has a value, or a dict a key.",
        example='RETURN = contains(query_bucket_names(), "aw-watcher-window_laptop");',
    ),
    Signature(
        name="print", returns="nothing", parameters=(_any_number_of("values", "any", "What to print."),),
        summary="Prints its arguments next to the result of the query, and returns nothing.",
        example='print("events:", query_bucket_eventcount("aw-watcher-window_laptop"));',
    ),
    Signature(
        name="nop", returns="number", parameters=(),
        summary="The number 1, for trying out whether queries work.",
        example="RETURN = nop();",
    ),
)  # fmt: skip

SIGNATURES: Final[Mapping[str, Signature]] = MappingProxyType({signature.name: signature for signature in _ALL})
