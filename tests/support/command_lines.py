"""Command lines by what they do with a database."""

from typing import Final

READING: Final = (
    "annotations",
    "annotations list",
    "buckets",
    "buckets devices",
    "buckets list",
    "categories explain --app Code",
    "categories export",
    "categories history",
    "categories list",
    "categories suggest",
    "events aw-watcher-window_laptop",
    "export",
    "doctor --data",
    "doctor --fix duplicates --dry-run",
    "goals",
    "goals hours",
    "goals list",
    "keys list",
    "keys sessions",
    "logs audit",
    "privacy history",
    "privacy list",
    "privacy preview --field title --pattern main --action redact",
    "report --month",
    "search Code",
    "space",
    "space retention",
    "space retention preview *=1",
    "space show",
    "status",
    "status --server",
    "today",
    "top --week",
    "today --date yesterday",
    "trash",
)
READING_FILES: Final = ("export --format archive -o days.jsonl.zst", "doctor")
# Those that exit with 1 where no server records.
OF_RECORDING: Final = ("status", "status --server")
CHANGING: Final = (
    "annotations off 1",
    "annotations delete 1",
    "buckets delete a --yes",
    "buckets rename a b --yes",
    "buckets unalias a --yes",
    "categories restore 1",
    "demo --remove",
    "doctor --fix duplicates --yes",
    "goals delete 1",
    "keys revoke aaaaaaaa",
    "keys rotate aaaaaaaa",
    "privacy apply --field title --pattern main --action redact --yes",
    "privacy finalize 1 --yes",
    "privacy delete 1",
    "privacy undo 1",
    "space retention apply --yes",
    "trash empty --yes",
    "undo --yes",
)
CHANGING_FILES: Final = ("backup create", "space compact", "doctor --repair --yes")
STORING: Final = (
    "annotations add Writing --from 10:00 --for 1h",
    "categories add Work --app Code",
    "goals add News --at-most 30m",
    "goals hours mon-fri=09:00-17:00",
    "keys create --name phone --scope read",
    "privacy add --field title --pattern main --action redact",
    "space retention set a=1",
)
