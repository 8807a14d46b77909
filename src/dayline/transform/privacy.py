"""Applies privacy rules to the data of events: pure, with a cache for repeated data."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from msgspec import Struct

from dayline.model.access import BucketNames
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET
from dayline.model.errors import Malformed
from dayline.model.event import Event
from dayline.model.privacy.rules import (
    EVERY_STRING,
    MAX_PATTERN_BYTES,
    MAX_REPLACEMENT_BYTES,
    PrivacyFilter,
    PrivacyRule,
    RuleBook,
    check_rules,
    decode_filters,
)

if TYPE_CHECKING:
    import re2


# Patterns run on every heartbeat, so they use RE2, whose run time is linear. RE2 is imported at first use, so that a
# server without rules does not load it.


_PATTERN_MEMORY_BYTES: Final = 4 << 20
_SCREEN_MEMORY_BYTES: Final = 32 << 20
_ALWAYS_FOUND: Final = ""
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)

Screen = Callable[[str], bool]


class PrivacyPattern:
    """One pattern. Raises Malformed if RE2 does not accept it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._regexp = _compile(text)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self._regexp.groups

    def is_found_in(self, text: str) -> bool:
        return self._regexp.search(text) is not None

    def rewrite(self, text: str, template: "Template") -> str:
        """The text with all matches replaced."""
        if text.isascii():  # as bytes, which RE2 uses internally; positions in characters would take twice as long
            return self._regexp.sub(template.filled_bytes, text.encode()).decode()
        return self._regexp.sub(template.filled, text)


class Template:
    """A replacement with `\\1` for the first group, `\\0` for the whole match, and `\\\\` for a backslash."""

    def __init__(self, text: str, *, groups: int) -> None:
        self._pieces: list[str | int] = []
        end = 0
        for escape in _ESCAPE.finditer(text):
            self._pieces.append(text[end : escape.start()])
            self._pieces.append(_meaning(escape[1], groups))
            end = escape.end()
        self._pieces.append(text[end:])

    def filled(self, match: "re2.Match[str]") -> str:
        """The replacement for one match. A group that did not match is empty."""
        return "".join(piece if isinstance(piece, str) else match[piece] or "" for piece in self._pieces)

    def filled_bytes(self, match: "re2.Match[bytes]") -> bytes:
        """The same for a match in bytes."""
        return b"".join(piece.encode() if isinstance(piece, str) else match[piece] or b"" for piece in self._pieces)


def check_replacement(text: str) -> None:
    """Raise Malformed if it is too long."""
    if len(text.encode()) > MAX_REPLACEMENT_BYTES:
        raise Malformed(
            f"the replacement has {len(text.encode())} bytes; the limit is {MAX_REPLACEMENT_BYTES}",
            field="replacement",
        )


def screen(patterns: Sequence[str]) -> Screen | None:
    """A function that tests in one pass whether any of the patterns may match; None if RE2 does not accept the set.

    A set that runs out of memory silently matches nothing, so it includes one pattern that always matches.
    """
    import re2  # imported here so that a server without rules does not load it

    patterns_set = re2.Set.SearchSet(_options(_SCREEN_MEMORY_BYTES, captures=False))
    try:
        for pattern in (*patterns, _ALWAYS_FOUND):
            patterns_set.Add(pattern)
        patterns_set.Compile()
    except re2.error:
        return None
    nothing, match = [len(patterns)], patterns_set.Match

    def may_be_found(text: str) -> bool:
        return match(text) != nothing

    return may_be_found


def _compile(text: str) -> "re2.Regexp":
    import re2  # imported here so that a server without rules does not load it

    if len(text.encode()) > MAX_PATTERN_BYTES:
        raise Malformed(
            f"the pattern has {len(text.encode())} bytes; the limit is {MAX_PATTERN_BYTES}", field="pattern"
        )
    try:
        return re2.compile(text, _options(_PATTERN_MEMORY_BYTES, captures=True))
    except re2.error as error:
        raise _pattern_error(text, error) from error


def _options(memory_bytes: int, *, captures: bool) -> "re2.Options":
    import re2  # imported here so that a server without rules does not load it

    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    options.never_capture = not captures
    return options


def _pattern_error(text: str, error: Exception) -> Malformed:
    reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
    what, _, part = reason.partition(": ")
    where = _position(text, part)
    at = "" if where is None else f" at character {where + 1}"
    return Malformed(
        f"the pattern {text[:80]!r} is wrong{at}: {what}",
        hint="escape special characters with \\; look-around and back-references are not supported (RE2 syntax)",
        field="pattern",
    )


def _position(text: str, part: str) -> int | None:
    """The position of the error. RE2 only quotes the part; Python reports it if the pattern is invalid there too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        return error.pos
    except (RecursionError, OverflowError):
        return None
    where = text.find(part) if part else -1
    return None if where < 0 or part == text else where


def _meaning(escaped: str, groups: int) -> str | int:
    if escaped == "\\":
        return "\\"
    if not (escaped.isascii() and escaped.isdigit()):
        raise Malformed(
            f"unknown escape \\{escaped} in the replacement",
            hint=r"use \1 for the first group, and \\ for a backslash",
            field="replacement",
        )
    if int(escaped) > groups:
        raise Malformed(
            f"the replacement refers to group {escaped}, but the highest group of the pattern is {groups}",
            field="replacement",
        )
    return int(escaped)


# Rules. The cache is large enough for the values that watchers alternate between: a repeated heartbeat costs one
# lookup.
_REMEMBERED: Final = 4096
_REMEMBERED_BYTES: Final = 1024

Path = tuple[str, ...] | None  # keys from the outside in; None for every string
TextLocation = tuple[Any, Any, str]  # the object or list, the key or index in it, and the string there

_decode = msgspec.json.Decoder().decode
_UNKNOWN: Final = object()
_SAME: Final = object()


class Traced(Struct, frozen=True):
    """The data after the rules (None: dropped), and the numbers of the rules that changed it."""

    data: CanonicalJson | None
    acted: tuple[int, ...] = ()


class PrivacyRules:
    """All rules in force. `book` is their serializable form, for other processes."""

    def __init__(self, book: RuleBook) -> None:
        """Raises Malformed for an invalid rule, with its number in its list."""
        self.book = book
        self._steps = [
            *(_step_of_filter(number, entry) for number, entry in enumerate(book.filters)),
            *(_step_of_rule(number, rule, len(book.filters)) for number, rule in enumerate(book.rules)),
        ]
        self.is_empty = not any(step.is_enabled for step in self._steps)
        self._selections: dict[str, _Selection] = {}  # by bucket id
        self._shared: dict[tuple[int, ...], _Selection] = {}  # by the numbers of their rules

    @classmethod
    def of(cls, filters_json: bytes | None, own: Sequence[PrivacyRule] = ()) -> "PrivacyRules":
        """The rules of the setting, then our own. Raises Malformed."""
        check_rules(own)
        return cls(RuleBook(filters=decode_filters(filters_json), rules=list(own)))

    def applied(self, bucket_id: str, data: CanonicalJson, *, own_id: str | None = None) -> CanonicalJson | None:
        """The data after the rules; None if the event is dropped, the same object if nothing changes.

        If the id is an alias, the rules for the alias and for the bucket's own id apply.
        """
        if self.is_empty:
            return data
        selection = self._selections.get(bucket_id) or self._select(bucket_id)
        kept = selection.applied(data) if selection.steps else data
        if kept is None or own_id is None or own_id == bucket_id:
            return kept
        return self.applied(own_id, kept)

    def kept(self, bucket_id: str, events: Sequence[Event], *, own_id: str | None = None) -> list[Event]:
        """The events after the rules, without the dropped ones."""
        if self.is_empty:
            return list(events)
        return [event for event in (self._filter(bucket_id, event, own_id) for event in events) if event is not None]

    def _filter(self, bucket_id: str, event: Event, own_id: str | None) -> Event | None:
        data = self.applied(bucket_id, event.data, own_id=own_id)
        if data is event.data or data is None:
            return None if data is None else event
        return Event(id=event.id, start=event.start, duration=event.duration, data=data)

    def traced(self, bucket_id: str, data: CanonicalJson) -> Traced:
        """The same without the cache, and the numbers of the rules that applied: filters first, then rules."""
        selection = self._selections.get(bucket_id) or self._select(bucket_id)
        return selection.traced(data)

    def _select(self, bucket_id: str) -> "_Selection":
        # Annotations are written by the user on purpose, so no rule applies to them.
        is_annotation = bucket_id == ANNOTATIONS_BUCKET
        steps = [step for step in self._steps if step.is_enabled and step.is_for(bucket_id) and not is_annotation]
        if len(self._selections) >= _REMEMBERED:  # clients can choose any ids
            self._selections, self._shared = {}, {}
        # Shared by all buckets with the same rules: watchers of one computer see the same titles.
        numbers = tuple(step.number for step in steps)
        selection = self._shared.get(numbers)
        if selection is None:
            selection = self._shared[numbers] = _Selection(steps)
        if len(bucket_id) <= MAX_ID_CHARACTERS:  # no bucket has a longer one
            self._selections[bucket_id] = selection
        return selection


class _Step:
    """One compiled rule."""

    def __init__(
        self,
        number: int,
        rule: PrivacyFilter | PrivacyRule,
        *,
        path: Path,
        names: BucketNames | None = None,
        prefix: str = "",
    ) -> None:
        self.number = number
        self.is_enabled = rule.enabled
        self.path = path
        self.pattern = PrivacyPattern(rule.pattern)
        self._names = names
        self._prefix = prefix
        self._is_drop = rule.action == "drop"
        self._replacement = rule.replacement or ""
        self._template: Template | None = None
        check_replacement(self._replacement)
        if rule.action == "rewrite":
            self._template = Template(self._replacement, groups=self.pattern.groups)

    def is_for(self, bucket_id: str) -> bool:
        return bucket_id.startswith(self._prefix) and (self._names is None or bucket_id in self._names)

    def apply(self, data: Any) -> bool | None:
        """Change decoded data in place. Returns whether anything changed, None if the event is dropped."""
        has_changed = False
        for holder, key, text in list(texts_at(data, self.path)):
            if self._template is not None:
                new = self.pattern.rewrite(text, self._template)
            elif not self.pattern.is_found_in(text):
                continue
            elif self._is_drop:
                return None
            else:
                new = self._replacement
            if new != text:
                holder[key] = new
                has_changed = True
        return has_changed


class _Selection:
    """The rules for some buckets, and a cache of their results."""

    def __init__(self, steps: Sequence[_Step]) -> None:
        self.steps = steps
        self._known: dict[CanonicalJson, object] = {}
        self._screens = _screens_of(steps)

    def applied(self, data: CanonicalJson) -> CanonicalJson | None:
        known = self._known.get(data, _UNKNOWN)
        if known is _UNKNOWN:
            result = self.traced(data).data
            if len(data) <= _REMEMBERED_BYTES and (result is None or len(result) <= _REMEMBERED_BYTES):
                if len(self._known) >= _REMEMBERED:
                    self._known = {}
                self._known[data] = _SAME if result is data else result
            return result
        if known is _SAME:
            return data
        return known if isinstance(known, bytes) else None

    def traced(self, data: CanonicalJson) -> Traced:
        value = _decode(data)
        # Each rule gets the result of the one before; so if none matches at first, none ever does.
        if not any(may_be_found(text) for path, may_be_found in self._screens for _, _, text in texts_at(value, path)):
            return Traced(data)
        acted: list[int] = []
        for step in self.steps:
            has_changed = step.apply(value)
            if has_changed is None:
                return Traced(None, (*acted, step.number))
            if has_changed:
                acted.append(step.number)
        changed = canonical_json(value) if acted else data
        return Traced(changed, tuple(acted)) if changed != data else Traced(data)


def texts_at(data: object, path: Path) -> Iterator[TextLocation]:
    """The string at a path, if there is one; with None every string at any depth."""
    if path is None:
        yield from _every_text(data)
        return
    for key in path[:-1]:
        data = _member(data, key)
    text = _member(data, path[-1])
    if type(text) is str:
        yield data, path[-1], text


def _member(data: object, key: str) -> object:
    return cast("dict[str, object]", data).get(key) if type(data) is dict else None


def _every_text(data: object) -> Iterator[TextLocation]:
    items: Iterable[tuple[object, object]]
    if type(data) is dict:
        items = cast("dict[str, object]", data).items()
    elif type(data) is list:
        items = enumerate(cast("list[object]", data))
    else:
        return
    for key, value in items:
        if type(value) is str:
            yield data, key, value
        else:
            yield from _every_text(value)


def _screens_of(steps: Sequence[_Step]) -> list[tuple[Path, Screen]]:
    patterns: dict[Path, list[PrivacyPattern]] = {}
    for step in steps:
        patterns.setdefault(step.path, []).append(step.pattern)
    return [(path, _screen_of(group)) for path, group in patterns.items()]


def _screen_of(patterns: Sequence[PrivacyPattern]) -> Screen:
    together = screen([pattern.text for pattern in patterns])
    return together or (lambda text: any(pattern.is_found_in(text) for pattern in patterns))


def _step_of_filter(number: int, entry: PrivacyFilter) -> _Step:
    path = tuple(entry.field.split("."))
    try:
        return _Step(number, entry, path=path, prefix=entry.bucket_prefix or "")
    except Malformed as error:
        raise _with_number(number, error) from error


def _step_of_rule(number: int, rule: PrivacyRule, before: int) -> _Step:
    path = None if rule.field == EVERY_STRING else tuple(rule.field.split("."))
    try:
        return _Step(before + number, rule, path=path, names=BucketNames(rule.buckets))
    except Malformed as error:
        raise _with_number(number, error) from error


def _with_number(number: int, error: Malformed) -> Malformed:
    return Malformed(f"rule {number + 1}: {error.message}", hint=error.hint, field=f"[{number}].{error.field}")
