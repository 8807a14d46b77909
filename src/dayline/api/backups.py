"""`/api/1/backups`: those there are, and a new one."""

import falcon

from dayline.api.call import Call
from dayline.care.backup_view import view_of_backup, view_of_backups


async def list_backups(call: Call) -> None:
    """Every backup was verified when it was made: unpacked, checked, and compared with the database of that moment.

    `last_failure` tells why the last try came to nothing; it is `null` after one that succeeded.
    """
    call.answer_value(await view_of_backups(call.services.backups))


async def make_backup(call: Call) -> None:
    """Recording goes on meanwhile. The answer comes when the backup is made and verified.

    It goes on, too, when the client does not wait for the answer. Old backups are let go of afterwards.
    """
    backup = await call.services.backups.make()
    call.response.status = falcon.HTTP_201
    call.answer_value(view_of_backup(backup))
