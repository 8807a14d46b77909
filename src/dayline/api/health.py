"""`/api/1/health`: whether everything is well."""

from functools import partial

from dayline.api.call import Call
from dayline.api.threads import aside


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs looking after, not that it is down."""
    call.answer_value(await aside(partial(call.services.health.view, call.services.tenant)))
