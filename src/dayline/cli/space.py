"""`dayline space`: what takes room on the disk."""

from typing import Any

import click

from dayline.cli.local import reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.sizes import size_in_words
from dayline.cli.tables import print_json, print_table

EXAMPLES = """\b
Examples:
  dayline space
  dayline space --json
"""
_PARTS = {
    "events": "events",
    "values": "their distinct values",
    "trash": "trash",
    "redactions": "originals of redactions",
    "audit": "audit",
    "unused": "values nobody has",
    "free": "free pages",
    "other": "everything else",
}


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def space(settings: Settings, is_json: bool) -> None:
    """Tell what takes room on the disk: buckets, years, trash, free pages, backups.

    dayline compact gives back what nobody needs; dayline retention thins what is old.
    """
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", "/api/1/space")
    if is_json:
        print_json(found)
        return
    file = found["database"]
    about = "" if file["is_exact"] else "about "
    if file["buckets"]:
        print_table(
            ("bucket", "events", "values", "size"),
            [
                (each["id"], f"{each['events']:,}", f"{each['values']:,}", about + size_in_words(each["bytes"]))
                for each in file["buckets"]
            ],
        )
        click.echo()
        print_table(
            ("year", "events", "size"),
            [
                (str(each["year"]), f"{each['events']:,}", about + size_in_words(each["bytes"]))
                for each in file["years"]
            ],
        )
        click.echo()
    parts = [(words, about + size_in_words(file["parts"][part])) for part, words in _PARTS.items()]
    print_table(("of the database", "size"), [*parts, ("together", size_in_words(file["file"]))])
    click.echo()
    beside = [("database", file["file"]), ("write-ahead log", found["log"]), ("segments", found["segments"])]
    beside += [("backups", found["backups"]), ("together", found["total"])]
    print_table(("on the disk", "size"), [(words, size_in_words(size)) for words, size in beside])
