"""Privacy rules: what may be recorded.

There are two kinds. Filters are the setting `privacy_filters`, which other clients edit; rules are internal and can do
more. Filters are applied first, then rules, each in order; a dropped event is not passed on to the next.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct

from dayline.model.data import decode_json, invalid, kind_of
from dayline.model.errors import DaylineError, Malformed

FILTERS_KEY: Final = "privacy_filters"  # the setting
OWN_RULES_KEY: Final = "privacy_rules"  # the internal setting
MAX_RULES: Final = 1000
MAX_PATTERN_BYTES: Final = 4096
MAX_REPLACEMENT_BYTES: Final = 4096
EVERY_STRING: Final = "*"  # as the field of a rule

Pattern = Annotated[
    str,
    Meta(description="a regular expression in RE2 syntax, matched anywhere in the text", examples=["(?i)bank"]),
]
Action: TypeAlias = Literal["drop", "redact", "rewrite"]


class PrivacyFilter(Struct, frozen=True, kw_only=True):
    """An entry of the setting `privacy_filters`. Without a prefix it applies to every bucket."""

    enabled: bool
    field: str
    pattern: str
    action: Literal["drop", "redact"]
    bucket_prefix: str | None = None
    replacement: str | None = None


class PrivacyRule(Struct, frozen=True, kw_only=True):
    """A privacy rule.

    It applies if the pattern matches a text at `field`. `drop` drops the event, `redact` replaces the text, `rewrite`
    replaces what the pattern matches.
    """

    field: Annotated[
        str,
        Meta(
            min_length=1,
            description="where in the data: a path like `title` or `tab.url`, or `*` for every text",
            examples=["title"],
        ),
    ]
    pattern: Pattern
    action: Action
    enabled: bool = True
    name: Annotated[str, Meta(max_length=200, description="your name for the rule")] = ""
    buckets: Annotated[
        list[str],
        Meta(description="bucket ids, in which `*` matches any characters; empty for all", examples=[["aw-*"]]),
    ] = []
    replacement: Annotated[
        str, Meta(description="the new text; in a rewrite `\\1` is what the first group matched, `\\\\` a backslash")
    ] = "REDACTED"


class RuleBook(Struct, frozen=True, kw_only=True):
    """All rules, in the order in which they are applied."""

    filters: Annotated[list[PrivacyFilter], Meta(description=f"filters of the setting `{FILTERS_KEY}`")] = []
    rules: Annotated[list[PrivacyRule], Meta(description="internal rules")] = []


decode_stored_rules: Final = msgspec.json.Decoder(list[PrivacyRule]).decode


def decode_filters(text: bytes | None) -> list[PrivacyFilter]:
    """The filters in the setting; none if it is not set. Raises Malformed, naming the first invalid one.

    Patterns are not checked here.
    """
    if text is None:
        return []
    value: object = decode_json(text)
    if not isinstance(value, list):
        raise Malformed(f"{FILTERS_KEY} must be a list of rules, not {kind_of(value)}")
    items = cast("list[object]", value)
    _check_count(items)
    filters: list[PrivacyFilter] = []
    for index, item in enumerate(items):
        try:
            entry = msgspec.convert(item, PrivacyFilter)
        except msgspec.ValidationError as error:
            fault = invalid(error, PrivacyFilter, item, subject="the rule")
            raise Malformed(f"rule {index + 1}: {fault.message}", field=f"[{index}]") from error
        if not entry.field:
            raise Malformed(f"rule {index + 1}: `field` is empty", field=f"[{index}].field")
        if entry.action == "redact" and not entry.replacement:
            raise Malformed(
                f"rule {index + 1}: `replacement` is required with the action redact", field=f"[{index}].replacement"
            )
        filters.append(entry)
    return filters


def check_rules(rules: Sequence[PrivacyRule]) -> None:
    """Raise Malformed for rules whose shape no decoder checks. Patterns are not checked here."""
    _check_count(rules)
    for index, rule in enumerate(rules):
        for name in rule.buckets:
            if not name or "\0" in name:
                raise Malformed(
                    f"rule {index + 1}: {name!r} is not a bucket id or pattern",
                    hint="use an id, or a pattern such as aw-watcher-window_*",
                    field=f"[{index}].buckets",
                )


def placed(error: DaylineError, path: str) -> DaylineError:
    """Prefix the field of an error about a list that is part of something else."""
    return type(error)(error.message, hint=error.hint, field=f"{path}{error.field or ''}")


def _check_count(rules: Sequence[object]) -> None:
    if len(rules) > MAX_RULES:
        raise Malformed(f"there are {len(rules):,} privacy rules; the maximum is {MAX_RULES:,}")
