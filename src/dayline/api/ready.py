"""`/api/1/ready`: whether to send calls here, for a load balancer."""

from typing import Literal

from msgspec import Struct

from dayline.api.call import Call


class Ready(Struct, frozen=True, kw_only=True):
    """There is one answer but 503."""

    status: Literal["ready"] = "ready"


async def get_ready(call: Call) -> None:
    """503 while the server stops, or cannot write to its database: then another server of that database is to be asked.

    Whether the process is alive is what `/api/0/info` tells: it answers then, too.
    """
    await call.services.readiness.check()
    call.answer_value(Ready())
