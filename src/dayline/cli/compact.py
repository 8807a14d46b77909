"""`dayline compact`: give free room back to the system."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import click

from dayline.cli.local import LocalServer, local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.sizes import size_in_words
from dayline.cli.tables import print_json
from dayline.model.errors import DaylineError

_LOOK_S: Final = 0.5
_WORDS: Final = {"values": "values that nobody has", "pages": "free pages", "log": "the write-ahead log"}

EXAMPLES = """\b
Examples:
  dayline compact
  dayline compact --json
"""


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def compact(settings: Settings, is_json: bool) -> None:
    """Give back to the system what nobody needs. Recording goes on meanwhile.

    Removes distinct values that no event, nor anything in the trash, has any more, and cuts free pages off the file.
    The server does so by itself when a fifth of the file is free: see [space] in docs/settings.md.
    """
    with local_server(settings) as server, _progress(server):
        done: dict[str, Any] = server.call("POST", "/api/1/compact")
    if is_json:
        print_json(done)
        return
    before, after = size_in_words(done["before"]), size_in_words(done["after"])
    click.echo(f"{before} before, {after} after. {done['values']:,} values that nobody had were removed.")


@contextmanager
def _progress(server: LocalServer) -> Generator[None]:
    """Say how far it is, for as long as the block lasts; at the start only where no server can be asked meanwhile."""
    click.echo("Compacting …", err=True)
    if not server.is_server:
        yield
        return
    is_over = threading.Event()
    teller = threading.Thread(target=_tell, args=(server, is_over), daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def _tell(server: LocalServer, is_over: threading.Event) -> None:
    while not is_over.wait(_LOOK_S):
        try:
            found: dict[str, Any] = server.call("GET", "/api/1/compact")
        except DaylineError:
            return  # the call that waits will tell
        if found["state"] in _WORDS:
            how_far = f": {found['done']:,} of {found['of']:,}" if found["of"] else ""
            click.echo(f"  {_WORDS[found['state']]}{how_far}", err=True)
