"""`dayline events`: what a bucket holds, and what comes in."""

from typing import Any, Final
from urllib.parse import quote

import click
import msgspec

from dayline.cli.event_stream import follow
from dayline.cli.local import reading_server
from dayline.cli.local_call import LocalServer
from dayline.cli.options import as_json, on_database
from dayline.cli.periods import Asked, period_options
from dayline.cli.screens.records import event_table
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Line, advice
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json
from dayline.cli.view import View, view_of
from dayline.model.errors import NotFound, Unavailable

EXAMPLES = """\b
Examples:
  dayline events aw-watcher-window_laptop
  dayline events aw-watcher-window_laptop --follow
  dayline events aw-watcher-afk_laptop --from 2026-03-02 --to 2026-03-06 --limit 1000
  dayline events aw-watcher-web-firefox --last week --json
"""
LISTED: Final = 20


@click.command(epilog=EXAMPLES)
@click.argument("bucket")
@click.option("--follow", "-f", "is_followed", is_flag=True, help="Go on with what comes in, until Ctrl-C.")
@click.option("--limit", type=click.IntRange(1), help=f"The newest so many. [default: {LISTED}; with a period all]")
@period_options(None)
@as_json
@on_database
def events(settings: Settings, bucket: str, is_followed: bool, limit: int | None, asked: Asked, is_json: bool) -> None:
    """Show events of BUCKET, the newest last.

    With --follow and --json each event is a line, written when the next one begins: until then it may still grow.
    """
    with reading_server(settings) as server:
        if is_followed and not server.is_server:
            raise Unavailable("no server runs, so that nothing comes in", hint="start one with: dayline serve")
        view = view_of(server)
        found = _read(server, bucket, asked, limit, view)
        if is_followed:
            follow(server, _path(bucket), found, view, is_json=is_json)
            return
    if is_json:
        print_json(found)
        return
    screen = screen_of_output(view.duration_style)
    screen.show(event_table(screen, found[::-1], view) if found else _nothing(screen, bucket, asked))


def _read(server: LocalServer, bucket: str, asked: Asked, limit: int | None, view: View) -> list[dict[str, Any]]:
    start, end = asked.span(view) if asked != Asked() else (None, None)
    most = limit if limit is not None else LISTED if start is None else -1
    try:
        answer: Any = server.call("GET", _path(bucket), start=start, end=end, limit=most)
    except NotFound as error:
        raise NotFound(error.message, hint="dayline buckets lists them") from error
    return msgspec.convert(answer, list[dict[str, Any]])


def _path(bucket: str) -> str:
    return f"/api/0/buckets/{quote(bucket, safe='')}/events"


def _nothing(screen: Screen, bucket: str, asked: Asked) -> list[Line]:
    if asked == Asked():
        return advice(f"{bucket} has no events yet.", "see what records: dayline status", screen.width)
    hint = f"its newest, whenever they were: dayline events {bucket}"
    return advice(f"{bucket} has no events in this period.", hint, screen.width)
