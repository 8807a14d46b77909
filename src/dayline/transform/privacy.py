"""Applies privacy rules to the data of events: pure, and cached for repeated data."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from msgspec import Struct

from dayline.model.access import BucketNames
from dayline.model.annotation import ANNOTATIONS_BUCKET
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import Malformed
from dayline.model.event import Event
from dayline.model.privacy import (
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


# The patterns of privacy rules, in the hands of RE2: they run on every heartbeat, and RE2 cannot run away.
#
# RE2 is imported at first use, so that a server without rules does without it.


_PATTERN_MEMORY_BYTES: Final = 4 << 20
_SCREEN_MEMORY_BYTES: Final = 32 << 20
_ALWAYS_FOUND: Final = ""
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)

Screen = Callable[[str], bool]


class PrivacyPattern:
    """One pattern. Raises Malformed where RE2 does not accept it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled = _compiled(text)

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return self._compiled.groups

    def is_found_in(self, text: str) -> bool:
        return self._compiled.search(text) is not None

    def rewritten(self, text: str, template: "Template") -> str:
        """The text with whatever the pattern matches replaced."""
        if text.isascii():  # as bytes: RE2 counts in those, and to count in characters takes as long again
            return self._compiled.sub(template.filled_bytes, text.encode()).decode()
        return self._compiled.sub(template.filled, text)


class Template:
    """A replacement in which `\\1` stands for the first group, `\\0` for the whole match, `\\\\` for a backslash."""

    def __init__(self, text: str, *, groups: int) -> None:
        self._pieces: list[str | int] = []
        end = 0
        for escape in _ESCAPE.finditer(text):
            self._pieces.append(text[end : escape.start()])
            self._pieces.append(_meaning(escape[1], groups))
            end = escape.end()
        self._pieces.append(text[end:])

    def filled(self, match: "re2.Match[str]") -> str:
        """The replacement for one match. A group that took no part in it is empty."""
        return "".join(piece if isinstance(piece, str) else match[piece] or "" for piece in self._pieces)

    def filled_bytes(self, match: "re2.Match[bytes]") -> bytes:
        """The same for a match in bytes."""
        return b"".join(piece.encode() if isinstance(piece, str) else match[piece] or b"" for piece in self._pieces)


def check_replacement(text: str) -> None:
    """Raise Malformed where it is too long."""
    if len(text.encode()) > MAX_REPLACEMENT_BYTES:
        raise Malformed(f"a replacement may have {MAX_REPLACEMENT_BYTES} bytes at most", field="replacement")


def screen(patterns: Sequence[str]) -> Screen | None:
    """What tells in one pass whether any of the patterns may be found in a text; None where RE2 does not take them all.

    A set that runs out of memory finds nothing and says nothing, so one pattern is among them that is always found.
    """
    import re2  # here, so that a server without rules does without it

    found = re2.Set.SearchSet(_options(_SCREEN_MEMORY_BYTES, captures=False))
    try:
        for pattern in (*patterns, _ALWAYS_FOUND):
            found.Add(pattern)
        found.Compile()
    except re2.error:
        return None
    nothing, match = [len(patterns)], found.Match

    def may_be_found(text: str) -> bool:
        return match(text) != nothing

    return may_be_found


def _compiled(text: str) -> "re2.Regexp":
    import re2  # here, so that a server without rules does without it

    if len(text.encode()) > MAX_PATTERN_BYTES:
        raise Malformed(f"a pattern may have {MAX_PATTERN_BYTES} bytes at most", field="pattern")
    try:
        return re2.compile(text, _options(_PATTERN_MEMORY_BYTES, captures=True))
    except re2.error as error:
        raise _refusal(text, error) from error


def _options(memory_bytes: int, *, captures: bool) -> "re2.Options":
    import re2  # here, so that a server without rules does without it

    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    options.never_capture = not captures
    return options


def _refusal(text: str, error: Exception) -> Malformed:
    reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
    what, _, part = reason.partition(": ")
    where = _position(text, part)
    at = "" if where is None else f" at character {where + 1}"
    return Malformed(
        f"the pattern is not one that RE2 accepts: {what}{at}",
        hint="look-around and back-references are not possible here: a rule runs on every heartbeat",
        field="pattern",
    )


def _position(text: str, part: str) -> int | None:
    """Where the pattern goes wrong. RE2 only quotes the place; Python knows it, if it is wrong for Python too."""
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
            f"\\{escaped} means nothing in a replacement",
            hint=r"\1 is the first group, \\ a backslash",
            field="replacement",
        )
    if int(escaped) > groups:
        raise Malformed(f"the replacement speaks of group {escaped}, and the pattern has {groups}", field="replacement")
    return int(escaped)


# Applies privacy rules to the data of events: pure, and quick where the same data come again and again.


# Enough for the values that watchers go back and forth between: a repeated heartbeat costs a look into a dict.
_REMEMBERED: Final = 4096
_REMEMBERED_BYTES: Final = 1024

Path = tuple[str, ...] | None  # keys from the outside in; None for every text
Place = tuple[Any, Any, str]  # the object or list, the key or index in it, and the text that is there

_decode = msgspec.json.Decoder().decode
_UNKNOWN: Final = object()
_SAME: Final = object()


class Traced(Struct, frozen=True):
    """What became of the data (None: dropped), and the numbers of the rules that had a part in it."""

    data: CanonicalJson | None
    acted: tuple[int, ...] = ()


class PrivacyRules:
    """All rules in force. `book` is what they were made of, for another process to make them again."""

    def __init__(self, book: RuleBook) -> None:
        """Raises Malformed for a rule that cannot be used, naming it by its number in its list."""
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
        """The rules of the setting, then those of our own. Raises Malformed."""
        check_rules(own)
        return cls(RuleBook(filters=decode_filters(filters_json), rules=list(own)))

    def applied(self, bucket_id: str, data: CanonicalJson) -> CanonicalJson | None:
        """The data as they may be stored; None where the event is dropped, the same object where nothing changes."""
        if self.is_empty:
            return data
        selection = self._selections.get(bucket_id) or self._select(bucket_id)
        return selection.applied(data) if selection.steps else data

    def kept(self, bucket_id: str, events: Sequence[Event]) -> list[Event]:
        """The events that may be stored, as they may be stored."""
        if self.is_empty:
            return list(events)
        return [event for event in (self._kept(bucket_id, event) for event in events) if event is not None]

    def _kept(self, bucket_id: str, event: Event) -> Event | None:
        data = self.applied(bucket_id, event.data)
        if data is event.data or data is None:
            return None if data is None else event
        return Event(id=event.id, start=event.start, duration=event.duration, data=data)

    def traced(self, bucket_id: str, data: CanonicalJson) -> Traced:
        """The same, worked out anew, and by which rules: numbers count filters first, then rules."""
        selection = self._selections.get(bucket_id) or self._select(bucket_id)
        return selection.traced(data)

    def _select(self, bucket_id: str) -> "_Selection":
        # What a person writes about a span is meant to be kept, whatever words are in it.
        is_said = bucket_id == ANNOTATIONS_BUCKET
        steps = [step for step in self._steps if step.is_enabled and step.is_for(bucket_id) and not is_said]
        if len(self._selections) >= _REMEMBERED:  # ids are what clients say they are
            self._selections, self._shared = {}, {}
        # One for all buckets of the same rules: watchers of one computer see the same titles.
        numbers = tuple(step.number for step in steps)
        selection = self._shared.get(numbers)
        if selection is None:
            selection = self._shared[numbers] = _Selection(steps)
        self._selections[bucket_id] = selection
        return selection


class _Step:
    """One rule, ready to be applied."""

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

    def act(self, data: Any) -> bool | None:
        """Change decoded data in place; whether anything changed, None where they are to be dropped."""
        has_changed = False
        for holder, key, text in list(places_at(data, self.path)):
            if self._template is not None:
                new = self.pattern.rewritten(text, self._template)
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
    """The rules for some buckets, and what they made of the data that came lately."""

    def __init__(self, steps: Sequence[_Step]) -> None:
        self.steps = steps
        self._known: dict[CanonicalJson, object] = {}
        self._screens = _screens_of(steps)

    def applied(self, data: CanonicalJson) -> CanonicalJson | None:
        known = self._known.get(data, _UNKNOWN)
        if known is _UNKNOWN:
            found = self.traced(data).data
            if len(data) <= _REMEMBERED_BYTES and (found is None or len(found) <= _REMEMBERED_BYTES):
                if len(self._known) >= _REMEMBERED:
                    self._known = {}
                self._known[data] = _SAME if found is data else found
            return found
        if known is _SAME:
            return data
        return known if isinstance(known, bytes) else None

    def traced(self, data: CanonicalJson) -> Traced:
        value = _decode(data)
        # A rule sees what the ones before it have made of the data; so if none is found at first, none ever is.
        if not any(may_be_found(text) for path, may_be_found in self._screens for _, _, text in places_at(value, path)):
            return Traced(data)
        acted: list[int] = []
        for step in self.steps:
            has_changed = step.act(value)
            if has_changed is None:
                return Traced(None, (*acted, step.number))
            if has_changed:
                acted.append(step.number)
        changed = canonical_json(value) if acted else data
        return Traced(changed, tuple(acted)) if changed != data else Traced(data)


def places_at(data: object, path: Path) -> Iterator[Place]:
    """Where the text at a path stands, if there is one; with None every text, however deep."""
    if path is None:
        yield from _every_place(data)
        return
    for key in path[:-1]:
        data = _member(data, key)
    text = _member(data, path[-1])
    if type(text) is str:
        yield data, path[-1], text


def _member(data: object, key: str) -> object:
    return cast("dict[str, object]", data).get(key) if type(data) is dict else None


def _every_place(data: object) -> Iterator[Place]:
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
            yield from _every_place(value)


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
        raise _about(number, error) from error


def _step_of_rule(number: int, rule: PrivacyRule, before: int) -> _Step:
    path = None if rule.field == EVERY_STRING else tuple(rule.field.split("."))
    try:
        return _Step(before + number, rule, path=path, names=BucketNames(rule.buckets))
    except Malformed as error:
        raise _about(number, error) from error


def _about(number: int, error: Malformed) -> Malformed:
    return Malformed(f"rule {number}: {error.message}", hint=error.hint, field=f"[{number}].{error.field}")
