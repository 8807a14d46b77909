"""`/api/1/search`: full text over everything that was recorded."""

from typing import Final, get_args

from dayline.api.call import Call
from dayline.api.common_parameters import choice, several
from dayline.api.insight import common_request, run_task
from dayline.insight.search_answer import MOST_CHARACTERS, Group, SearchRequest, Sort
from dayline.model.errors import Malformed

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
    if len(q) > MOST_CHARACTERS:
        raise Malformed(f"q: it has more than {MOST_CHARACTERS:,} characters", field="q")
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
