"""Single rules of single functions that the properties reach only by luck."""

import pytest

from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.categories import categorize
from dayline.query.functions.flood import flood
from dayline.query.functions.grouping import chunk_events_by_key, merge_events_by_keys, sum_durations
from dayline.query.functions.registry import FUNCTIONS
from dayline.query.functions.selecting import filter_keyvals_regex
from dayline.query.functions.subwatcher import merge_subwatcher_fields
from dayline.query.language.signatures import SIGNATURES
from dayline.query.language.values import Value
from tests.query.reference.events import Event
from tests.support.query.tables import SECOND, at, context_of, events_of, table_of


def test_every_function_of_the_language_is_there_but_those_about_any_value() -> None:
    assert FUNCTIONS.keys() | {"contains", "print", "concat"} == SIGNATURES.keys()


def test_nop_is_one() -> None:
    assert FUNCTIONS["nop"](context_of({})) == 1.0


def test_a_function_without_context_is_called_with_one() -> None:
    assert FUNCTIONS["sum_durations"](context_of({}), table_of([at(0, 2.5), at(9, 0.25)])) == 2.75


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if SIGNATURES[name].returns == "events"))
def test_every_function_takes_no_events(name: str) -> None:
    arguments: dict[str, Value] = {
        "events": no_events(), "string": "b", "number": 5.0, "list": [], "keys": ["app"],
    }  # fmt: skip
    needed = [parameter for parameter in SIGNATURES[name].parameters if not parameter.is_optional]

    result = FUNCTIONS[name](context_of({"b": []}), *(arguments[parameter.kind] for parameter in needed))

    assert isinstance(result, Table)
    assert len(result) == 0


def test_a_gap_of_exactly_the_pulsetime_stays_open_and_an_odd_one_is_shared_downwards() -> None:
    events = [Event(0, 10, {"app": "a"}, 1), Event(15, 0, {"app": "b"}, 2), Event(18, 1, {"app": "c"}, 3)]

    assert events_of(flood(table_of(events), 0.000005)) == [
        Event(0, 10, {"app": "a"}, 1),
        Event(15, 1, {"app": "b"}, 2),
        Event(17, 2, {"app": "c"}, 3),
    ]


def test_equal_events_with_a_gap_of_exactly_the_pulsetime_stay_two() -> None:
    events = [Event(0, 10, {"app": "a"}, 1), Event(15, 5, {"app": "a"}, 2)]

    assert events_of(flood(table_of(events), 0.000005)) == events
    assert events_of(flood(table_of(events), 0.000006)) == [Event(0, 20, {"app": "a"}, 1)]


def test_flood_merges_over_an_event_that_ends_before_the_one_in_front_of_it() -> None:
    events = [at(0, 20, "a", id=1), at(1, 2, "a", id=2), at(22, 1, "a", id=3), at(23, 1, "b", id=4)]

    assert events_of(flood(table_of(events))) == [at(0, 23, "a", id=1), at(23, 1, "b", id=4)]


def test_chunks_continue_over_events_without_the_key_and_over_gaps() -> None:
    events = [at(0, 1, "a", id=1), at(1, 1, {"title": "x"}, id=2), at(50, 2, "a", id=3), at(60, 1, "b", id=4)]

    assert events_of(chunk_events_by_key(table_of(events), "app")) == [at(0, 3, "a", id=1), at(60, 1, "b", id=4)]


def test_sums_are_exact_beyond_what_a_float_holds() -> None:
    long = 2**53
    events = [Event(0, long, {"app": "a"}), Event(0, 1, {"app": "a"}), Event(0, 1, {"app": "a"})]

    assert events_of(merge_events_by_keys(table_of(events), ["app"])) == [Event(0, long + 2, {"app": "a"})]


def test_durations_that_no_event_could_have_are_rejected() -> None:
    events = table_of([Event(0, 2**61, {"app": "a"})] * 3)

    with pytest.raises(QueryFunctionError, match="140,000 years"):
        merge_events_by_keys(events, ["app"])
    with pytest.raises(QueryFunctionError, match="140,000 years"):
        sum_durations(events)


def test_a_wrong_pattern_is_reported_with_its_place() -> None:
    with pytest.raises(QueryFunctionError, match="position 1"):
        filter_keyvals_regex(context_of({}), no_events(), "app", "a(b")


def test_patterns_that_only_re_can_do_are_reported() -> None:
    context = context_of({})

    filter_keyvals_regex(context, table_of([at(0, 1, "aa")]), "app", r"(a)\1")
    categorize(context, table_of([at(0, 1, "aa")]), [[["Work"], {"type": "regex", "regex": "(?<=a)a"}]])

    assert context.trace.fallbacks == [r"(a)\1", "(?<=a)a"]


def test_an_unknown_way_to_settle_conflicts_is_rejected() -> None:
    with pytest.raises(QueryFunctionError, match="'first_wins'") as caught:
        merge_subwatcher_fields(no_events(), no_events(), ["project"], "first_wins")

    assert caught.value.hint == 'use "base_wins" or "sub_wins"'


def test_fields_of_a_subwatcher_are_copied_where_it_covers_the_event() -> None:
    base = [at(0, 10, "Editor", id=1), at(20, 5, "Editor", id=2)]
    sub = [at(2, 3, {"project": "x", "file": "f"}), at(5, 3, {"project": "y"}), at(6, 1, {"project": "z"})]

    merged = events_of(merge_subwatcher_fields(table_of(base), table_of(sub), ["project"]))

    pieces = [(event.start // SECOND, event.duration // SECOND, event.data.get("project")) for event in merged]
    assert pieces == [
        (0, 2, None), (2, 3, "x"), (5, 1, "y"), (6, 1, "z"), (7, 1, "y"), (8, 2, None), (20, 5, None),
    ]  # fmt: skip
    assert [event.id for event in merged] == [1, 1, 1, 1, 1, 1, 2]
