"""`dayline search`: full-text search of recorded data."""

import shlex
from typing import Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.groups import WrongUsage
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json, screen_of_output
from dayline.cli.screens.search import search_screen

EXAMPLES = """\b
Examples:
  dayline search rust lifetimes
  dayline search '"borrow checker"' --last month
  dayline search invoice domain:mail --sort recent
  dayline search -- standup -zoom             titles without "zoom": put -- before such words
"""
LISTED: Final = 20
GROUPS: Final = ("value", "title", "url", "domain", "app", "none")
SORTS: Final = ("rank", "recent", "oldest", "time", "count")


class SearchCommand(click.Command):
    """Explains `--` if a word to exclude was taken for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            excluded = [word for word in given if word.startswith("-") and not word.startswith("--") and len(word) > 2]
            if not excluded or "--" in given:
                raise
            words = shlex.join(["dayline", "search", "--", *given])
            raise WrongUsage(
                f"{excluded[0]!r} is not an option", hint=f"to exclude a word, put -- before the words: {words}"
            ) from error


@click.command(cls=SearchCommand, epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True)
@range_options()
@click.option("--group", type=click.Choice(GROUPS), default="title", show_default=True, help="Field that groups hits.")
@click.option("--sort", type=click.Choice(SORTS), default="rank", show_default=True, help="Order.")
@click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")
@click.option("--bucket", "buckets", multiple=True, help="Only this bucket.")
@limit_option(LISTED, maximum=500)
@as_json
@on_database
def search(
    settings: Settings,
    words: tuple[str, ...],
    range_: Range,
    group: str,
    sort: str,
    devices: tuple[str, ...],
    buckets: tuple[str, ...],
    limit: int,
    is_json: bool,
) -> None:
    """Search titles, URLs and all other recorded text.

    A word matches the start of words, without regard to case and accents; "quoted words" match as a phrase. -- ends the
    options: after it, -word excludes a word. Without a range it searches all data.
    """
    text = " ".join(words)
    with reading_server(settings) as server:
        view = view_of(server)
        start, end = range_.span(view) if range_.is_given else (None, None)
        answer: Any = server.call(
            "GET", "/api/1/search", q=text, start=start, end=end, tz=view.zone, group=group, sort=sort, device=devices,
            bucket=buckets, limit=limit,
        )  # fmt: skip
    if is_json:
        print_json(answer)
        return
    screen = screen_of_output(view.duration_style)
    # Here, because --help and --json do not need it.
    from dayline.insight.search.model import SearchAnswer

    screen.show(search_screen(screen, text, msgspec.convert(answer, SearchAnswer), is_all_time=not range_.is_given))
