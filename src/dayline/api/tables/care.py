"""The calls about what looks after the data."""

from dayline.api import backups, devices, health
from dayline.api.devices import DeviceView
from dayline.api.route import Answer, Route
from dayline.care.backup_view import BackupList, BackupView
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.model.health import HealthView

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
        is_server_wide=True, summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=backups.make_backup, tag="care", scope="full",
        is_server_wide=True, summary="Make a backup now and verify it",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups/{backup}/verify", handler=backups.verify_backup, tag="care", scope="full",
        is_server_wide=True, summary="Verify a backup again",
        answer=Answer(type=BackupView, description="the backup"), errors=(Unavailable, Invalid, NotFound),
    ),
)  # fmt: skip
