"""Runs a job: the program is parsed once and run for each period."""

from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from typing import Final

from msgspec import UNSET, Struct, field

from dayline.model.access import BucketNames
from dayline.model.time import Period
from dayline.query.columns.json import Answer
from dayline.query.errors import QueryError
from dayline.query.functions.registry import FUNCTIONS
from dayline.query.functions.values import LANGUAGE_FUNCTIONS
from dayline.query.language.ast import Program, SourceText, Statement
from dayline.query.language.environment import Context, Function, Reading, Trace
from dayline.query.language.interpreter import Report, run
from dayline.query.language.parser import parse
from dayline.query.language.static import check
from dayline.query.language.values import Value
from dayline.query.processes.failures import failure_of, out_of_memory
from dayline.query.processes.messages import BucketRead, Failure, JobOutcome, QueryJob, StatementReport, Statistics
from dayline.query.processes.worker import SourceView
from dayline.storage.columns.source import ColumnSource, ReadReport

ALL_FUNCTIONS: Final[Mapping[str, Function]] = {**FUNCTIONS, **LANGUAGE_FUNCTIONS}

_MAX_CACHED_CHARACTERS: Final = 256 << 10  # the tree of a program takes many times the memory of its text
_MAX_REPORTS: Final = 10_000
_MAX_STATEMENT_CHARACTERS: Final = 500


class _JobProgress(Struct):
    """Statistics of a job, whether it succeeds or not, and what its periods share."""

    traces: list[Trace] = field(default_factory=list)
    statements: list[StatementReport] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    readings: dict[tuple[str, Period], Reading] = field(default_factory=dict)
    result_bytes: int = 0


def answer(job: QueryJob, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
    """The outcome of the job, and a JSON array of its results in pieces; a check, explain or failure has none."""
    start = perf_counter()
    progress = _JobProgress()
    pieces: list[bytes] = []
    failure: Failure | None = None
    if job.buckets:
        source = SourceView(source, BucketNames(job.buckets))
    try:
        pieces = _results(job, source, progress)
    except QueryError as error:
        failure = failure_of(error)
    except MemoryError:
        failure = out_of_memory()
    return _outcome(progress, failure, perf_counter() - start), pieces


def _results(job: QueryJob, source: ColumnSource, progress: _JobProgress) -> list[bytes]:
    if job.mode == "check":
        check(_program(job.text), ALL_FUNCTIONS)
        return []
    answer = Answer(max_bytes=job.max_result_bytes)
    for number in range(len(job.periods)):
        value = _run(job, number, source, progress)
        if job.mode == "answer":
            answer.add(value)
    if job.mode == "explain":
        return []
    pieces = answer.pieces()
    progress.result_bytes = answer.size
    return pieces


def _run(job: QueryJob, number: int, source: ColumnSource, progress: _JobProgress) -> Value:
    """The result of one period."""
    program = _program(job.text)
    context = Context(
        source=source,
        periods=job.periods,
        period=job.periods[number],
        trace=Trace(),
        printed=progress.printed,
        readings=progress.readings,
    )
    progress.traces.append(context.trace)
    report = _reporter(program, number, progress) if job.mode == "explain" else None
    return run(program, context, functions=ALL_FUNCTIONS, name=job.name, report=report)


def _program(text: str) -> Program:
    return _program_again(text) if len(text) <= _MAX_CACHED_CHARACTERS else parse(SourceText(text))


@lru_cache(maxsize=32)  # the same few queries are repeated for other periods
def _program_again(text: str) -> Program:
    return parse(SourceText(text))


def _reporter(program: Program, number: int, progress: _JobProgress) -> Report:
    source = program.source

    def report(statement: Statement, seconds: float, trace: Trace) -> None:
        progress.traces.append(trace)
        if len(progress.statements) == _MAX_REPORTS:
            return
        text = source.text[statement.offset : statement.end]
        is_long = len(text) > _MAX_STATEMENT_CHARACTERS
        progress.statements.append(
            StatementReport(
                period=number,
                line=source.line(statement.offset),
                text=f"{text[:_MAX_STATEMENT_CHARACTERS]}…" if is_long else text,
                seconds=seconds,
                events_in=trace.events_in,
                events_out=trace.events_out,
                reads=[_read(bucket, read) for bucket, read in trace.reads],
                fallbacks=trace.fallbacks,
            )
        )

    return report


def _read(bucket: str, report: ReadReport) -> BucketRead:
    return BucketRead(
        bucket=bucket,
        segments=report.segments,
        segment_events=report.segment_events,
        row_events=report.row_events,
    )


def _outcome(progress: _JobProgress, failure: Failure | None, seconds: float) -> JobOutcome:
    reads = [report for trace in progress.traces for _, report in trace.reads]
    rows = sum(report.row_events for report in reads)
    statistics = Statistics(
        seconds=seconds,
        events_read=rows + sum(report.segment_events for report in reads),
        segments_read=sum(report.segments for report in reads),
        rows_read=rows,
        result_bytes=progress.result_bytes,
    )
    return JobOutcome(
        statistics=statistics,
        statements=progress.statements,
        printed=progress.printed,
        failure=UNSET if failure is None else failure,
    )
