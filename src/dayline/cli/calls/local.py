"""Calls of commands: to the server that uses the database or, if none runs, on the database itself.

Both use the same handlers. A missing database is an error: only `storing_server` creates one.
"""

import functools
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from dayline.cli.calls.call import LocalServer
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_answer
from dayline.model.errors import StoreLocked, Unavailable

__all__ = ["LocalServer", "local_server", "reading_server", "shows", "storing_server"]


def shows(path: str) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Make a command of a function that prints the response at this path as text; --json prints the response itself."""

    def decorate(print_text: Callable[[Any], None]) -> Callable[..., None]:
        @as_json
        @on_database
        @functools.wraps(print_text)
        def command(settings: Settings, *, is_json: bool) -> None:
            with reading_server(settings) as server:
                answer = server.call("GET", path)
            print_answer(answer, print_text, is_json=is_json)

        return command

    return decorate


@contextmanager
def reading_server(settings: Settings) -> Generator[LocalServer]:
    """The running server of this database, or the database itself, for a command that only reads.

    Without a server the database is neither changed nor locked, and no file is created next to it. Raises NotFound.
    """
    from dayline.cli.calls.running import readable_server  # here and below, because not every command makes a call

    running = readable_server(settings)
    if running is not None:
        yield running
        return
    from dayline.cli.calls.opened import opened_to_read  # here, because a command that finds a server does not need it

    with opened_to_read(settings) as file:
        yield file


@contextmanager
def local_server(settings: Settings) -> Generator[LocalServer]:
    """The same for a command that changes existing data. Raises NotFound."""
    with _server(settings, creates=False) as server:
        yield server


@contextmanager
def storing_server(settings: Settings) -> Generator[LocalServer]:
    """The same for a command that stores something: it creates the database if there is none."""
    with _server(settings, creates=True) as server:
        yield server


@contextmanager
def _server(settings: Settings, *, creates: bool) -> Generator[LocalServer]:
    from dayline.cli.calls.running import PROOF_S, running_server

    running = running_server(settings)
    if running is not None:
        yield running
        return
    from dayline.cli.calls.opened import check_database, opened

    if not creates:
        check_database(settings)
    with ExitStack() as stack:
        server: LocalServer | None
        try:
            server = stack.enter_context(opened(settings))
        except StoreLocked as error:
            # A server uses the file; it may only be slow to answer.
            server = running_server(settings, timeout_s=PROOF_S)
            if server is None:
                raise Unavailable(
                    f"a server uses {settings.database.name}, and does not answer commands",
                    hint="run this command as the user who runs the server, or stop the server",
                ) from error
        yield server
