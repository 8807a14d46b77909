"""`/api/1/search`: full-text search over events."""

from typing import Annotated, Final, get_args

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, REFUSALS, choice, several
from dayline.api.http.route import Answer, Parameter, Route
from dayline.api.insight.task import common_request, run_task
from dayline.insight.search.model import MAX_CHARACTERS, Group, SearchAnswer, SearchRequest, Sort
from dayline.model.errors import Malformed, NotFound

USUAL_LIMIT: Final = 50
MOST_HITS: Final = 500


async def search(call: Call) -> None:
    """Over titles, addresses and every other string of the data, of all time where no range is given.

    Words are found by their beginnings, `"quoted ones"` as they stand, `-word` must not be there. Case and accents do
    not matter. Operators: `app: title: url: domain: bucket: device: type: after: before: on: dur>2m dur<10s`.
    """
    q = call.request.get_param("q")
    if q is None:
        raise Malformed("q is missing", hint="write what to search for, such as ?q=rust", field="q")
    if len(q) > MAX_CHARACTERS:
        raise Malformed(f"q: it has more than {MAX_CHARACTERS:,} characters", field="q")
    common = await common_request(call)
    is_bounded = any(call.request.has_param(name) for name in ("start", "end", "period", "date"))
    asked = SearchRequest(
        scope=common.scope,
        q=q,
        start=common.start if is_bounded else None,
        end=common.end if is_bounded else None,
        devices=common.devices,
        buckets=tuple(several(call, "bucket")),
        group=choice(call, "group", get_args(Group), "value"),
        sort=choice(call, "sort", get_args(Sort), "rank"),
        cursor=call.request.get_param("cursor"),
        limit=min(call.number("limit") or USUAL_LIMIT, MOST_HITS),
    )
    call.answer_json(await run_task(call, "search", asked))


# Routes.


# What was recorded is searched, whether it counts as active or not.
_NOT_HERE = ("filter", "away", "annotations")

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/search", handler=search, tag="insight", scope="read",
        summary="Find words in what was recorded",
        parameters=(
            Parameter(
                name="q",
                type=Annotated[
                    str, Meta(max_length=MAX_CHARACTERS, examples=['rust -youtube domain:doc "borrow checker" dur>2m'])
                ],
                description="what to search for",
                is_required=True,
            ),
            *(parameter for parameter in COMMON if parameter.name not in _NOT_HERE),
            Parameter(name="bucket", type=list[str], description="only this bucket, by its id; may be repeated"),
            Parameter(
                name="group",
                type=Group,
                description="what makes events one hit: the same data (`value`, where it is left out), the same title, "
                "address, domain or app; `none`: every event is a hit",
            ),
            Parameter(
                name="sort",
                type=Sort,
                description="`rank`, where it is left out: much time first, and of old time less; `recent`, `oldest`, "
                "`time` or `count`",
            ),
            Parameter(name="cursor", type=str, description="the next page: what the page before has given"),
            Parameter(
                name="limit",
                type=Annotated[int, Meta(ge=1)],
                description=f"at most so many hits, never more than {MOST_HITS}; {USUAL_LIMIT} where it is left out",
            ),
        ),
        answer=Answer(type=SearchAnswer, description="the hits, and figures about all of them"),
        errors=(NotFound, *REFUSALS),
    ),
)  # fmt: skip
