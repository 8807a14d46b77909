"""Brings settings along: categories, and whatever else clients have stored."""

from urllib.parse import quote

from msgspec import Raw, Struct

from dayline.care.migration.source import Source
from dayline.care.migration.stored import Calls
from dayline.model.data import canonical_json
from dayline.model.errors import Invalid, Malformed


class CopiedSettings(Struct, frozen=True, kw_only=True):
    """Keys that were set, had that value already, have another and keep it, or were refused (with the reason)."""

    copied: list[str]
    same: list[str]
    kept: list[str]
    refused: dict[str, str]


def copy_settings(source: Source, server: Calls, *, overwrite: bool) -> CopiedSettings:
    """Set what is not set here; with `overwrite` also what has another value here."""
    outcome = CopiedSettings(copied=[], same=[], kept=[], refused={})
    ours = server.call("GET", "/api/0/settings/")
    for key, value in source.settings.items():
        if key in ours and canonical_json(ours[key]) == canonical_json(value):
            outcome.same.append(key)
        elif key in ours and not overwrite:
            outcome.kept.append(key)
        else:
            try:
                # As text, because a value of null is a body too.
                server.call("POST", f"/api/0/settings/{quote(key, safe='')}", Raw(canonical_json(value)))
                outcome.copied.append(key)
            except (Invalid, Malformed) as error:
                outcome.refused[key] = error.message
    return outcome
