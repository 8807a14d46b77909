"""`/api/1/backups`: create, list and verify backups."""

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Route
from dayline.maintenance.backups.scheduler import BackupSchedule
from dayline.maintenance.backups.views import BackupList, BackupView, view_of_backup, view_of_backups
from dayline.model.errors import Forbidden, Invalid, NotFound, Unavailable

_SCHEDULE = {"enabled": True, "interval_hours": 24, "keep_daily": 7, "keep_weekly": 4, "keep_monthly": 12}


async def list_backups(call: Call) -> None:
    """Every backup was verified when it was created: unpacked, checked, and compared with the database at that time.

    `last_failure` is the error of the last attempt, or `null` if it succeeded.
    """
    call.answer_value(await view_of_backups(call.server.backups))


async def verify_backup(call: Call) -> None:
    """Unpacks the backup, checks it, and compares it with the recorded contents of its database. Stores the result.

    A damaged backup is a 200 with the state `failed`. An encrypted backup needs the key in the settings.
    """
    call.answer_value(view_of_backup(await call.server.backups.verify(call.params["backup"])))


async def make_backup(call: Call) -> None:
    """Recording continues while the backup runs. The response is sent when the backup is complete and verified.

    The backup continues if the client disconnects. Expired backups are deleted afterwards.
    """
    backup = await call.server.backups.make()
    call.answer_value(view_of_backup(backup), status=201)


async def change_backup_schedule(call: Call) -> None:
    """Applies the schedule at once, and stores it in the settings file.

    Only this computer can change it: a stolen key must not reduce the number of backups.
    """
    schedule = await call.decoded(BackupSchedule)
    if not call.origin.is_here:
        raise Forbidden(
            f"the backup schedule of {call.server.hostname} can only be changed on that computer",
            hint="use the web UI there, or run there: dayline settings set backup.interval_hours 24",
        )
    # The schedule is in a file; the empty change of the store makes sure that a repeated request has no effect.
    await call.server.backups.change_schedule(schedule, claim=lambda: call.access.change_own_settings({}))
    call.answer_value(call.server.backups.schedule)


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/backups", handler=list_backups, tag="maintenance", scope="full",
        audience="server", engine="sqlite", summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=make_backup, tag="maintenance", scope="full",
        audience="server", engine="sqlite", summary="Create and verify a backup",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="PUT", path="/api/1/backups/schedule", handler=change_backup_schedule, tag="maintenance", scope="full",
        audience="server", engine="sqlite", is_destructive=True, summary="Change the backup schedule",
        body=Body(type=BackupSchedule, example=_SCHEDULE),
        answer=Answer(type=BackupSchedule, description="the schedule after the change"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups/{backup}/verify", handler=verify_backup, tag="maintenance", scope="full",
        audience="server", engine="sqlite", summary="Verify a backup again",
        answer=Answer(type=BackupView, description="the backup"), errors=(Unavailable, Invalid, NotFound),
    ),
)  # fmt: skip
