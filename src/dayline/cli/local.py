"""Calls of our own commands: to the server that uses the database, or, where none runs, on the file itself.

Both ways go through the same handlers, so that a command is nothing but a call.
"""

from collections.abc import Generator
from contextlib import contextmanager

from dayline.cli.local_call import LocalServer
from dayline.cli.settings import Settings
from dayline.cli.token_file import read_token_file
from dayline.model.errors import StoreLocked, Unavailable

__all__ = ["LocalServer", "local_server"]


@contextmanager
def local_server(settings: Settings) -> Generator[LocalServer]:
    """The running server of this database, or the database itself."""
    door = read_token_file(settings.database)
    if door is not None:
        # Here and below, because a command starts quicker without what it does not come to.
        from dayline.cli.local_running import RunningDoor, answers

        if answers(door):
            yield RunningDoor(door)
            return
    from dayline.cli.local_opened import opened

    try:
        with opened(settings) as file:
            yield file
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}, and does not answer our commands",
            hint="run this command as the user who runs the server, or stop the server",
        ) from error
