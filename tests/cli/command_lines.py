"""Command lines by what they do with a database."""

from typing import Final

READING: Final = (
    "annotations list",
    "audit",
    "buckets",
    "categories explain --app Code",
    "categories export",
    "categories history",
    "categories list",
    "categories suggest",
    "devices",
    "events aw-watcher-window_laptop",
    "export",
    "findings",
    "findings --mend duplicates --dry-run",
    "goals",
    "goals hours",
    "goals list",
    "health",
    "keys list",
    "privacy list",
    "privacy preview --field title --pattern main --action redact",
    "privacy rules",
    "report --month",
    "retention preview *=1",
    "retention show",
    "search Code",
    "space",
    "status",
    "today",
    "top --week",
    "trash list",
    "yesterday",
)
READING_FILES: Final = ("archive create days.jsonl.zst", "doctor")
# Those that exit with 1 where no server records.
OF_RECORDING: Final = ("health", "status")
CHANGING: Final = (
    "annotations off 1",
    "annotations remove 1",
    "buckets rename a b --yes",
    "buckets unalias a --yes",
    "categories restore 1",
    "demo --remove",
    "findings --mend duplicates --yes",
    "goals remove 1",
    "keys revoke aaaaaaaa",
    "keys rotate aaaaaaaa",
    "privacy apply --field title --pattern main --action redact --yes",
    "privacy final 1 --yes",
    "privacy remove 1",
    "privacy undo 1",
    "retention apply --yes",
    "trash empty --yes",
    "undo --yes",
)
CHANGING_FILES: Final = ("backup now", "compact", "doctor --repair --yes")
STORING: Final = (
    "annotate Writing --from 10:00 --for 1h",
    "goals add News --at-most 30m",
    "goals hours mon-fri=09:00-17:00",
    "keys create --name phone --scope read",
    "privacy add --field title --pattern main --action redact",
    "retention set a=1",
)
