"""The variables that a program finds, and how it moves its own period with them."""

import pytest

from dayline.model.time import Period
from dayline.query.errors import QueryFunctionError, QueryInterpretError
from dayline.query.language.environment import Context, Environment
from dayline.query.language.values import Value
from tests.query.language.running import HOUR, context_of, pointed_at, result_of, task_refusal, value_of

DAY = Period(1_767_225_600_000_000, 1_767_312_000_000_000)  # the first of January 2026
READS = 'RETURN = query_bucket("b");'


def read_period(context: Context, bucket: str) -> Value:
    """In place of query_bucket: what it would read."""
    return [float(context.period.start), float(context.period.end)]


def read(text: str) -> Value:
    return result_of(text, functions={"query_bucket": read_period}, context=context_of(period=DAY))


def test_the_period_is_given_in_both_notations_in_utc_with_an_offset() -> None:
    context = context_of(period=DAY)

    assert value_of("[STARTTIME, ENDTIME, TIMEINTERVAL]", context=context) == [
        "2026-01-01T00:00:00+00:00",
        "2026-01-02T00:00:00+00:00",
        "2026-01-01T00:00:00+00:00/2026-01-02T00:00:00+00:00",
    ]


def test_fractions_of_a_second_are_kept() -> None:
    context = context_of(period=Period(1_500_000, 2_000_001))

    assert value_of("[STARTTIME, ENDTIME]", context=context) == [
        "1970-01-01T00:00:01.500+00:00",
        "1970-01-01T00:00:02.000001+00:00",
    ]


def test_the_name_of_the_query_is_given_and_empty_by_default() -> None:
    assert value_of("NAME") == ""
    assert value_of("NAME", name="week") == "week"


def test_other_variables_are_not_defined() -> None:
    for name in ("CACHE", "RETURN", "null"):
        task_refusal(f"x = {name};", QueryInterpretError)


def test_without_assignments_the_period_of_the_query_is_read() -> None:
    assert read(READS) == [float(DAY.start), float(DAY.end)]


def test_assigning_an_interval_moves_what_is_read() -> None:
    assert read(f'TIMEINTERVAL = "2026-01-01T10:00:00+01:00/2026-01-01T10:00:01Z"; {READS}') == [
        1_767_258_000_000_000.0,
        1_767_261_601_000_000.0,
    ]


def test_assigning_one_end_keeps_the_other() -> None:
    assert read(f'STARTTIME = "2026-01-01T10:00:00Z"; {READS}') == [1_767_261_600_000_000.0, float(DAY.end)]
    assert read(f'ENDTIME = "2026-01-01 10:00:00"; {READS}') == [float(DAY.start), 1_767_261_600_000_000.0]


def test_what_was_read_before_stays_as_it_was() -> None:
    assert read(f'a = query_bucket("b"); STARTTIME = "2026-01-01T10:00:00Z"; {READS} RETURN = a;') == [
        float(DAY.start),
        float(DAY.end),
    ]


def test_the_notation_assigned_last_wins() -> None:
    interval = 'TIMEINTERVAL = "2026-01-01T01:00:00Z/2026-01-01T02:00:00Z";'
    start = 'STARTTIME = "2026-01-01T00:30:00Z";'

    assert read(interval + start + READS) == [1_767_227_400_000_000.0, 1_767_232_800_000_000.0]
    assert read(start + interval + READS) == [1_767_229_200_000_000.0, 1_767_232_800_000_000.0]


def test_either_notation_follows_the_other() -> None:
    found = read('TIMEINTERVAL = "2026-01-01T01:00:00Z/2026-01-01T03:00:00+01:00"; RETURN = [STARTTIME, ENDTIME];')
    assert found == ["2026-01-01T01:00:00+00:00", "2026-01-01T02:00:00+00:00"]

    found = read('ENDTIME = "2026-01-01T01:00:00Z"; RETURN = [ENDTIME, TIMEINTERVAL];')
    assert found == ["2026-01-01T01:00:00Z", "2026-01-01T00:00:00+00:00/2026-01-01T01:00:00+00:00"]


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ('STARTTIME = "soon"', "STARTTIME: 'soon' is not a time like 2026-02-03T08:15:31.250Z"),
        ('ENDTIME = "2026-02-30T00:00:00Z"', "ENDTIME: '2026-02-30T00:00:00Z' is not a valid date"),
        ('STARTTIME = "1969-12-31T23:59:59Z"', "STARTTIME is outside the years 1970 to 2261"),
        ("ENDTIME = 5", "ENDTIME must be a string, not a number"),
        ('TIMEINTERVAL = "2026-01-01"', "TIMEINTERVAL: 2026-01-01 is not a period"),
        ('TIMEINTERVAL = "a/b"', "TIMEINTERVAL: 'a' is not a time like 2026-02-03T08:15:31.250Z"),
        ('TIMEINTERVAL = "2026-01-01/2262-01-01"', "TIMEINTERVAL is outside the years 1970 to 2261"),
        ("TIMEINTERVAL = []", "TIMEINTERVAL must be a string, not a list"),
    ],
)
def test_a_bad_period_is_rejected_where_something_is_read_for_it(assignment: str, message: str) -> None:
    assert read(f"{assignment}; RETURN = true;") is True

    given = {"functions": {"query_bucket": read_period}}
    error = task_refusal(f"{assignment};\n{READS}", QueryFunctionError, **given)
    assert error.message == f"query_bucket: {message}"
    assert pointed_at(error) == (2, 10)


def test_counting_reads_the_moved_period_too() -> None:
    functions = {"query_bucket_eventcount": read_period}
    text = 'TIMEINTERVAL = "1970-01-01/1970-01-01T00:00:01Z"; RETURN = query_bucket_eventcount("b");'

    assert result_of(text, functions=functions) == [0.0, 1_000_000.0]


def test_a_bad_period_can_be_fixed() -> None:
    assert read(f'TIMEINTERVAL = 1; STARTTIME = "2026-01-01T00:30:00Z"; {READS}') == [
        1_767_227_400_000_000.0,
        float(DAY.end),
    ]


def test_a_period_may_end_before_it_begins() -> None:
    environment = Environment(HOUR)
    environment.assign("TIMEINTERVAL", "2026-01-02T00:00:00Z/2026-01-01T00:00:00Z")

    assert environment.period() == Period(DAY.end, DAY.start)
