"""What is reported for each statement: its time, and the events that went in and came out."""

from dayline.query.language.ast import Statement
from dayline.query.language.environment import Context, Function, Trace
from dayline.query.language.values import Value
from dayline.storage.columns.source import ReadReport
from tests.query.language.running import context_of, result_of, table_of

EVENTS = table_of([(second * 1_000_000, 0, {}, second + 1) for second in range(5)])

TEXT = """
a = query_bucket("b");
if query_bucket("c") == a { x = nop(); } else { y = limit_events(a, 2); }
1 + nop();
RETURN = {"a": concat(a, limit_events(a, 2))};
"""


def read(context: Context, bucket: str) -> Value:
    context.trace.reads.append((bucket, ReadReport(row_events=5)))
    context.trace.fallbacks.append(f"pattern of {bucket}")
    return EVENTS if bucket == "b" else EVENTS.take(slice(0, 1))


def first(context: Context, events: Value, count: float) -> Value:
    return EVENTS.take(slice(0, int(count)))


def one(context: Context) -> Value:
    return 1.0


FUNCTIONS: dict[str, Function] = {"query_bucket": read, "limit_events": first, "nop": one}


def reported() -> list[tuple[str, float, Trace]]:
    reports: list[tuple[str, float, Trace]] = []

    def report(statement: Statement, seconds: float, trace: Trace) -> None:
        reports.append((TEXT[statement.offset : statement.end], seconds, trace))

    result_of(TEXT, functions=FUNCTIONS, report=report)
    return reports


def test_every_statement_that_ran_is_reported_in_order() -> None:
    assert [text for text, _, _ in reported()] == [
        'a = query_bucket("b")',
        'if query_bucket("c") == a',
        "y = limit_events(a, 2)",
        "1 + nop()",
        'RETURN = {"a": concat(a, limit_events(a, 2))}',
    ]


def test_events_in_are_those_given_to_its_functions_and_events_out_those_of_its_result() -> None:
    assert [(trace.events_in, trace.events_out) for _, _, trace in reported()] == [
        (0, 5),
        (0, 0),
        (5, 2),
        (0, 0),
        (5 + 5 + 2, 0),
    ]


def test_reads_and_fallbacks_belong_to_the_statement_that_made_them() -> None:
    traces = [trace for _, _, trace in reported()]

    assert [[bucket for bucket, _ in trace.reads] for trace in traces] == [["b"], ["c"], [], [], []]
    assert traces[1].fallbacks == ["pattern of c"]


def test_seconds_are_measured() -> None:
    assert all(seconds >= 0 for _, seconds, _ in reported())
    assert any(seconds > 0 for _, seconds, _ in reported())


def test_without_reports_one_trace_is_of_all_statements() -> None:
    context = context_of()

    result_of(TEXT, functions=FUNCTIONS, context=context)

    assert [bucket for bucket, _ in context.trace.reads] == ["b", "c"]
    assert context.trace.events_in == 17
