"""Privacy rules: what may be recorded, and what is redacted from history.

There are two kinds. Filters are the setting `privacy_filters`, which other clients edit; rules are internal and can do
more. Filters are applied first, then rules, each in order; a dropped event is not passed on to the next.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct

from dayline.model.data import decode_json, kind_of, reason_of
from dayline.model.errors import DaylineError, Malformed
from dayline.model.time import Timestamp

FILTERS_KEY: Final = "privacy_filters"  # the setting
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
            raise Malformed(f"rule {index + 1}: {reason_of(error)}", field=f"[{index}]") from error
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


def placed(error: DaylineError, place: str) -> DaylineError:
    """Prefix the field of an error about a list that is part of something else."""
    return type(error)(error.message, hint=error.hint, field=f"{place}{error.field or ''}")


def _check_count(rules: Sequence[object]) -> None:
    if len(rules) > MAX_RULES:
        raise Malformed(f"there are {len(rules):,} privacy rules; the maximum is {MAX_RULES:,}")


# Redactions: privacy rules applied to stored events.


State: TypeAlias = Literal["applying", "applied", "undoing", "undone", "final"]


class RedactionRequest(Struct, frozen=True, kw_only=True):
    """Which rules to apply to which part of history."""

    rules: Annotated[list[PrivacyRule] | None, Meta(description="rules to apply; default: all active rules")] = None
    buckets: Annotated[
        list[str], Meta(description="bucket ids, in which `*` matches any characters; empty for all")
    ] = []
    samples: Annotated[int, Meta(ge=0, le=1000, description="number of examples per rule")] = 20


class RedactionOrder(Struct, frozen=True, kw_only=True):
    """A validated request with all rules."""

    book: RuleBook
    buckets: list[str] = []
    samples: int = 0


class BucketEffect(Struct, frozen=True, kw_only=True):
    """The effect of a rule in one bucket: the number of distinct data objects, of events, and their total duration."""

    bucket: str
    values: int
    events: int
    seconds: float


class Sample(Struct, frozen=True, kw_only=True):
    """A data object before and after; `after` is null if its events are dropped."""

    bucket: str
    before: dict[str, Any]
    after: dict[str, Any] | None
    events: int
    seconds: float


class RuleEffect(Struct, frozen=True, kw_only=True):
    """The effect of one rule, after those before it. `rule` counts the filters of the setting first, then the rules."""

    rule: int
    name: str
    field: str
    pattern: str
    action: Action
    buckets: list[BucketEffect]
    samples: Annotated[list[Sample], Meta(description="the longest total duration first")]


class RedactionPreview(Struct, frozen=True, kw_only=True):
    """What rules would change. A data object or event counts once in the totals, however many rules change it."""

    rules: list[RuleEffect]
    changed_values: int
    changed_events: int
    dropped_events: int
    seconds: float


class Redaction(Struct, frozen=True, kw_only=True):
    """History changed by rules. It can be undone until it is final."""

    id: int
    made: Timestamp
    state: State
    rules: RuleBook
    buckets: list[str]
    changed_values: int
    changed_events: int
    dropped_events: int
    undo: Annotated[int | None, Meta(description="undo it with POST /api/1/undo/{undo_id}")] = None
