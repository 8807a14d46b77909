"""`dayline status`: whether it records."""

import sys
from typing import Any

import click
import msgspec

from dayline.cli.database_place import shown_database
from dayline.cli.local import reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.screens.bucket_answers import BucketsShown, NowShown
from dayline.cli.screens.screen import screen_of_output
from dayline.cli.screens.status import Status, is_well, status_screen
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json
from dayline.cli.view import view_of
from dayline.model.annotations import ANNOTATIONS_TYPE

EXAMPLES = """\b
Examples:
  dayline status
  dayline status || notify-send "Dayline does not record"
  dayline status --json
"""


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def status(settings: Settings, is_json: bool) -> None:
    """Tell whether it records: per watcher, and since when not.

    Exits with 1 where a watcher is silent that should record, or where no server runs. docs/buckets.md says when a
    watcher counts as silent.
    """
    with reading_server(settings) as server:
        buckets: Any = server.call("GET", "/api/1/buckets")
        now: Any = server.call("GET", "/api/1/now")
        problems: list[Any] = server.call("GET", "/api/1/health")["problems"]
        view = view_of(server)
        url = server.url
    found = Status(
        buckets=_of_watchers(msgspec.convert(buckets, BucketsShown)),
        now=msgspec.structs.replace(msgspec.convert(now, NowShown), now=view.now()),
        server=url,
        database=shown_database(settings),
        # The screen shows the watchers themselves.
        problems=tuple(problem["message"] for problem in problems if problem["kind"] != "watcher"),
    )
    if is_json:
        print_json(
            {
                "is_well": is_well(found),
                "server": found.server,
                "problems": problems,
                "buckets": buckets,
                "now": now,
            }
        )
    else:
        screen = screen_of_output(view.duration_style)
        screen.show(status_screen(screen, found))
    if not is_well(found):
        sys.exit(1)


def _of_watchers(shown: BucketsShown) -> BucketsShown:
    """Without the annotations, which people make, and no watcher."""
    return msgspec.structs.replace(shown, buckets=[each for each in shown.buckets if each.type != ANNOTATIONS_TYPE])
