"""The calls about what looks after the data."""

from dayline.api import backups
from dayline.api.route import Answer, Route
from dayline.care.backup_view import BackupList, BackupView
from dayline.model.errors import Unavailable

CALLS: tuple[Route, ...] = (
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
)  # fmt: skip
