"""The call that finds things again."""

from typing import Annotated

from msgspec import Meta

from dayline.api.route import Answer, Parameter, Route
from dayline.api.search import MOST_HITS, USUAL_LIMIT, search
from dayline.api.tables.insight_parts import COMMON, REFUSALS
from dayline.insight.search_answer import MOST_CHARACTERS, Group, SearchAnswer, Sort
from dayline.model.errors import NotFound

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
                    str, Meta(max_length=MOST_CHARACTERS, examples=['rust -youtube domain:doc "borrow checker" dur>2m'])
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
