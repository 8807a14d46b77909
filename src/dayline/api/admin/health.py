"""`/api/1/health`: whether the server works, and what needs attention."""

from functools import partial

from msgspec.structs import replace

from dayline.api.admin.sessions import sign_in_problems
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Route
from dayline.model.health import HealthView
from dayline.runtime.threads import aside


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.

    A device or watcher that should record and has stopped is a problem of kind `watcher`. A sign-in from a new address
    is a problem of kind `sign-in` until it is confirmed or the session is revoked; only callers with scope `full` see
    it. So is a device that has joined the sync space, of kind `sync`, until it is confirmed or removed.
    """
    view = await aside(partial(call.server.health.view, call.tenant.name))
    problems = [*await call.tenant.watcher_health.problems()]
    if call.caller.may("full"):
        problems += sign_in_problems(call.server.gate, tenant=call.tenant.name)
        problems += call.tenant.sync.problems()
    call.answer_value(replace(view, status="degraded", problems=[*view.problems, *problems]) if problems else view)


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/health", handler=get_health, tag="maintenance", scope="read",
        audience="all buckets", summary="Check the server's health",
        answer=Answer(type=HealthView, description="the status and its problems"),
    ),
)  # fmt: skip
