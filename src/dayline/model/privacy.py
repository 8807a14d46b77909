"""Privacy rules: what may be recorded, and what is redacted from history.

There are two kinds. Filters are the setting `privacy_filters` that other clients edit; rules are Dayline's own, and say
more. Filters come first, then rules, each in order; an event that is dropped is gone, any other goes on to the next.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct

from dayline.model.data import decode_json, kind_of, reason_of
from dayline.model.errors import DaylineError, Malformed
from dayline.model.time import Timestamp

FILTERS_KEY: Final = "privacy_filters"  # the setting
MOST_RULES: Final = 1000
MOST_PATTERN_BYTES: Final = 4096
MOST_REPLACEMENT_BYTES: Final = 4096
EVERY_STRING: Final = "*"  # as the field of a rule

Pattern = Annotated[
    str,
    Meta(description="a regular expression that RE2 accepts, looked for anywhere in the text", examples=["(?i)bank"]),
]
Action: TypeAlias = Literal["drop", "redact", "rewrite"]


class PrivacyFilter(Struct, frozen=True, kw_only=True):
    """An entry of the setting `privacy_filters`. Without a prefix it is for every bucket."""

    enabled: bool
    field: str
    pattern: str
    action: Literal["drop", "redact"]
    bucket_prefix: str | None = None
    replacement: str | None = None


class PrivacyRule(Struct, frozen=True, kw_only=True):
    """A rule of Dayline's own.

    An event is meant if the pattern is found in a text at `field`. `drop` leaves the event out, `redact` puts the
    replacement in place of the text, `rewrite` in place of what the pattern matches.
    """

    field: Annotated[
        str,
        Meta(
            min_length=1,
            description="where in the data: a path like `title` or `tab.url`, or `*` for every text in them",
            examples=["title"],
        ),
    ]
    pattern: Pattern
    action: Action
    enabled: bool = True
    name: Annotated[str, Meta(max_length=200, description="a name of your own for it")] = ""
    buckets: Annotated[
        list[str],
        Meta(description="ids of buckets, in which `*` stands for any characters; empty for all", examples=[["aw-*"]]),
    ] = []
    replacement: Annotated[
        str, Meta(description="the new text; in a rewrite `\\1` is what the first group matched, `\\\\` a backslash")
    ] = "REDACTED"


class RuleBook(Struct, frozen=True, kw_only=True):
    """All rules, in the order in which they are applied."""

    filters: Annotated[list[PrivacyFilter], Meta(description=f"those of the setting `{FILTERS_KEY}`")] = []
    rules: Annotated[list[PrivacyRule], Meta(description="Dayline's own")] = []


_decode_rules = msgspec.json.Decoder(list[PrivacyRule]).decode


def decode_filters(text: bytes | None) -> list[PrivacyFilter]:
    """The filters of the setting; none where it is not set. Raises Malformed, naming the first that is wrong.

    Patterns are not looked at here.
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


def decode_stored_rules(text: bytes) -> list[PrivacyRule]:
    """Dayline's own rules as they were stored."""
    return _decode_rules(text)


def check_rules(rules: Sequence[PrivacyRule]) -> None:
    """Raise Malformed for rules whose form no decoder checks. Patterns are not looked at here."""
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
    """The same error about a list that is itself a part of something: its field begins there."""
    return type(error)(error.message, hint=error.hint, field=f"{place}{error.field or ''}")


def _check_count(rules: Sequence[object]) -> None:
    if len(rules) > MOST_RULES:
        raise Malformed(f"{len(rules):,} privacy rules are more than {MOST_RULES:,}, the most that there can be")


# Redactions: privacy rules applied to what is stored already. What is asked for, and what is told about it.


State: TypeAlias = Literal["applying", "applied", "undoing", "undone", "final"]


class RedactionRequest(Struct, frozen=True, kw_only=True):
    """Which rules to apply to which part of history."""

    rules: Annotated[
        list[PrivacyRule] | None, Meta(description="rules to apply; without them, all that are in force")
    ] = None
    buckets: Annotated[
        list[str], Meta(description="ids of buckets, in which `*` stands for any characters; empty for all")
    ] = []
    samples: Annotated[int, Meta(ge=0, le=1000, description="how many examples to show for each rule")] = 20


class RedactionOrder(Struct, frozen=True, kw_only=True):
    """The same, with every rule spelled out and checked."""

    book: RuleBook
    buckets: list[str] = []
    samples: int = 0


class BucketEffect(Struct, frozen=True, kw_only=True):
    """What a rule does in one bucket: how many distinct data objects, in how many events, lasting how long together."""

    bucket: str
    values: int
    events: int
    seconds: float


class Sample(Struct, frozen=True, kw_only=True):
    """A data object before and after; `after` is null where its events are dropped."""

    bucket: str
    before: dict[str, Any]
    after: dict[str, Any] | None
    events: int
    seconds: float


class RuleEffect(Struct, frozen=True, kw_only=True):
    """What one rule does, after those before it. `rule` counts the filters of the setting first, then the rules."""

    rule: int
    name: str
    field: str
    pattern: str
    action: Action
    buckets: list[BucketEffect]
    samples: Annotated[list[Sample], Meta(description="those that last longest first")]


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
    undo: Annotated[int | None, Meta(description="what undoes it: POST /api/1/undo/{undo_id}")] = None
