"""Events with texts that a final redaction removes, and the files that still contain them."""

from pathlib import Path
from typing import Final

from dayline.model.event import Event
from tests.support.privacy import rule
from tests.support.storage.building import months_of

HIDE: Final = rule("secret", replacement="hidden")
PLANS: Final = "plans"  # of what is secret: rules themselves stay, and so does the word that they look for
RULES: Final = [
    [HIDE],
    [rule("secret", action="drop")],
    [rule("secret.*", action="rewrite", replacement="x")],
    [rule("secret plan(s)", action="rewrite", replacement=r"something that has much \1ome longer words")],
]
RULE_NAMES: Final = ["redact", "drop", "shorten", "lengthen"]
LONG: Final = "a long text of more than a page " * 200  # stored on pages of its own


def files_with(path: Path, text: str) -> list[str]:
    """The files of the database and next to it that contain a text, in any form."""
    return [file.name for file in sorted(path.parent.iterdir()) if text.encode() in file.read_bytes()]


def secret_months() -> list[Event]:
    return [
        Event(start=each.start, duration=each.duration, data=each.data.replace(b"2026-0", b"secret plans of 2026-0"))
        for each in months()
    ]


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", events=300)
