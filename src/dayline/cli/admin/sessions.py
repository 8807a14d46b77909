"""`dayline keys sessions`: browsers that are signed in."""

from typing import Any

import click

from dayline.cli.calls.local import local_server, shows
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import session_ids
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.layout import print_change, print_rows
from dayline.model.errors import Invalid
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline keys sessions
  dayline keys sessions revoke 3f9c02d1b7aa
  dayline keys sessions revoke --all
  dayline keys sessions confirm 3f9c02d1b7aa
"""


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def sessions() -> None:
    """List browsers that are signed in, and sign them out."""


@sessions.command("list", epilog="\b\nExample:\n  dayline keys sessions list --json")
@shows("/api/1/sessions")
def list_(found: list[dict[str, Any]]) -> None:
    """List browsers that are signed in."""
    print_rows(
        ("id", "device", "signed in with", "from", "started", "last used", "until"),
        [_row(one) for one in found],
        empty="No browser is signed in. Sign one in with: dayline open",
    )
    if any(one["is_new_address"] for one in found):
        click.echo("* a new address. If it was you: dayline keys sessions confirm ID", err=True)


@sessions.command(
    epilog="\b\nExamples:\n  dayline keys sessions revoke 3f9c02d1b7aa\n  dayline keys sessions revoke --all"
)
@click.argument("session_id", required=False, shell_complete=session_ids)
@click.option("--all", "is_all", is_flag=True, help="Sign all browsers out.")
@as_json
@on_database
def revoke(settings: Settings, is_json: bool, session_id: str | None, is_all: bool) -> None:
    """Sign a browser out, or all of them."""
    if (session_id is None) != is_all:
        raise WrongUsage("give the id of a session, or --all", hint="dayline keys sessions lists the ids")
    with local_server(settings) as server:
        if session_id is None:
            ended = server.call("DELETE", "/api/1/sessions")
            print_change(ended, f"Signed out {quantity(ended['ended'], 'browser')}.", is_json=is_json)
        else:
            ended = server.call("DELETE", f"/api/1/sessions/{_checked(session_id)}")
            text = f"Signed out {ended['device']} at {ended['address']} ({ended['id']})."
            print_change(ended, text, is_json=is_json)


@sessions.command(epilog="\b\nExample:\n  dayline keys sessions confirm 3f9c02d1b7aa")
@click.argument("session_id", shell_complete=session_ids)
@as_json
@on_database
def confirm(settings: Settings, is_json: bool, session_id: str) -> None:
    """Confirm that you signed in from a new address."""
    with local_server(settings) as server:
        session = server.call("POST", f"/api/1/sessions/{_checked(session_id)}/confirm")
    print_change(session, f"Confirmed the sign-in from {session['address']} ({session['id']}).", is_json=is_json)


def _checked(session_id: str) -> str:
    if not (session_id.isascii() and session_id.isalnum()):
        raise Invalid(f"invalid session id {session_id!r}", hint="dayline keys sessions lists the ids")
    return session_id


def _row(session: dict[str, Any]) -> tuple[str, ...]:
    key = session["key_name"]
    return (
        session["id"],
        session["device"],
        "owner" if session["key_id"] is None else f"{key} ({session['key_id']})",
        session["address"] + ("*" if session["is_new_address"] else ""),
        local_time(session["started"]),
        local_time(session["last_used"]),
        local_time(session["expires"]),
    )
