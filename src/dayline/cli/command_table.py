"""Every command: where it is, and what the list of commands says of it.

A table, so that `dayline --help` is quick and a command loads what it needs alone. A test holds it to the commands.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A command's module, its name there, and what the list says of it, on one line."""

    module: str
    attribute: str
    help: str


# Under the headings of `dayline --help`, in their order there.
SECTIONS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "Your time": {
        "today": Entry("today", "today", "Show where the day went: how long, when, and on what."),
        "yesterday": Entry("today", "yesterday", "Show where yesterday went."),
        "top": Entry("top", "top", "Show what took the most time: apps, categories, sites, titles."),
        "report": Entry("report", "report", "Print a timesheet: as a table, CSV, HTML or JSON."),
        "search": Entry("search", "search", "Find what was seen: titles, addresses, everything recorded."),
        "status": Entry("status", "status", "Tell whether it records: per watcher, and since when not."),
        "annotate": Entry("annotate", "annotate", "Say what a span of time was: a label, a category, a meeting."),
        "annotations": Entry("annotate", "annotations", "List and remove what was said about spans of time."),
        "categories": Entry("categories", "categories", "Categories: what they are made of, why, and since when."),
        "goals": Entry("goals", "goals", "Goals: how far they are, and what they ask for."),
        "query": Entry("query", "query", "Run a program of the query language."),
        "events": Entry("events", "events", "Show events of a bucket, and what comes in."),
        "open": Entry("open", "open_", "Open the page of the running server in the browser."),
    },
    "The server": {
        "serve": Entry("serve", "serve", "Start the server."),
        "service": Entry("service.command", "service", "Start the server with every login: install, remove, status."),
        "health": Entry("health", "health", "Check the server, backups, the disk and the watchers."),
        "keys": Entry("keys", "keys", "Keys: who may do what with which buckets."),
        "sessions": Entry("sessions", "sessions", "List browsers that are signed in, and sign them out."),
        "tls": Entry("tls", "tls", "Certificates for a server that other machines reach."),
        "relay": Entry("relay", "relay", "Let watchers of this computer record at a server elsewhere."),
        "privacy": Entry("privacy", "privacy", "Rules for what is never stored, and what history is to forget."),
        "audit": Entry("audit", "audit", "Show who did what to which bucket, the latest first."),
    },
    "The data": {
        "buckets": Entry("buckets", "buckets", "List, rename and merge buckets, or move them to another host."),
        "devices": Entry(
            "devices",
            "devices",
            "List the computers and phones that recorded.",
        ),
        "demo": Entry("demo", "demo", "Make demo activity, as watchers would have recorded it."),
        "import": Entry("import_", "import_", "Import export documents of this or of another server."),
        "export": Entry(
            "export",
            "export",
            "Write buckets and events as an export document.",
        ),
        "migrate": Entry("migrate", "migrate", "Bring the data of ActivityWatch's servers along."),
        "archive": Entry("archive", "archive", "Everything in one file that any program can read, and back."),
        "database": Entry("database", "database", "PostgreSQL: make its tables, and copy everything there and back."),
        "backup": Entry("backup", "backup", "Backups: verified copies of the database."),
        "trash": Entry("trash", "trash", "Show what was deleted or changed and can be brought back."),
        "undo": Entry(
            "trash",
            "undo",
            "Undo a deletion or a change: the latest, or that of a NUMBER.",
        ),
        "doctor": Entry(
            "doctor",
            "doctor",
            "Check the database file and the data; repair the file.",
        ),
        "findings": Entry(
            "findings",
            "findings",
            "Look for what is wrong with the data.",
        ),
        "space": Entry("space", "space", "Tell what takes room on the disk."),
        "retention": Entry("retention", "retention", "Thin what is old: by default nothing is."),
        "compact": Entry("compact", "compact", "Give back to the system what nobody needs."),
        "completion": Entry("completion", "completion", "Print the script that makes a shell complete this command."),
    },
}


def entries() -> Iterator[tuple[str, Entry]]:
    """Every command with its entry."""
    for section in SECTIONS.values():
        yield from section.items()
