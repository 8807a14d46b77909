"""Every command: its module, and its line in the list of commands.

A table, so that `dayline --help` is fast and a command imports only what it needs.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


class Entry(NamedTuple):
    """The module of a command, its name in the module, and its line of help."""

    module: str
    attribute: str
    help: str


# By the headings of `dayline --help`, in order.
SECTIONS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "Your time": {
        "today": Entry("time.today", "today", "Show today, or the day of --date."),
        "top": Entry("time.top", "top", "Show what took the most time."),
        "report": Entry("time.report", "report", "Print a timesheet as a table, CSV, HTML or JSON."),
        "search": Entry("time.search", "search", "Search titles, URLs and all other recorded text."),
        "annotations": Entry("time.annotations", "annotations", "Add, list, disable and delete annotations."),
        "categories": Entry("time.categories", "categories", "Add, list, explain, import and export categories."),
        "goals": Entry("time.goals", "goals", "Show, add and delete goals."),
        "query": Entry("time.query", "query", "Run a query."),
        "open": Entry("time.open", "open_", "Open the web UI in a browser."),
    },
    "The server": {
        "serve": Entry("serve.serve", "serve", "Start the server."),
        "status": Entry("time.status", "status", "Show what is recording, and whether all is well."),
        "logs": Entry("admin.logs", "logs", "Show the server's log, or the audit log."),
        "settings": Entry("admin.settings", "settings", "Show and change the settings file."),
        "service": Entry("service.command", "service", "Install, uninstall or check the background service."),
        "keys": Entry("admin.keys", "keys", "Create, list and revoke API keys; sign browsers out."),
        "tls": Entry("admin.tls", "tls", "Create and show TLS certificates."),
        "watch": Entry("admin.watch", "watch", "Record the active window, and when you are away."),
        "relay": Entry("admin.relay", "relay", "Forward this computer's watchers to another server."),
    },
    "The data": {
        "buckets": Entry("data.buckets", "buckets", "List, rename, merge and delete buckets."),
        "events": Entry("time.events", "events", "Show events of a bucket, also as they arrive."),
        "privacy": Entry("admin.privacy", "privacy", "Manage privacy rules, and apply them to stored events."),
        "import": Entry("data.import_", "import_", "Import ActivityWatch data, JSON exports or an archive."),
        "export": Entry("data.export", "export", "Export buckets as JSON, CSV, NDJSON or an archive."),
        "backup": Entry("data.backup", "backup", "Create, list, verify and restore backups."),
        "undo": Entry("data.trash", "undo", "Undo the latest change, or the one with NUMBER."),
        "trash": Entry("data.trash", "trash", "List changes that can be undone, or empty the trash."),
        "doctor": Entry("data.doctor", "doctor", "Check the database file and the data, and repair them."),
        "space": Entry("data.space", "space", "Show, reclaim and limit disk space."),
        "database": Entry("data.database", "database", "Create PostgreSQL tables, and copy databases."),
        "demo": Entry("data.demo", "demo", "Create demo data."),
        "completion": Entry("options.completion", "completion", "Print a shell completion script."),
    },
}


def entries() -> Iterator[tuple[str, Entry]]:
    """Every command with its entry."""
    for section in SECTIONS.values():
        yield from section.items()
