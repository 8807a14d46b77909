"""`/api/1/search`: full-text search over events."""

from typing import Annotated, Final, get_args

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, COMMON_ERRORS, choice, several
from dayline.api.http.route import Answer, Parameter, Route
from dayline.api.insight.task import common_request, run_task
from dayline.insight.search.model import MAX_CHARACTERS, Group, SearchRequest, SearchResponse, Sort
from dayline.model.errors import Malformed, NotFound

DEFAULT_LIMIT: Final = 50
MAX_HITS: Final = 500


async def search(call: Call) -> None:
    """Searches titles, URLs and all other strings in event data; without a range, all time.

    Words match by prefix, `"quoted text"` matches exactly, `-word` excludes. Case and accents are ignored. Operators:
    `app: title: url: domain: bucket: device: type: after: before: on: dur>2m dur<10s`.
    """
    q = call.request.get_param("q")
    if q is None:
        raise Malformed("`q` is required", hint="send the text to search for, such as ?q=rust", field="q")
    if len(q) > MAX_CHARACTERS:
        raise Malformed(f"q has {len(q):,} characters; the limit is {MAX_CHARACTERS:,}", field="q")
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
        thing=call.request.get_param("thing"),
        sort=choice(call, "sort", get_args(Sort), "rank"),
        cursor=call.request.get_param("cursor"),
        limit=min(call.number("limit") or DEFAULT_LIMIT, MAX_HITS),
    )
    call.answer_json(await run_task(call, "search", asked))


# The search covers all recorded events, active or not.
_NOT_HERE = ("filter", "away", "annotations")

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/search", handler=search, tag="summaries", scope="read",
        summary="Search events",
        parameters=(
            Parameter(
                name="q",
                type=Annotated[
                    str, Meta(max_length=MAX_CHARACTERS, examples=['rust -youtube domain:doc "borrow checker" dur>2m'])
                ],
                description="the text to search for",
                is_required=True,
            ),
            *(parameter for parameter in COMMON if parameter.name not in _NOT_HERE),
            Parameter(name="bucket", type=list[str], description="only this bucket, by its id; may be repeated"),
            Parameter(
                name="group",
                type=Group,
                description="how events are grouped into hits: by data (`value`, the default), title, URL, domain "
                "or app; `none`: every event is a hit; `thing`: the window, the tab and the file on the screen are one "
                "hit, with its active time",
            ),
            Parameter(
                name="thing",
                type=str,
                description="only the events of one hit of `group=thing`, by its `key`; use it with `group=none`",
            ),
            Parameter(
                name="sort",
                type=Sort,
                description="`rank` (the default) prefers long and recent time; `recent`, `oldest`, `time` or `count`",
            ),
            Parameter(name="cursor", type=str, description="the `cursor` of the previous page"),
            Parameter(
                name="limit",
                type=Annotated[int, Meta(ge=1)],
                description=f"max hits, up to {MAX_HITS}; default: {DEFAULT_LIMIT}",
            ),
        ),
        answer=Answer(type=SearchResponse, description="a page of hits, and statistics of all hits"),
        errors=(NotFound, *COMMON_ERRORS),
    ),
)  # fmt: skip
