"""Jobs: one run for each period, what is reported beside the results, and failures."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import UNSET

from dayline.model.errors import StoreUnusable
from dayline.model.time import Microseconds, Period
from dayline.query.errors import SourcePosition
from dayline.query.language.engine import answer
from dayline.query.processes.messages import BucketRead, Failure, JobOutcome, Mode, QueryJob
from dayline.storage.columns.source import EventColumns, ReadReport
from tests.support.query.tables import MemorySource

SECOND = 1_000_000
SOURCE = MemorySource(
    {
        "window": [(second * SECOND, SECOND, {"app": "ab"[second % 2]}, second + 1) for second in range(10)],
        "empty": [],
    }
)
ALL = Period(0, 10 * SECOND)


class FailingSource(MemorySource):
    """A store from which nothing can be read."""

    def __init__(self, error: Exception) -> None:
        super().__init__({"window": []})
        self._error = error

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        raise self._error


def answered(
    text: str,
    *,
    periods: Sequence[Period] = (ALL,),
    mode: Mode = "answer",
    name: str = "",
    max_result_bytes: int = 1 << 20,
    source: MemorySource = SOURCE,
) -> tuple[JobOutcome, list[bytes]]:
    job = QueryJob(text=text, periods=list(periods), name=name, mode=mode, max_result_bytes=max_result_bytes)
    return answer(job, source)


def results(text: str, **given: Any) -> Any:
    outcome, pieces = answered(text, **given)
    assert outcome.failure is UNSET
    return json.loads(b"".join(pieces))


def failure(text: str, **given: Any) -> Failure:
    outcome, pieces = answered(text, **given)
    assert pieces == []
    assert outcome.failure is not UNSET
    assert isinstance(outcome.failure, Failure)
    return outcome.failure


def test_there_is_one_result_for_each_period_in_order() -> None:
    periods = [Period(0, 2 * SECOND - 1), Period(5 * SECOND, 5 * SECOND), Period(20 * SECOND, 30 * SECOND)]

    assert results('RETURN = query_bucket_eventcount("window");', periods=periods) == [2.0, 2.0, 0.0]
    assert results("RETURN = STARTTIME;", periods=periods) == [
        "1970-01-01T00:00:00+00:00",
        "1970-01-01T00:00:05+00:00",
        "1970-01-01T00:00:20+00:00",
    ]


def test_each_period_begins_with_a_fresh_environment() -> None:
    text = 'if STARTTIME == "1970-01-01T00:00:00+00:00" { x = 1; } RETURN = x;'

    assert failure(text, periods=[ALL, Period(SECOND, SECOND)]).message == "no variable named `x`"


def test_without_periods_the_program_is_not_even_read() -> None:
    assert results("(((", periods=[]) == []


def test_the_first_period_that_fails_fails_all() -> None:
    text = 'if STARTTIME == "1970-01-01T00:00:00+00:00" { RETURN = 1; } else { RETURN = 1 / 0; }'

    assert results(text) == [1.0]
    assert failure(text, periods=[ALL, Period(SECOND, SECOND)]).message == "division by zero"


def test_a_failure_shows_its_kind_its_place_and_the_fix() -> None:
    assert failure('x = 1;\nRETURN = query_bucket("windov");') == Failure(
        kind="QueryFunctionException",
        message="query_bucket: there is no bucket 'windov'",
        hint="did you mean `window`?",
        place=SourcePosition(line=2, column=10, excerpt='RETURN = query_bucket("windov");\n         ^'),
    )
    assert failure("RETURN = f(1;") == Failure(
        kind="QueryParseException",
        message="expected `)` or `,`, found `;`",
        place=SourcePosition(line=1, column=13, excerpt="RETURN = f(1;\n            ^"),
        expected=("`)`", "`,`"),
    )
    assert failure("RETURN = x;").kind == "QueryInterpretException"


def test_a_result_that_is_too_large_is_rejected() -> None:
    found = failure('RETURN = query_bucket("window");', max_result_bytes=500)

    assert found.kind == "QueryInterpretException"
    assert found.message == "the result is larger than 500 bytes"
    assert len(results('RETURN = limit_events(query_bucket("window"), 3);', max_result_bytes=500)[0]) == 3


def test_running_out_of_memory_is_a_failure_of_the_query() -> None:
    found = failure('RETURN = query_bucket("window");', source=FailingSource(MemoryError()))

    assert found.kind == "QueryMemoryException"
    assert found.message == "the query needed more memory than it may have"


def test_a_store_that_cannot_be_read_is_no_failure_of_the_query() -> None:
    with pytest.raises(StoreUnusable):
        answered('RETURN = query_bucket("window");', source=FailingSource(StoreUnusable("gone")))


def test_the_name_is_given_to_the_program() -> None:
    assert results("RETURN = NAME;", name="report") == ["report"]


def test_statistics_show_what_was_read_and_written() -> None:
    outcome, pieces = answered('RETURN = query_bucket("window");')

    assert outcome.statistics.events_read == outcome.statistics.rows_read == 10
    assert outcome.statistics.segments_read == 0
    assert outcome.statistics.result_bytes == len(b"".join(pieces))
    assert outcome.statistics.seconds > 0
    assert outcome.statements == []


def test_a_failure_also_reports_what_was_read() -> None:
    outcome, _ = answered('x = query_bucket("window"); print("here"); RETURN = y;')

    assert outcome.statistics.events_read == 10
    assert outcome.printed == ["here"]


def test_printed_lines_are_those_of_all_periods() -> None:
    outcome, _ = answered("print(ENDTIME); RETURN = 1;", periods=[ALL, Period(0, SECOND)])

    assert outcome.printed == ["1970-01-01T00:00:10+00:00", "1970-01-01T00:00:01+00:00"]


def test_explaining_reports_each_statement_and_leaves_out_the_results() -> None:
    text = 'w = query_bucket("window");\nif true {\n  RETURN = limit_events(w, 3);\n}'

    outcome, pieces = answered(text, mode="explain", periods=[ALL, Period(20 * SECOND, 30 * SECOND)])

    assert pieces == []
    assert outcome.failure is UNSET
    reported = [(each.period, each.line, each.text, each.events_in, each.events_out) for each in outcome.statements]
    assert reported == [
        (0, 1, 'w = query_bucket("window")', 0, 10),
        (0, 2, "if true", 0, 0),
        (0, 3, "RETURN = limit_events(w, 3)", 10, 3),
        (1, 1, 'w = query_bucket("window")', 0, 0),
        (1, 2, "if true", 0, 0),
        (1, 3, "RETURN = limit_events(w, 3)", 0, 0),
    ]
    assert outcome.statements[0].reads == [
        BucketRead(bucket="window", segments=0, segment_events=0, row_events=10),
    ]
    assert outcome.statistics.events_read == 10


def test_explaining_a_failure_reports_the_statements_before_it() -> None:
    outcome, _ = answered("a = 1; RETURN = b;", mode="explain")

    assert isinstance(outcome.failure, Failure)
    assert [each.text for each in outcome.statements] == ["a = 1"]


def test_long_statements_are_reported_by_their_beginning() -> None:
    outcome, _ = answered(f'RETURN = "{"x" * 1000}";', mode="explain")

    assert outcome.statements[0].text == 'RETURN = "' + "x" * 490 + "…"
