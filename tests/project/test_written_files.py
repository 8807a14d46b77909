"""Every place of the code that opens a file for writing, or a SQLite file, is known and was thought about.

`key_of` decides whether a file is encrypted. A new place that writes past it fails here: write with `connect`,
`create_spool` or `write_private`, or add it below with the reason why it needs no encryption.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parents[2] / "src" / "dayline"
WRITING: Final = {
    "atomic_write", "open_new", "open_same", "opened_for_writing", "write_bytes", "write_text", "write_whole",
    "copy2", "copyfile", "Connection", "connect_plain", "connect_foreign", "connect_with", "create_spool_with",
    "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile", "mkstemp",
}  # fmt: skip

# By module, the calls that do not leave the decision to `key_of`, and how many of them.
KNOWN: Final[dict[str, dict[str, int]]] = {
    # These make the decision, or get the key.
    "runtime/sqlite_file.py": {"Connection": 3, "connect_plain": 1, "connect_with": 2},
    "runtime/spool.py": {"create_spool_with": 1, "open_new": 2, "connect_with": 2},
    "runtime/files.py": {"open_new": 1, "open": 1, "os.open": 2},
    "storage/sqlite/file/conversion.py": {"connect_with": 1, "create_spool_with": 1, "open": 1},
    # Copies of files as they are.
    "storage/sqlite/backup/restore.py": {"copy2": 1},
    # Databases of other programs, which are only read; without a key copied as they are.
    "maintenance/migration/snapshot.py": {"connect_foreign": 1, "copyfile": 1},
    # Snapshots are encrypted by their format.
    "storage/sqlite/backup/file_format.py": {"open": 1},
    # Files of sync are encrypted by their format before they reach these.
    "maintenance/sync/items/exchange.py": {"open": 1},
    "maintenance/sync/publishing.py": {"open": 1, "write_bytes": 1},
    "maintenance/sync/spaces/folder.py": {"open_new": 1, "os.open": 1},
    "maintenance/sync/spaces/own.py": {"TemporaryFile": 1},
    "maintenance/sync/spaces/server.py": {"TemporaryFile": 1},
    "maintenance/sync/spaces/webdav.py": {"TemporaryFile": 1},
    "storage/sqlite/writing/sync_files.py": {"atomic_write": 1},
    # Authenticated, or only the number of a process, or empty.
    "storage/sqlite/repair/mark.py": {"atomic_write": 1},
    "maintenance/file_watch.py": {"atomic_write": 1},
    "access/revocations.py": {"os.open": 1},
    "storage/sqlite/file/lock.py": {"open_same": 1},
    "storage/sqlite/columns/segments.py": {"open_same": 1},
    "client/watch/process.py": {"open_same": 1},
    "client/queue.py": {"open_same": 1},  # SQLite opens it then
    # No recorded data: keys, certificates, settings, ids, units, scripts, results of backups, a complaint.
    "access/certificates.py": {"atomic_write": 1},
    "cli/admin/keys.py": {"opened_for_writing": 1, "os.open": 2},
    "cli/calls/call.py": {"atomic_write": 1},
    "cli/data/completion.py": {"write_whole": 1},
    "cli/options/encryption.py": {"atomic_write": 1},
    "cli/options/settings.py": {"write_whole": 1},
    "cli/process.py": {"os.open": 2},
    "cli/serve/start.py": {"atomic_write": 1},
    "cli/service/command.py": {"write_whole": 1},
    "cli/time/open.py": {"write_whole": 1},
    "client/watch/desktops/kwin.py": {"os.open": 1, "open": 1},
    "maintenance/backups/folder.py": {"atomic_write": 2},
    "maintenance/migration/running.py": {"open": 1},
    "query/processes/worker.py": {"write_text": 2},
    "runtime/logs.py": {"os.open": 1},
    "storage/sqlite/backup/encryption.py": {"atomic_write": 1},
    "storage/sqlite/file/former_layout.py": {"atomic_write": 1},
    # Files that the user named: exports, reports, archives, demo data.
    "cli/output_files.py": {"atomic_write": 1, "opened_for_writing": 1, "copy2": 1, "open": 1},
    "cli/data/transfer/archive.py": {"atomic_write": 1},
    "cli/data/demo.py": {"opened_for_writing": 1, "open": 1},
    "cli/data/transfer/export.py": {"opened_for_writing": 1},
    "cli/time/report.py": {"opened_for_writing": 1},
    "demo/export.py": {"open": 1},
}


def name_of(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        is_os = isinstance(function.value, ast.Name) and function.value.id == "os"
        return f"os.{function.attr}" if is_os and function.attr == "open" else function.attr
    return function.id if isinstance(function, ast.Name) else ""


def mode_of(call: ast.Call) -> str:
    texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return next((text for text in texts if isinstance(text, str) and set(text) <= set("rwaxb+t")), "")


def is_writing(call: ast.Call) -> bool:
    name = name_of(call)
    if name == "os.open":
        return "O_RDONLY" not in ast.unparse(call)
    return name in WRITING or (name == "open" and bool(set(mode_of(call)) & set("wax+")))


def writing_calls() -> Iterator[tuple[str, str]]:
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and is_writing(node):
                yield str(file.relative_to(SOURCE)), name_of(node)


def test_every_place_that_writes_a_file_is_known() -> None:
    found: dict[str, Counter[str]] = {}
    for module, name in writing_calls():
        found.setdefault(module, Counter())[name] += 1
    assert {module: dict(calls) for module, calls in found.items()} == KNOWN
