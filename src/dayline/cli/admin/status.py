"""`dayline status`: whether everything is recording, and whether the server is healthy."""

import shlex
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

import click
import msgspec

from dayline.cli.calls.local import LocalServer, reading_server
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.hints import shown_hint
from dayline.cli.options.options import as_json, database_arguments, on_database, shown_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json
from dayline.cli.screens.screen import screen_of_output
from dayline.cli.screens.status import Status, is_well, status_screen, when
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.errors import NotFound, Unavailable
from dayline.model.health import Problem

if TYPE_CHECKING:
    from dayline.insight.now.model import BucketStates

EXAMPLES = """\b
Examples:
  dayline status
  dayline status || notify-send "Dayline needs attention"
  dayline status --server      for a check that restarts the server
  dayline status --json
"""
_SESSIONS: Final = {"x11": "X11", "sway": "sway", "wayland": "Wayland", "kwin": "KDE Plasma", "gnome": "GNOME"}
_NOT_OF_SERVER: Final = ("watcher", "sign-in")  # a restart does not change them


@click.command(epilog=EXAMPLES)
@click.option("--server", "is_server_only", is_flag=True, help="Check the server only, not watchers and sign-ins.")
@as_json
@on_database
def status(settings: Settings, is_server_only: bool, is_json: bool) -> None:
    """Show what is recording, and any problems.

    It checks the watchers, the server, backups and the disk. Exits with 1 if no server runs, a watcher is silent,
    or something else needs attention. docs/guides/buckets.md explains when a watcher counts as silent.
    """
    if is_server_only:
        _check_server(settings, is_json=is_json)
        return
    with reading_server(settings) as server:
        health: dict[str, Any] = server.call("GET", "/api/1/health")
        problems: list[Any] = health["problems"]
        try:
            buckets: Any = server.call("GET", "/api/1/buckets")
            now: Any = server.call("GET", "/api/1/now")
            recording = _recording_of(server)
            view = view_of(server)
        except Unavailable:
            if not problems:
                raise
            _print_health(health, is_json=is_json)  # why nothing else can be read
            sys.exit(CHECK_FAILED)
        url = server.url
    # Here, because --help does not need it.
    from dayline.insight.now.model import BucketStates, NowResponse

    state = Status(
        buckets=_of_watchers(msgspec.convert(buckets, BucketStates)),
        devices=msgspec.convert(now, NowResponse).devices,
        now=view.now(),
        server=url,
        recording=_recording_line(recording, view.now()),
        database=shown_database(settings),
        problems=tuple(each for each in msgspec.convert(problems, list[Problem]) if each.kind != "watcher"),
    )
    if is_json:
        print_json(
            {
                "is_well": is_well(state),
                "server": state.server,
                "problems": problems,
                "recording": recording,
                "buckets": buckets,
                "now": now,
            }
        )
    else:
        screen = screen_of_output(view.duration_style)
        screen.show(status_screen(screen, state))
    if not is_well(state):
        sys.exit(CHECK_FAILED)


def _recording_of(server: LocalServer) -> dict[str, Any] | None:
    """The state of Dayline's own watcher; None without a server, and if the running one does not report it."""
    try:
        return cast("dict[str, Any]", server.call("GET", "/api/1/recording")) if server.is_server else None
    except NotFound:  # an older server
        return None


def _recording_line(recorder: dict[str, Any] | None, now: datetime) -> str | None:
    """What Dayline's own watcher does, in one line; None if it is turned off. Problems are reported by health."""
    if recorder is None or recorder["state"] in ("off", "failed"):
        return None
    if recorder["state"] == "quiet":
        return "Another watcher records this computer; Dayline's own is paused."
    if recorder["since"] is None:
        return "Dayline's watcher for this computer is starting."
    since = datetime.fromisoformat(recorder["since"]).astimezone(now.tzinfo)
    return f"Dayline records this computer ({_SESSIONS[recorder['session']]}) since {when(since, now)}."


def _of_watchers(shown: "BucketStates") -> "BucketStates":
    """Without annotations, which no watcher records."""
    return msgspec.structs.replace(shown, buckets=[each for each in shown.buckets if each.type != ANNOTATIONS_TYPE])


def _check_server(settings: Settings, *, is_json: bool) -> None:
    with reading_server(settings) as server:
        health: dict[str, Any] = server.call("GET", "/api/1/health")
        is_running = server.is_server
    health["problems"] = [problem for problem in health["problems"] if problem["kind"] not in _NOT_OF_SERVER]
    if not is_running:
        health["problems"] = [_no_server(settings), *health["problems"]]
    health["status"] = "degraded" if health["problems"] else "ok"
    _print_health(health, is_json=is_json)
    if health["status"] != "ok":
        sys.exit(CHECK_FAILED)


def _print_health(health: dict[str, Any], *, is_json: bool) -> None:
    if is_json:
        print_json(health)
    elif health["status"] == "ok":
        click.echo("The server is healthy.")
    for problem in () if is_json else health["problems"]:
        click.secho(problem["message"], fg="red")
        if problem["hint"]:
            click.echo(f"  → {shown_hint(problem['hint'])}")


def _no_server(settings: Settings) -> dict[str, Any]:
    """The problem that a server cannot report."""
    return {
        "kind": "server",
        "message": f"no server on this computer answers for {shown_database(settings)}: nothing is recorded",
        "hint": f"start it with: {shlex.join(['dayline', 'serve', *database_arguments(settings)])}",
        "since": None,
    }
