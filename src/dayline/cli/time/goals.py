"""`dayline goals`: targets and limits for your time, and your progress."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import category_names, check_category
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.ranges import TimeParser, check_day, date_option
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import Length
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import print_json, print_list, print_table
from dayline.model.errors import Invalid
from dayline.model.settings.goal import WEEKDAYS, Goal, Weekday

if TYPE_CHECKING:
    from dayline.insight.goals.model import GoalProgress

EXAMPLES = """\b
Examples:
  dayline goals                                              show your progress
  dayline goals add "Deep work" --at-least 4h --category Work/Code --days mon-fri
  dayline goals add News --at-most 30m --domain news.example.org
  dayline goals hours mon-thu=09:00-17:30 fri=09:00-15:00
  dayline goals add Overtime --at-most 2h --per week --overtime
"""
HOURS_EXAMPLES = """\b
Examples:
  dayline goals hours                                        show the working hours
  dayline goals hours mon-fri=09:00-17:30
  dayline goals hours none                                   delete the working hours
"""
_PATH = "/api/1/goals"
_BAR: Final = 20  # characters
_WORDS: Final = {
    "reached": "reached", "on_track": "on track", "behind": "behind", "within": "within", "exceeded": "exceeded",
    "off": "not today",
}  # fmt: skip


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def goals() -> None:
    """Show, add and delete goals.

    A goal is a target or a limit for your time.
    """


@goals.command("list", epilog="\b\nExamples:\n  dayline goals\n  dayline goals list --date yesterday")
@date_option
@as_json
@on_database
def list_(settings: Settings, day: str | None, is_json: bool) -> None:
    """List goals with your progress.

    The | in a bar marks your usual progress at this time. With --date: on that day, or in its week or month.
    """
    if day is not None:
        check_day(day, "--date")
    with reading_server(settings) as server:
        view = view_of(server)
        date = None if day is None else TimeParser(view).day(day, "--date").isoformat()
        answer: Any = server.call("GET", f"{_PATH}/progress", date=date, tz=view.zone)
    if is_json:
        print_json(answer)
        return
    # Here, because --help and --json do not need it.
    from dayline.insight.goals.model import GoalsResponse

    progress = msgspec.convert(answer, GoalsResponse)
    if not progress.goals:
        click.echo("There are no goals. Add one with: dayline goals add", err=True)
    else:
        columns = ("id", "goal", "", "so far", "of", "per", "state", "in a row")
        print_table(columns, [_row(goal) for goal in progress.goals])
    if progress.work is not None:
        today, week = progress.work.day, progress.work.week
        click.echo(
            f"Work: {duration(today.inside)} and {duration(today.outside)} of overtime; "
            f"in the week {duration(week.inside)} and {duration(week.outside)}."
        )


@goals.command(epilog=EXAMPLES)
@click.argument("name")
@click.option("--at-least", type=Length(), help="Minimum time, such as 4h or 30m.")
@click.option("--at-most", type=Length(), help="Maximum time.")
@click.option("--per", type=click.Choice(["day", "week", "month"]), default="day", show_default=True, help="Period.")
@click.option(
    "--category", metavar="PATH", shell_complete=category_names,
    help="Time in this category and its subcategories, such as Work/Code.",
)  # fmt: skip
@click.option("--app", metavar="NAME", help="Time in this app.")
@click.option("--domain", metavar="NAME", help="Time on this web site.")
@click.option("--days", metavar="DAYS", default="mon-sun", help="Only on these days: mon-fri, or sat,sun.")
@click.option("--overtime", is_flag=True, help="Only outside working hours.")
@click.option("--at-work", is_flag=True, help="Only within working hours.")
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
    """Add a goal: a minimum or a maximum of time.

    Without --category, --app or --domain, all active time counts.
    """
    if (at_least is None) == (at_most is None):
        raise WrongUsage("a goal needs either --at-least or --at-most", hint="for example --at-least 4h")
    targets = {"category": category, "app": app, "domain": domain}
    given = [by for by, value in targets.items() if value is not None]
    if len(given) > 1 or (overtime and at_work):
        raise WrongUsage(
            "a goal has one subject",
            hint="give one of --category, --app and --domain, and one of --overtime and --at-work",
        )
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
        if category is not None:
            check_category(server, category)
        answer: Any = server.call("POST", _PATH, body)
    if is_json:
        print_json(answer)
    else:
        made = msgspec.convert(answer, Goal)
        click.echo(f"Goal {made.id}: {made.name}.")


@goals.command(epilog="\b\nExample:\n  dayline goals delete 2")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@as_json
@on_database
def delete(settings: Settings, number: int, is_json: bool) -> None:
    """Delete a goal."""
    with local_server(settings) as server:
        answer: Any = server.call("DELETE", f"{_PATH}/{number}")
    if is_json:
        print_json(answer)
    else:
        click.echo("Deleted.")


@goals.command(epilog=HOURS_EXAMPLES)
@click.argument("hours", metavar="[DAYS=HOURS]...", nargs=-1)
@as_json
@on_database
def hours(settings: Settings, hours: tuple[str, ...], is_json: bool) -> None:
    """Show or set working hours. Other time is overtime."""
    body: dict[str, str] = {}
    for text in () if hours == ("none",) else hours:
        days, equals, span = text.partition("=")
        if not equals:
            raise Invalid(f"invalid working hours {text!r}", hint="write DAYS=HOURS, such as mon-fri=09:00-17:30")
        body |= dict.fromkeys(weekdays_of(days), span)
    with (storing_server if hours else reading_server)(settings) as server:
        path = f"{_PATH}/work-hours"
        answer: dict[str, str | None] = server.call("PUT", path, body) if hours else server.call("GET", path)
    rows = [(day, answer[day] or "-") for day in WEEKDAYS if any(answer.values())]
    print_list(answer, ("day", "hours"), rows, empty="There are no working hours.", is_json=is_json)


def weekdays_of(text: str) -> list[Weekday]:
    """The days of the week in `mon-fri` or `sat,sun`. Raises Invalid."""
    weekdays: set[int] = set()
    for part in text.lower().replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        begin, end = _weekday(first), _weekday(last if dash else first)
        weekdays |= {day % 7 for day in range(begin, (end if end >= begin else end + 7) + 1)}
    return [WEEKDAYS[day] for day in sorted(weekdays)]


def _weekday(text: str) -> int:
    for number, name in enumerate(WEEKDAYS):
        if text in (name, name[:3]):
            return number
    raise Invalid(f"{text!r} is not a day of the week", hint="write mon-fri, or sat,sun")


def bar(share: float, pace: float | None) -> str:
    """A progress bar with a mark at the usual progress."""
    filled = round(min(share, 1.0) * _BAR)
    cells = ["█" if cell < filled else "░" for cell in range(_BAR)]
    if pace is not None:
        cells[min(int(pace * _BAR), _BAR - 1)] = "|"
    return "".join(cells)


def _row(goal: "GoalProgress") -> tuple[str, ...]:
    sign = "≥" if goal.kind == "at_least" else "≤"
    is_missed = goal.state == "behind" and goal.pace is None  # its period is over
    return (
        str(goal.id), goal.name, bar(goal.share, goal.pace), duration(goal.seconds),
        f"{sign} {duration(goal.target)}", goal.per, "missed" if is_missed else _WORDS[goal.state],
        str(goal.streak),
    )  # fmt: skip
