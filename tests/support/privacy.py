"""Rules written briefly, for tests."""

from typing import Any

import msgspec

from dayline.model.data import canonical_json
from dayline.model.privacy.rules import PrivacyRule
from dayline.transform.privacy import PrivacyRules

WINDOW = "aw-watcher-window_laptop"


def filter_of(pattern: str, **fields: Any) -> dict[str, Any]:
    """An entry of `privacy_filters` on the title; it redacts unless configured otherwise."""
    entry = {"enabled": True, "field": "title", "pattern": pattern, "action": "redact", "replacement": "REDACTED"}
    return {**entry, **fields}


def rule(pattern: str, **fields: Any) -> PrivacyRule:
    """A rule of our own on the title; it redacts unless configured otherwise."""
    return msgspec.convert({"field": "title", "pattern": pattern, "action": "redact", **fields}, PrivacyRule)


def filters(*entries: dict[str, Any]) -> PrivacyRules:
    return PrivacyRules.of(msgspec.json.encode(entries))


def rules(*own: PrivacyRule) -> PrivacyRules:
    return PrivacyRules.of(None, own)


def outcome(rules: PrivacyRules, bucket_id: str = WINDOW, **data: Any) -> dict[str, Any] | None:
    """What becomes of the data; None where they are dropped."""
    kept = rules.applied(bucket_id, canonical_json(data))
    return None if kept is None else msgspec.json.decode(kept, type=dict[str, Any])
