"""`dayline search`: full-text search of recorded data."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.groups import WrongUsage
from dayline.cli.options.names import bucket_ids, check_devices, devices_option
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import duration, short_day
from dayline.cli.screens.charts import sparkline
from dayline.cli.screens.layout import Cell, Column, print_json, table
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Line, Span, advice, clean, line, padded, width_of_line
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.insight.search.model import Histogram, SearchHit, SearchResponse

EXAMPLES = """\b
Examples:
  dayline search rust lifetimes
  dayline search '"borrow checker"' --last month
  dayline search invoice domain:mail --sort recent
  dayline search -- standup -zoom             titles without "zoom": put -- before such words
"""
LISTED: Final = 20
GROUPS: Final = ("thing", "value", "title", "url", "domain", "app", "none")
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
@click.option("--group", type=click.Choice(GROUPS), default="thing", show_default=True, help="Field that groups hits.")
@click.option("--sort", type=click.Choice(SORTS), default="rank", show_default=True, help="Order.")
@devices_option
@click.option("--bucket", "buckets", multiple=True, shell_complete=bucket_ids, help="Only this bucket.")
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
        check_devices(server, devices)
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
    from dayline.insight.search.model import SearchResponse

    screen.show(search_screen(screen, text, msgspec.convert(answer, SearchResponse), is_all_time=not range_.is_given))


_MAIN: Final = ("title", "file", "url", "app", "label")  # fields that name a hit, in order
_WIDE: Final = 110  # columns from which the site or app is shown
_MARKED: Final = "bold yellow"


def search_screen(screen: Screen, words: str, answer: "SearchResponse", *, is_all_time: bool = True) -> list[Line]:
    """The whole screen."""
    if not answer.hits:
        return _nothing(screen, words, answer, is_all_time=is_all_time)
    left = line(
        Span(quantity(answer.total, "hit"), "bold"),
        f" · {quantity(answer.events, 'event')} · {duration(answer.seconds, screen.durations)}",
    )
    right: Line = (Span(f"{answer.took:.0f} ms", "dim"),)
    lines = [
        line(left, padded(right, screen.width - width_of_line(left), "right")),
        *_when(screen, answer.histogram),
        (),
    ]
    lines += _rows(screen, answer.hits)
    missing = answer.total - len(answer.hits)
    return (
        [*lines, (Span(f"  … {quantity(missing, 'more', 'more')}: --limit shows them", "dim"),)] if missing else lines
    )


def _rows(screen: Screen, hits: "Sequence[SearchHit]") -> list[Line]:
    is_wide = screen.width >= _WIDE or not screen.cuts
    columns = [Column(align="right"), Column(align="right"), Column(align="right"), Column(fit="cut", min_width=20)]
    columns += [Column(fit="cut", min_width=12)] if is_wide else []
    rows: list[list[Cell]] = []
    for hit in hits:
        row: list[Cell] = [
            (Span(duration(hit.seconds, screen.durations), "bold"),),
            (Span(f"{hit.count:,}x" if hit.count > 1 else "", "dim"),),
            (Span(short_day(hit.last), "dim"),),
            _name(hit),
        ]
        rows.append([*row, (Span(_source(hit), "dim"),)] if is_wide else row)
    return table(screen, columns, rows)


def _name(hit: "SearchHit") -> Line:
    """The name of a hit, with the matches highlighted."""
    field = next((field for field in _MAIN if isinstance(hit.data.get(field), str) and hit.data[field]), "")
    text = clean(hit.key or hit.data.get(field) or ", ".join(map(str, hit.data.values())))
    if text != clean(hit.data.get(field, "")):
        return (Span(text),)
    ranges = [each for mark in hit.highlights if mark.path == [field] for each in mark.ranges]
    spans: list[Span] = []
    done = 0
    for start, end in sorted(ranges):
        spans += (Span(text[done:start]), Span(text[max(start, done) : end], _MARKED))
        done = max(end, done)
    return tuple(span for span in (*spans, Span(text[done:])) if span.text)


def _source(hit: "SearchHit") -> str:
    """The site or app, and the device."""
    url, app = hit.data.get("url"), hit.data.get("app")
    site = clean(url).partition("://")[2].partition("/")[0] if isinstance(url, str) else ""
    where = site or (clean(app) if isinstance(app, str) else "")
    return " · ".join(part for part in (where, clean(hit.device)) if part)


def _when(screen: Screen, histogram: "Histogram") -> list[Line]:
    """A sparkline between its first and last day; bins are combined to fit."""
    if len(histogram.edges) < 3:
        return []
    first, last = short_day(histogram.edges[0]), short_day(histogram.edges[-1])
    columns = screen.width - len(first) - len(last) - 6
    each = -(-len(histogram.seconds) // max(columns, 1))
    values = [sum(histogram.seconds[index : index + each]) for index in range(0, len(histogram.seconds), each)]
    drawn = Span(sparkline(values).ljust(len(values)), "cyan")
    return [line("  ", Span(f"{first} ", "dim"), drawn, Span(f" {last}", "dim"))]


def _nothing(screen: Screen, words: str, answer: "SearchResponse", *, is_all_time: bool) -> list[Line]:
    if answer.suggestion:
        hint = f"did you mean: dayline search {clean(answer.suggestion)}"
    elif is_all_time:
        hint = "use fewer or shorter words: dayline search --help"
    else:
        hint = f"search all data: dayline search {clean(words)}"
    within = "" if is_all_time else f", {answer.range.label}"
    return advice(f"No results for: {clean(words)}{within}", hint, screen.width)
