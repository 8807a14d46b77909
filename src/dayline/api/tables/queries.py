"""The calls about queries."""

from dayline.api import queries
from dayline.api.documents import (
    AnyJson,
    QueryAnswer,
    QueryCheck,
    QueryExplanation,
)
from dayline.api.queries import ProgramText, QueryLines, QueryRequest
from dayline.api.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.query.errors import QueryError
from dayline.query.signatures import Signature

_PERIODS = ["2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00"]
_PROGRAM = [f'events = flood(query_bucket("{BUCKET_ID}"));', "RETURN = sort_by_duration(events);"]
_QUERY = {"query": _PROGRAM, "timeperiods": _PERIODS}
_NAME = Parameter(name="name", type=str, description="what `NAME` holds in the program")

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/0/query/", handler=queries.run_query, tag="queries", scope="read",
        summary="Run a query", parameters=(_NAME,), body=Body(type=QueryLines, example=_QUERY),
        answer=Answer(type=list[AnyJson], description="the results, one for each period"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query", handler=queries.run_query_with_statistics, tag="queries", scope="read",
        summary="Run a query, and tell what it took", body=Body(type=QueryRequest, example={**_QUERY, "timeout_s": 10}),
        answer=Answer(type=QueryAnswer, description="the results, and what they took"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query/check", handler=queries.check_query, tag="queries", scope="read",
        summary="Check a query without running it", body=Body(type=ProgramText, example={"query": _PROGRAM}),
        answer=Answer(type=QueryCheck, description="whether it can be run"),
    ),
    Route(
        method="POST", path="/api/1/query/explain", handler=queries.explain_query, tag="queries", scope="read",
        summary="Explain what a query does", body=Body(type=QueryRequest, example=_QUERY),
        answer=Answer(type=QueryExplanation, description="statement by statement"), errors=(QueryError,),
    ),
    Route(
        method="GET", path="/api/1/query/functions", handler=queries.list_functions, tag="queries", scope="read",
        summary="List the functions of the query language",
        answer=Answer(type=list[Signature], description="every function"),
    ),
)  # fmt: skip
