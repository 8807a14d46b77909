"""`dayline goals`: how much time you want to spend on what, and how far you are."""

from datetime import timedelta
from typing import Any, Final

import click

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.options.options import Length, as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import print_json, print_list, print_table
from dayline.model.errors import Invalid
from dayline.model.goal import WEEKDAYS, Weekday

EXAMPLES = """\b
Examples:
  dayline goals                                              how far you are
  dayline goals add "Deep work" --at-least 4h --category Work/Code --days mon-fri
  dayline goals add News --at-most 30m --domain news.example.org
  dayline goals hours mon-thu=09:00-17:30 fri=09:00-15:00
  dayline goals add Overtime --at-most 2h --per week --overtime
"""
HOURS_EXAMPLES = """\b
Examples:
  dayline goals hours                                        show them
  dayline goals hours mon-fri=09:00-17:30
  dayline goals hours none                                   no hours of work
"""
_PATH = "/api/1/goals"
_BAR: Final = 20  # characters
_WORDS: Final = {
    "reached": "reached", "on_track": "on track", "behind": "behind", "within": "within", "exceeded": "exceeded",
    "off": "not today",
}  # fmt: skip


@click.group(epilog=EXAMPLES, invoke_without_command=True)
@as_json
@on_database
@click.pass_context
def goals(context: click.Context, settings: Settings, is_json: bool) -> None:
    """Targets and limits for your time. Without a command it shows how far you are with each of them."""
    if context.invoked_subcommand is None:
        _show(settings, None, is_json=is_json)
        return
    # What was said before the command counts for it: another database must never be taken for the one that was named.
    said = {name: context.params[name] for name in ("database", "testing", "config") if context.params[name]}
    context.default_map = dict.fromkeys(goals.commands, said)


@goals.command("list")
@click.option("--date", metavar="YYYY-MM-DD", help="The day, or the week or month around it. [default: today]")
@as_json
@on_database
def list_(settings: Settings, date: str | None, is_json: bool) -> None:
    """Show how far you are: | in a bar is where you would usually be by now."""
    _show(settings, date, is_json=is_json)


def _show(settings: Settings, date: str | None, *, is_json: bool) -> None:
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", f"{_PATH}/progress", date=date, tz=view_of(server).zone)
    if is_json:
        print_json(found)
        return
    if not found["goals"]:
        click.echo("There are no goals. dayline goals add makes one.", err=True)
    else:
        columns = ("id", "goal", "", "so far", "of", "per", "state", "in a row")
        print_table(columns, [_row(goal) for goal in found["goals"]])
    if found["work"] is not None:
        day, week = found["work"]["day"], found["work"]["week"]
        click.echo(
            f"Work: {duration(day['inside'])} and {duration(day['outside'])} of overtime; "
            f"in the week {duration(week['inside'])} and {duration(week['outside'])}."
        )


@goals.command(epilog=EXAMPLES)
@click.argument("name")
@click.option("--at-least", type=Length(), help="A target, such as 4h or 30m.")
@click.option("--at-most", type=Length(), help="A limit.")
@click.option("--per", type=click.Choice(["day", "week", "month"]), default="day", show_default=True)
@click.option("--category", metavar="PATH", help="Time of this category and those below it, such as Work/Code.")
@click.option("--app", metavar="NAME", help="Time of this app.")
@click.option("--domain", metavar="NAME", help="Time on this web site.")
@click.option("--days", metavar="DAYS", default="mon-sun", help="Only time of these days: mon-fri, or sat,sun.")
@click.option("--overtime", is_flag=True, help="Only time outside the hours of work.")
@click.option("--at-work", is_flag=True, help="Only time within the hours of work.")
@as_json
@on_database
def add(
    settings: Settings,
    name: str,
    at_least: timedelta | None,
    at_most: timedelta | None,
    per: str,
    category: str | None,
    app: str | None,
    domain: str | None,
    days: str,
    overtime: bool,
    at_work: bool,
    is_json: bool,
) -> None:
    """Make a goal: so much time at least, or at most. Without more, all active time counts."""
    if (at_least is None) == (at_most is None):
        raise Invalid("a goal is either --at-least or --at-most so much", hint="such as --at-least 4h")
    targets = {"category": category, "app": app, "domain": domain}
    given = [by for by, value in targets.items() if value is not None]
    if len(given) > 1 or (overtime and at_work):
        raise Invalid("a goal is about one thing", hint="give one of --category, --app and --domain")
    length = at_least or at_most
    assert length is not None
    body = {
        "name": name,
        "kind": "at_least" if at_least is not None else "at_most",
        "seconds": length.total_seconds(),
        "per": per,
        "by": given[0] if given else "all",
        "category": None if category is None else category.split("/"),
        "value": app or domain,
        "weekdays": weekdays_of(days),
        "hours": "outside" if overtime else "inside" if at_work else "any",
    }
    with storing_server(settings) as server:
        made: dict[str, Any] = server.call("POST", _PATH, body)
    if is_json:
        print_json(made)
    else:
        click.echo(f"Goal {made['id']}: {made['name']}.")


@goals.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@on_database
def remove(settings: Settings, number: int) -> None:
    """Remove a goal."""
    with local_server(settings) as server:
        server.call("DELETE", f"{_PATH}/{number}")
    click.echo("Removed.")


@goals.command(epilog=HOURS_EXAMPLES)
@click.argument("hours", metavar="[DAYS=HOURS]...", nargs=-1)
@as_json
@on_database
def hours(settings: Settings, hours: tuple[str, ...], is_json: bool) -> None:
    """Show or set the hours of work. What is outside of them is overtime."""
    body: dict[str, str] = {}
    for text in () if hours == ("none",) else hours:
        days, equals, span = text.partition("=")
        if not equals:
            raise Invalid(f"hours are DAYS=HOURS, not {text!r}", hint="such as mon-fri=09:00-17:30")
        body |= dict.fromkeys(weekdays_of(days), span)
    with (storing_server if hours else reading_server)(settings) as server:
        path = f"{_PATH}/work-hours"
        found: dict[str, str | None] = server.call("PUT", path, body) if hours else server.call("GET", path)
    rows = [(day, found[day] or "-") for day in WEEKDAYS if any(found.values())]
    print_list(found, ("day", "hours"), rows, empty="There are no hours of work.", is_json=is_json)


def weekdays_of(text: str) -> list[Weekday]:
    """The days of the week that `mon-fri` or `sat,sun` means. Raises Invalid."""
    found: set[int] = set()
    for part in text.lower().replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        begin, end = _weekday(first), _weekday(last if dash else first)
        found |= {day % 7 for day in range(begin, (end if end >= begin else end + 7) + 1)}
    return [WEEKDAYS[day] for day in sorted(found)]


def _weekday(text: str) -> int:
    for number, name in enumerate(WEEKDAYS):
        if text in (name, name[:3]):
            return number
    raise Invalid(f"{text!r} is not a day of the week", hint="write mon-fri, or sat,sun")


def bar(share: float, pace: float | None) -> str:
    """How far somebody is, and where they would usually be."""
    filled = round(min(share, 1.0) * _BAR)
    cells = ["█" if place < filled else "░" for place in range(_BAR)]
    if pace is not None:
        cells[min(int(pace * _BAR), _BAR - 1)] = "|"
    return "".join(cells)


def _row(goal: dict[str, Any]) -> tuple[str, ...]:
    sign = "≥" if goal["kind"] == "at_least" else "≤"
    return (
        str(goal["id"]), goal["name"], bar(goal["share"], goal["pace"]), duration(goal["seconds"]),
        f"{sign} {duration(goal['target'])}", goal["per"], _WORDS[goal["state"]], str(goal["streak"]),
    )  # fmt: skip
