"""Privacy rules in plain words: never record this app, this site, or titles that contain a text."""

import re
from typing import Final, Literal, TypeAlias, get_args

from dayline.model.errors import Invalid
from dayline.model.privacy.rules import PrivacyRule

Never: TypeAlias = Literal["app", "site", "title"]
NEVER: Final[tuple[Never, ...]] = get_args(Never)
_FIELDS: Final[dict[Never, str]] = {"app": "app", "site": "url", "title": "title"}
_MAX_CHARACTERS: Final = 500


def never_record(kind: Never, value: str) -> PrivacyRule:
    """The rule that drops the events of an app, of a site with its subdomains, or with a text in the title.

    Case is ignored. Raises Invalid if the value is empty or too long.
    """
    text = value.strip()
    if kind == "site":
        text = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text, flags=re.IGNORECASE).partition("/")[0].strip(".")
    if not text or len(text) > _MAX_CHARACTERS:
        raise Invalid(
            f"{kind} must have 1 to {_MAX_CHARACTERS} characters",
            hint="name an app such as Signal, a site such as bank.example.org, or a part of a title",
            field=kind,
        )
    return PrivacyRule(field=_FIELDS[kind], pattern=_pattern(kind, text), action="drop", name=text[:200])


def _pattern(kind: Never, text: str) -> str:
    quoted = re.escape(text)
    match kind:
        case "app":
            return f"(?i)^{quoted}$"
        case "site":
            return rf"(?i)^[a-z][a-z0-9+.-]*://([^/?#]*[.@])?{quoted}([:/?#]|$)"
        case "title":
            return f"(?i){quoted}"
