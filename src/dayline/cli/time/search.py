"""`dayline search`: find what was seen."""

from typing import Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.periods import Asked, period_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json, screen_of_output
from dayline.cli.screens.search import search_screen

EXAMPLES = """\b
Examples:
  dayline search rust lifetimes
  dayline search '"borrow checker"' --last month
  dayline search invoice domain:mail --sort recent
  dayline search -- standup -zoom             without a word: - before it, behind --
"""
LISTED: Final = 20
GROUPS: Final = ("value", "title", "url", "domain", "app", "none")
SORTS: Final = ("rank", "recent", "oldest", "time", "count")


@click.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True)
@period_options(None)
@click.option("--group", type=click.Choice(GROUPS), default="title", show_default=True, help="What makes one hit.")
@click.option("--sort", type=click.Choice(SORTS), default="rank", show_default=True, help="What comes first.")
@click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")
@click.option("--bucket", "buckets", multiple=True, help="Only this bucket.")
@click.option("--limit", type=click.IntRange(1, 500), default=LISTED, show_default=True, help="How many are shown.")
@as_json
@on_database
def search(
    settings: Settings,
    words: tuple[str, ...],
    asked: Asked,
    group: str,
    sort: str,
    devices: tuple[str, ...],
    buckets: tuple[str, ...],
    limit: int,
    is_json: bool,
) -> None:
    """Find WORDS in titles, addresses and everything else that was recorded, over all time or in a period.

    Words are found by their beginnings, whatever their accents and case; "quoted ones" as they stand together.
    """
    text = " ".join(words)
    with reading_server(settings) as server:
        view = view_of(server)
        start, end = asked.span(view) if asked != Asked() else (None, None)
        answer: Any = server.call(
            "GET", "/api/1/search", q=text, start=start, end=end, tz=view.zone, group=group, sort=sort, device=devices,
            bucket=buckets, limit=limit,
        )  # fmt: skip
    if is_json:
        print_json(answer)
        return
    screen = screen_of_output(view.duration_style)
    # Here, because --help and --json need none of it.
    from dayline.insight.search.model import SearchAnswer

    screen.show(search_screen(screen, text, msgspec.convert(answer, SearchAnswer), is_all_time=asked == Asked()))
