"""Commands on pages that a test cannot type or compare, by kind with the reason, and what pages take for granted."""

import re
from typing import Final, NamedTuple

from tests.support.calls.endpoints import OUTSIDE_ADDRESS


class Kind(NamedTuple):
    """Commands that begin like this, and why they are left out."""

    pattern: str
    reason: str


# With the tests that cover what these commands do.
NOT_RUN: Final = (
    Kind(r"(uv|pipx) ", "installs the package: project/test_dist installs the wheel"),
    Kind(r"dayline --version$", "is the installed command: project/test_install"),
    Kind(r"make |python -m benchmarks", "needs a checkout: the tests themselves, benchmarks and screenshots"),
    Kind(r"mkdir -p ~/\.local/bin", "links to a checkout with a .venv: project/test_install"),
    Kind(r"(podman|docker|kubectl) ", "needs an engine for containers: cli/service/test_container_run"),
    Kind(r"(psql|createdb|pg_\w+|pgbackrest) ", "administers a PostgreSQL server: storage/postgres"),
    Kind(r"(dayline|export) .*postgresql://", "needs the PostgreSQL server of the page: storage/postgres"),
    Kind(r"dayline .*--tenant ", "needs PostgreSQL: storage/postgres"),
    Kind(r"dayline service ", "changes the service manager of the machine: cli/service/test_service_command"),
    Kind(r"dayline open", "opens a browser: cli/time/test_open_command"),
    Kind(r"dayline watch ", "needs a desktop session: client/watch"),
    Kind(r"aw-", "is a program of ActivityWatch"),
    Kind(r"python contrib/watchers/git_branch", "does not end: client/test_examples"),
    Kind(r"dayline sync start (https|webdav)", "needs another server: maintenance/sync/spaces"),
    Kind(r"dayline sync source", "needs a folder of aw-sync: maintenance/sources"),
    Kind(r"rclone ", "needs storage elsewhere: maintenance/sync/spaces"),
    Kind(r"dayline serve .*(--tls-cert|--trusted-proxy)", "needs a certificate or a proxy: cli/serve/network"),
)  # fmt: skip
NOT_COMPARED: Final = (
    Kind(r"dayline database encrypt", "the page shows a key in the keyring of a desktop"),
    Kind(r"dayline keys sessions$", "the page shows a browser that is signed in"),
    Kind(r"curl .*/api/1/relay", "the page shows a relay that cannot reach its server"),
)

# Pages for a user who has recorded nothing yet.
WITHOUT_DATA: Final = frozenset(["activitywatch.md"])
# What a user of the page has done before. {address} is the one of this machine.
BEFORE: Final = {
    "access.md": ("dayline keys create --name phone --scope read --output phone.key",),
    "backup.md": ("dayline backup create",),
    "import-export.md": (
        "dayline export --output aw-buckets-export.json",
        "mkdir exports",
        "dayline export aw-watcher-afk_laptop --output exports/laptop.json",
        "dayline export aw-watcher-android_phone --output phone.json",
    ),
    "privacy.md": ("dayline import payroll.json",),
    "relay.md": (
        "dayline tls init --name diary.lan --name {address}",
        "cp .local/share/dayline/tls/ca.pem ca.pem",
        "mkdir -p .config/dayline",
        "cp ca.pem .config/dayline/",
        "dayline keys create --name first --scope append --bucket '*_laptop' --output .config/dayline/laptop.key",
        "dayline serve --host 0.0.0.0",
    ),
    "undo.md": (
        "dayline annotations add Review --from 2026-03-30T10:00 --for 1h",
        "dayline annotations add Stand-up --from 2026-03-31T09:00 --for 15m",
    ),
}  # fmt: skip
_PAYROLL: Final = """{"buckets": {"notes_laptop": {
    "id": "notes_laptop", "type": "note", "client": "notes", "hostname": "laptop", "created": "2026-03-01T08:00:00Z",
    "events": [{"timestamp": "2026-03-31T09:00:00Z", "duration": 30, "data": {"title": "Payroll 2026.xlsx"}}]}}}"""
FILES: Final = {"privacy.md": {"payroll.json": _PAYROLL}}
# What is another one on each machine, as a pattern and its replacement.
ELSEWHERE: Final = (
    (re.compile(r"/media/usb"), "."),
    (re.compile(r"192\.168\.1\.5"), OUTSIDE_ADDRESS),
)
# Commands that need the database for themselves: the text says to stop the server first.
ALONE: Final = re.compile(r"dayline (backup restore \S+$|doctor --repair|database (encrypt|decrypt|export-key))")
# Commands that need a server.
SERVED: Final = re.compile(r"curl |dayline (status|logs)")
# Commands that continue until the next one of their kind.
CONTINUES: Final = re.compile(r"dayline (serve|relay --to|demo --serve)")
# Commands for a database that does not exist yet.
FOR_NEW: Final = re.compile(r"dayline serve --encrypt")


def reason_not_to_run(command: str) -> str | None:
    """Why a test does not type a command, if it does not."""
    return _reason(NOT_RUN, command)


def reason_not_to_compare(command: str) -> str | None:
    """Why a test does not compare what a page shows for a command."""
    return _reason(NOT_COMPARED, command)


def _reason(kinds: tuple[Kind, ...], command: str) -> str | None:
    return next((kind.reason for kind in kinds if re.match(kind.pattern, command, re.DOTALL)), None)
