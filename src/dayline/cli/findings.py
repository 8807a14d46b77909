"""`dayline findings`: what looks wrong in the data themselves, and mending it."""

from typing import Any

import click

from dayline.cli.findings_output import print_done, print_findings, print_preview
from dayline.cli.local import local_server, reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json
from dayline.model.errors import Invalid
from dayline.model.findings import FINDING_KINDS, MEND_KINDS

EXAMPLES = """\b
Examples:
  dayline findings
  dayline findings duplicates overlaps --bucket aw-watcher-window_laptop
  dayline findings gaps --gap-minutes 120
  dayline findings --mend duplicates --dry-run
  dayline findings --mend duplicates --bucket aw-watcher-window_laptop
"""


@click.command(epilog=EXAMPLES)
@click.argument("kinds", nargs=-1, type=click.Choice(FINDING_KINDS), metavar="[KIND]...")
@click.option("--bucket", help="The bucket to look at, or to mend. [default: all]")
@click.option(
    "--gap-minutes", type=click.FloatRange(1, 1_000_000), default=30, show_default=True,
    help="How long a gap has to be.",
)  # fmt: skip
@click.option("--mend", "kind", type=click.Choice(MEND_KINDS), help="Mend what there is of one kind.")
@click.option("--dry-run", is_flag=True, help="Show what --mend would do, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def findings(
    settings: Settings,
    kinds: tuple[str, ...],
    bucket: str | None,
    gap_minutes: float,
    kind: str | None,
    dry_run: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Look for what is wrong with the data: events twice, at the same time, of negative length, in the future, ...

    KIND is one or several of duplicates, overlaps, negative, future, zero_length and gaps; without one, everything is
    looked for. Gaps of browsers, editors and stopwatches are shown with --bucket only. With --mend, one kind is mended:
    what would be done is shown first, and dayline undo takes it back.
    """
    if kind is None:
        if dry_run:
            raise Invalid("--dry-run is for --mend", hint=f"name what to mend: {', '.join(MEND_KINDS)}")
        with reading_server(settings) as server:
            query = {"kinds": ",".join(kinds) or None, "bucket": bucket, "gap_minutes": gap_minutes}
            found: dict[str, Any] = server.call("GET", "/api/1/doctor", **query)
        if is_json:
            print_json(found)
        else:
            print_findings(found, is_brief=not kinds)
        return
    if kinds:
        raise Invalid("a KIND is something to look for; what to mend is said by --mend alone")
    _mend(settings, {"kind": kind, "bucket": bucket}, is_dry=dry_run, is_asking=not yes, is_json=is_json)


def _mend(settings: Settings, wish: dict[str, Any], *, is_dry: bool, is_asking: bool, is_json: bool) -> None:
    with (reading_server if is_dry else local_server)(settings) as server:
        if is_dry or is_asking:
            planned: dict[str, Any] = server.call("POST", "/api/1/doctor/mend", {**wish, "dry_run": True})
            if is_json and is_dry:
                print_json(planned)
            else:
                print_preview(planned, is_aside=is_json)
            if is_dry or not planned["buckets"]:
                return
            click.confirm("Mend this?", abort=True, err=True)
        done: dict[str, Any] = server.call("POST", "/api/1/doctor/mend", wish)
    if is_json:
        print_json(done)
    else:
        print_done(done)
