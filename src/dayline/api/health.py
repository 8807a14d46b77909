"""`/api/1/health`: whether everything is well."""

from functools import partial

from msgspec.structs import replace

from dayline.api.call import Call
from dayline.api.sessions import sign_in_problems
from dayline.api.threads import aside


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.

    Devices and watchers that have stopped, although they are expected to record, are problems of the kind `watcher`.
    Sign-ins from a new address are problems of the kind `sign-in` until they are confirmed or the session is revoked;
    only callers with the scope `full` see them.
    """
    view = await aside(partial(call.services.health.view, call.services.tenant))
    found = [*await call.services.watcher_health.problems()]
    if call.caller.may("full"):
        found += sign_in_problems(call.services.gate, tenant=call.services.tenant)
    call.answer_value(replace(view, status="degraded", problems=[*view.problems, *found]) if found else view)
