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
        "today": Entry("time.today", "today", "Show today: how long, when, and on what."),
        "yesterday": Entry("time.today", "yesterday", "Show yesterday."),
        "top": Entry("time.top", "top", "Show what took the most time."),
        "report": Entry("time.report", "report", "Print a timesheet: as a table, CSV, HTML or JSON."),
        "search": Entry("time.search", "search", "Search titles, URLs and everything else recorded."),
        "status": Entry("time.status", "status", "Show which watchers are recording."),
        "annotate": Entry("time.annotate", "annotate", "Annotate a span of time: a label, a category, a meeting."),
        "annotations": Entry("time.annotate", "annotations", "List and remove annotations."),
        "categories": Entry("time.categories", "categories", "List, explain, import and export categories."),
        "goals": Entry("time.goals", "goals", "Show goals and their progress."),
        "query": Entry("time.query", "query", "Run a query."),
        "events": Entry("time.events", "events", "Show events of a bucket, also as they arrive."),
        "open": Entry("time.open", "open_", "Open the web UI in a browser."),
    },
    "The server": {
        "serve": Entry("serve.serve", "serve", "Start the server."),
        "service": Entry("service.command", "service", "Install, remove or check the background service."),
        "health": Entry("time.status", "health", "Check the server, backups, the disk and the watchers."),
        "keys": Entry("admin.keys", "keys", "Create, list and revoke API keys."),
        "sessions": Entry("admin.sessions", "sessions", "List browsers that are signed in, and sign them out."),
        "tls": Entry("admin.tls", "tls", "Create and show TLS certificates."),
        "watch": Entry("admin.watch", "watch", "Record the active window, and when you are away."),
        "relay": Entry("admin.relay", "relay", "Forward this computer's watchers to another server."),
        "privacy": Entry("admin.privacy", "privacy", "Manage privacy rules, and apply them to history."),
        "audit": Entry("admin.audit", "audit", "Show the audit log, newest first."),
    },
    "The data": {
        "buckets": Entry("data.buckets", "buckets", "List, rename and merge buckets, or move them to another host."),
        "devices": Entry(
            "data.buckets",
            "devices",
            "List the computers and phones that recorded.",
        ),
        "demo": Entry("data.demo", "demo", "Create demo data."),
        "import": Entry("data.import_", "import_", "Import JSON exports."),
        "export": Entry(
            "data.export",
            "export",
            "Export buckets as JSON, CSV or NDJSON.",
        ),
        "migrate": Entry("data.migrate", "migrate", "Import data from ActivityWatch."),
        "archive": Entry("data.archive", "archive", "Create or restore a portable archive."),
        "database": Entry("data.database", "database", "Create PostgreSQL tables, and copy data to and from them."),
        "backup": Entry("data.backup", "backup", "Create, list, verify and restore backups."),
        "trash": Entry("data.trash", "trash", "List or empty what can be undone."),
        "undo": Entry(
            "data.trash",
            "undo",
            "Undo the latest change, or the one with this NUMBER.",
        ),
        "doctor": Entry(
            "data.doctor",
            "doctor",
            "Check the database file and the data; repair the file.",
        ),
        "findings": Entry(
            "data.doctor",
            "findings",
            "Find and fix wrong events.",
        ),
        "space": Entry("data.space", "space", "Show what uses disk space."),
        "retention": Entry("data.space", "retention", "Downsample old events (off by default)."),
        "compact": Entry("data.space", "compact", "Reclaim unused disk space."),
        "completion": Entry("options.completion", "completion", "Print a shell completion script."),
    },
}


def entries() -> Iterator[tuple[str, Entry]]:
    """Every command with its entry."""
    for section in SECTIONS.values():
        yield from section.items()
