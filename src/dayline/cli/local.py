"""Calls of our own commands: to the server that uses the database, or, where none runs, on the file itself.

Both ways go through the same handlers, so that a command is nothing but a call.
"""

from collections.abc import Generator
from contextlib import contextmanager

from dayline.cli.local_call import LocalServer
from dayline.cli.settings import Settings
from dayline.cli.token_file import read_token_file
from dayline.model.errors import StoreLocked, Unavailable

__all__ = ["LocalServer", "local_server", "reading_server"]


@contextmanager
def local_server(settings: Settings) -> Generator[LocalServer]:
    """The running server of this database, or the database itself."""
    running = _running(settings)
    if running is not None:
        yield running
        return
    from dayline.cli.local_opened import opened  # here, because a command that finds a server needs none of it

    try:
        with opened(settings) as file:
            yield file
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}, and does not answer our commands",
            hint="run this command as the user who runs the server, or stop the server",
        ) from error


@contextmanager
def reading_server(settings: Settings) -> Generator[LocalServer]:
    """The same for a command that only reads: the database itself is not changed, nor anything left beside it."""
    running = _running(settings)
    if running is not None:
        yield running
        return
    from dayline.cli.local_opened import opened_to_read  # here, because a command that finds a server needs none of it

    with opened_to_read(settings) as file:
        yield file


def _running(settings: Settings) -> LocalServer | None:
    door = read_token_file(settings.database)
    if door is None:
        return None
    from dayline.cli.local_running import RunningDoor, answers  # here, because not every command makes a call

    return RunningDoor(door) if answers(door) else None
