"""`/api/0/query` and `/api/1/query`: queries run in query processes, results streamed back."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from dayline.api.http.call import JSON, Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.api.v0.documents import AnyJson, QueryCheck, QueryExplanation, QueryFault, QueryResponse
from dayline.model.errors import Invalid
from dayline.model.time import parse_period
from dayline.query.errors import QueryError, QueryProcessLost
from dayline.query.language.signatures import SIGNATURES, Signature
from dayline.query.processes.messages import JobOutcome, Mode, QueryJob
from dayline.query.processes.workers import Answered, ResultStream

N = TypeVar("N", int, float)

MAX_PERIODS: Final = 1000
STALL_S: Final = 60.0  # a client that reads nothing for this long is disconnected

Lines = Annotated[list[str], Meta(description="the lines of the program")]
Periods = Annotated[
    list[str],
    Meta(max_length=MAX_PERIODS, description="the program runs once for each; `start/end`, both RFC 3339"),
]


class QueryLines(Struct, frozen=True, kw_only=True):
    """A program, and the periods to run it for."""

    query: Lines
    timeperiods: Periods


class QueryRequest(Struct, frozen=True, kw_only=True):
    """A program, the periods to run it for, and its limits. `name` is the value of `NAME` in the program."""

    query: str | Lines
    timeperiods: Periods
    name: str = ""
    timeout_s: Annotated[float, Meta(gt=0)] | None = None
    max_result_bytes: Annotated[int, Meta(ge=1)] | None = None


class ProgramText(Struct, frozen=True, kw_only=True):
    """A program."""

    query: str | Lines


async def run_query(call: Call) -> None:
    """Returns the value of `RETURN` for each period, in order. If one period fails, the query fails.

    The lines are joined with newlines. Each period runs independently.
    """
    sent = await call.decoded(QueryLines)
    request = QueryRequest(
        query=sent.query, timeperiods=sent.timeperiods, name=call.request.get_param("name", default="")
    )
    answered = await _run_request(call, request, mode="answer")
    _answer(call, answered)


async def run_query_with_statistics(call: Call) -> None:
    """Like `POST /api/0/query/`, with statistics, the output of `print`, and your own limits.

    The server's settings limit `timeout_s` and `max_result_bytes`.
    """
    request = await call.decoded(QueryRequest)
    answered = await _run_request(call, request, mode="answer")
    outcome = answered.outcome
    rest = b',"statistics":%s,"printed":%s}' % (
        msgspec.json.encode(outcome.statistics),
        msgspec.json.encode(outcome.printed),
    )
    _answer(call, answered, before=b'{"results":', after=rest)


async def explain_query(call: Call) -> None:
    """Runs the program and reports for each statement and period what it read and how long it took.

    Use it to find out why a query is slow: events read from rows instead of segments, and patterns that the fast
    matcher does not support. Results are left out.
    """
    request = await call.decoded(QueryRequest)
    answered = await _run_request(call, request, mode="explain")
    rest = b',"statistics":%s}' % msgspec.json.encode(answered.outcome.statistics)
    _answer(call, answered, before=b'{"statements":', after=rest)


async def check_query(call: Call) -> None:
    """Parses the program without running it. Returns 200 even if the program has errors."""
    program = await call.decoded(ProgramText)
    job = QueryJob(text=_text(program.query), periods=[], mode="check")
    try:
        await _run(call, job, seconds=call.tenant.queries.settings.seconds)
    except QueryError as error:
        call.answer_value(QueryCheck(is_valid=False, errors=[_fault(error)]))
    else:
        call.answer_value(QueryCheck(is_valid=True, errors=[]))


async def list_functions(call: Call) -> None:
    """All functions of the query language with their parameters and an example, for completion and documentation."""
    call.answer_value(list(SIGNATURES.values()))


async def _run_request(call: Call, request: QueryRequest, *, mode: Mode) -> Answered:
    settings = call.tenant.queries.settings
    # A key that is limited to some buckets cannot raise the default timeout.
    max_seconds = settings.max_seconds if call.caller.buckets.is_all else settings.seconds
    seconds = _within(request.timeout_s, settings.seconds, max_seconds, field="timeout_s")
    max_bytes = settings.result_mib << 20
    job = QueryJob(
        text=_text(request.query),
        periods=[parse_period(text, field=f"timeperiods[{number}]") for number, text in enumerate(request.timeperiods)],
        name=request.name,
        mode=mode,
        max_result_bytes=_within(request.max_result_bytes, max_bytes, max_bytes, field="max_result_bytes"),
        buckets=call.caller.buckets.names,
    )
    if not job.periods:
        return Answered(JobOutcome(), b"[]")  # not even parsed, like the ActivityWatch servers
    return await _run(call, job, seconds=seconds)


async def _run(call: Call, job: QueryJob, *, seconds: float) -> Answered:
    answered = await call.while_there(call.tenant.queries.run(job, client=call.client, seconds=seconds))
    call.warn_of_skipped_rules(answered.outcome.skipped_rules)
    return answered


def _answer(call: Call, answered: Answered, *, before: bytes = b"", after: bytes = b"") -> None:
    """Respond with the results between `before` and `after`."""
    body = answered.body
    if isinstance(body, bytes):
        call.answer_json(before + body + after if before else body)
        return
    call.response.content_type = JSON
    call.response.content_length = len(before) + body.size + len(after)
    call.response.stream = _pieces(call, body, before, after)


async def _pieces(call: Call, body: ResultStream, before: bytes, after: bytes) -> AsyncIterator[bytes]:
    """Stream large results in pieces, each read after the client has received the previous one."""
    loop = asyncio.get_running_loop()
    lost = loop.create_task(body.until_lost())
    lost.add_done_callback(lambda task: None if task.cancelled() else call.hang_up())
    try:
        piece = before or await body.read()
        while piece and not call.is_abandoned:
            stall = loop.call_later(STALL_S, call.hang_up)
            try:
                yield piece
            finally:
                stall.cancel()
            piece = await body.read()
        if not call.is_abandoned:
            yield after
    except QueryProcessLost:
        call.hang_up()
    finally:
        lost.cancel()
        body.close()


def _within(asked: N | None, default: N, maximum: N, *, field: str) -> N:
    if asked is None:
        return min(default, maximum)
    if asked > maximum:
        raise Invalid(
            f"{field} must be at most {maximum}, the limit in the server's settings (got {asked})", field=field
        )
    return asked


def _text(query: str | Sequence[str]) -> str:
    return query if isinstance(query, str) else "\n".join(query)


def _fault(error: QueryError) -> QueryFault:
    position = error.place
    return QueryFault(
        type=error.kind,
        message=error.message,
        hint=error.hint or UNSET,
        line=UNSET if position is None else position.line,
        column=UNSET if position is None else position.column,
        excerpt=UNSET if position is None else position.excerpt,
        expected=list(error.expected),
    )


_PERIODS = ["2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00"]
_PROGRAM = [f'events = flood(query_bucket("{BUCKET_ID}"));', "RETURN = sort_by_duration(events);"]
_QUERY = {"query": _PROGRAM, "timeperiods": _PERIODS}
_NAME = Parameter(name="name", type=str, description="the value of `NAME` in the program")

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/0/query/", handler=run_query, tag="queries", scope="read",
        summary="Run a query", parameters=(_NAME,), body=Body(type=QueryLines, example=_QUERY),
        answer=Answer(type=list[AnyJson], description="the results, one for each period"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query", handler=run_query_with_statistics, tag="queries", scope="read",
        summary="Run a query with statistics", body=Body(type=QueryRequest, example={**_QUERY, "timeout_s": 10}),
        answer=Answer(type=QueryResponse, description="the results and statistics"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query/check", handler=check_query, tag="queries", scope="read",
        summary="Check a query without running it", body=Body(type=ProgramText, example={"query": _PROGRAM}),
        answer=Answer(type=QueryCheck, description="whether it is valid"),
    ),
    Route(
        method="POST", path="/api/1/query/explain", handler=explain_query, tag="queries", scope="read",
        summary="Explain the work of a query", body=Body(type=QueryRequest, example=_QUERY),
        answer=Answer(type=QueryExplanation, description="a report for each statement"), errors=(QueryError,),
    ),
    Route(
        method="GET", path="/api/1/query/functions", handler=list_functions, tag="queries", scope="read",
        summary="List the functions of the query language",
        answer=Answer(type=list[Signature], description="all functions"),
    ),
)  # fmt: skip
