"""`/api/1/space`: disk usage."""

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Route
from dayline.model.errors import Unavailable
from dayline.model.upkeep.space import Space


async def get_space(call: Call) -> None:
    """Bytes per bucket, per year, and for everything else. The parts of `database` add up to its `file`.

    Measured while recording continues; a response may be some seconds old. On PostgreSQL it is an estimate for the
    caller's tenant.
    """
    call.answer_value(await call.tenant.upkeep.gauge.space())


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/space", handler=get_space, tag="space", scope="read",
        audience="all buckets", summary="Show the disk usage",
        answer=Answer(type=Space, description="bytes per bucket, per year and for everything else"),
        errors=(Unavailable,),
    ),
)  # fmt: skip
