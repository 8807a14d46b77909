"""`/api/1/backups`: those there are, a new one, and whether one is still good."""

import falcon

from dayline.api.call import Call
from dayline.care.backup_view import view_of_backup, view_of_backups


async def list_backups(call: Call) -> None:
    """Every backup was verified when it was made: unpacked, checked, and compared with the database of that moment.

    `last_failure` tells why the last try came to nothing; it is `null` after one that succeeded.
    """
    call.answer_value(await view_of_backups(call.services.backups))


async def verify_backup(call: Call) -> None:
    """It is unpacked, checked, and compared with what its database held. What is found out is remembered.

    One that is damaged is a good answer too, with the state `failed`. An encrypted one needs the key of the settings.
    """
    call.answer_value(view_of_backup(await call.services.backups.verify(call.params["backup"])))


async def make_backup(call: Call) -> None:
    """Recording goes on meanwhile. The answer comes when the backup is made and verified.

    It goes on, too, when the client does not wait for the answer. Old backups are let go of afterwards.
    """
    backup = await call.services.backups.make()
    call.response.status = falcon.HTTP_201
    call.answer_value(view_of_backup(backup))
