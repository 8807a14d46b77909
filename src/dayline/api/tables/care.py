"""The calls about what looks after the data."""

from typing import Annotated

from msgspec import Meta

from dayline.api import backups, devices, findings, health
from dayline.api.devices import DeviceView
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.care.backup_view import BackupList, BackupView
from dayline.model.errors import Conflict, Invalid, NotFound, Unavailable
from dayline.model.findings import Findings, Mended, MendRequest
from dayline.model.health import HealthView

_FINDING_PARAMETERS = (
    Parameter(name="bucket", type=str, description="the bucket to look at; without it, all"),
    Parameter(name="kinds", type=str, description="what to look for, with commas between; without it, everything"),
    Parameter(
        name="gap_minutes",
        type=Annotated[float, Meta(ge=1, le=findings.LONGEST_GAP_MINUTES)],
        description="a gap has to be longer than this; 30 without it",
    ),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/health", handler=health.get_health, tag="care", scope="read",
        is_server_wide=True, summary="Tell whether everything is well",
        answer=Answer(type=HealthView, description="what is wrong, if anything"),
    ),
    Route(
        method="GET", path="/api/1/devices", handler=devices.list_devices, tag="care", scope="read",
        summary="List the devices that recorded",
        answer=Answer(type=list[DeviceView], description="the one that recorded last first"),
    ),
    Route(
        method="GET", path="/api/1/backups", handler=backups.list_backups, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=backups.make_backup, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Make a backup now and verify it",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups/{backup}/verify", handler=backups.verify_backup, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Verify a backup again",
        answer=Answer(type=BackupView, description="the backup"), errors=(Unavailable, Invalid, NotFound),
    ),
    Route(
        method="GET", path="/api/1/doctor", handler=findings.get_findings, tag="care", scope="full",
        is_server_wide=True, summary="Look for what is wrong with the data",
        parameters=_FINDING_PARAMETERS,
        answer=Answer(type=Findings, description="what was found"), errors=(NotFound, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/doctor/mend", handler=findings.mend_findings, tag="care", scope="full",
        is_server_wide=True, summary="Mend one kind of what is wrong with the data",
        body=Body(type=MendRequest, example={"kind": "duplicates"}),
        answer=Answer(type=Mended, description="what was done, and what undoes it"),
        errors=(NotFound, Conflict, Unavailable),
    ),
)  # fmt: skip
