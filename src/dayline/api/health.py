"""`/api/1/health`: whether everything is well."""

from functools import partial

from msgspec.structs import replace

from dayline.api.call import Call
from dayline.api.threads import aside


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.

    Devices and watchers that have stopped, although they are expected to record, are problems of the kind `watcher`.
    """
    view = await aside(partial(call.services.health.view, call.services.tenant))
    stopped = await call.services.watcher_health.problems()
    call.answer_value(replace(view, status="degraded", problems=[*view.problems, *stopped]) if stopped else view)
