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
        "today": Entry("time.today", "today", "Show where the day went: how long, when, and on what."),
        "yesterday": Entry("time.today", "yesterday", "Show where yesterday went."),
        "top": Entry("time.top", "top", "Show what took the most time: apps, categories, sites, titles."),
        "report": Entry("time.report", "report", "Print a timesheet: as a table, CSV, HTML or JSON."),
        "search": Entry("time.search", "search", "Find what was seen: titles, addresses, everything recorded."),
        "status": Entry("time.status", "status", "Tell whether it records: per watcher, and since when not."),
        "annotate": Entry("time.annotate", "annotate", "Say what a span of time was: a label, a category, a meeting."),
        "annotations": Entry("time.annotate", "annotations", "List and remove what was said about spans of time."),
        "categories": Entry("time.categories", "categories", "Categories: what they are made of, why, and since when."),
        "goals": Entry("time.goals", "goals", "Goals: how far they are, and what they ask for."),
        "query": Entry("time.query", "query", "Run a program of the query language."),
        "events": Entry("time.events", "events", "Show events of a bucket, and what comes in."),
        "open": Entry("time.open", "open_", "Open the page of the running server in the browser."),
    },
    "The server": {
        "serve": Entry("serve.serve", "serve", "Start the server."),
        "service": Entry("service.command", "service", "Start the server with every login: install, remove, status."),
        "health": Entry("time.status", "health", "Check the server, backups, the disk and the watchers."),
        "keys": Entry("admin.keys", "keys", "Keys: who may do what with which buckets."),
        "sessions": Entry("admin.sessions", "sessions", "List browsers that are signed in, and sign them out."),
        "tls": Entry("admin.tls", "tls", "Certificates for a server that other machines reach."),
        "relay": Entry("admin.relay", "relay", "Let watchers of this computer record at a server elsewhere."),
        "privacy": Entry("admin.privacy", "privacy", "Rules for what is never stored, and what history is to forget."),
        "audit": Entry("admin.audit", "audit", "Show who did what to which bucket, the latest first."),
    },
    "The data": {
        "buckets": Entry("data.buckets", "buckets", "List, rename and merge buckets, or move them to another host."),
        "devices": Entry(
            "data.buckets",
            "devices",
            "List the computers and phones that recorded.",
        ),
        "demo": Entry("data.demo", "demo", "Make demo activity, as watchers would have recorded it."),
        "import": Entry("data.import_", "import_", "Import export documents of this or of another server."),
        "export": Entry(
            "data.export",
            "export",
            "Write buckets and events as an export document.",
        ),
        "migrate": Entry("data.migrate", "migrate", "Bring the data of ActivityWatch's servers along."),
        "archive": Entry("data.archive", "archive", "Everything in one file that any program can read, and back."),
        "database": Entry(
            "data.database", "database", "PostgreSQL: make its tables, and copy everything there and back."
        ),
        "backup": Entry("data.backup", "backup", "Backups: verified copies of the database."),
        "trash": Entry("data.trash", "trash", "Show what was deleted or changed and can be brought back."),
        "undo": Entry(
            "data.trash",
            "undo",
            "Undo a deletion or a change: the latest, or that of a NUMBER.",
        ),
        "doctor": Entry(
            "data.doctor",
            "doctor",
            "Check the database file and the data; repair the file.",
        ),
        "findings": Entry(
            "data.doctor",
            "findings",
            "Look for what is wrong with the data.",
        ),
        "space": Entry("data.space", "space", "Tell what takes room on the disk."),
        "retention": Entry("data.space", "retention", "Thin what is old: by default nothing is."),
        "compact": Entry("data.space", "compact", "Give back to the system what nobody needs."),
        "completion": Entry(
            "options.completion", "completion", "Print the script that makes a shell complete this command."
        ),
    },
}


def entries() -> Iterator[tuple[str, Entry]]:
    """Every command with its entry."""
    for section in SECTIONS.values():
        yield from section.items()
