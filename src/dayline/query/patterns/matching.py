"""Regular expressions in Python's dialect, compiled by RE2, and matched against many strings with cached results."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from dayline.query.patterns.dialect import Translation, translate
from dayline.query.patterns.limits import TIMER
from dayline.query.patterns.python import compiled_pattern
from dayline.storage.columns.source import Codes, Flags, Items

# The memory limit of a set; it grows on demand, and 37 ordinary rules over 100,000 titles need 2 MiB.
MEMORY_BYTES: Final = 32 << 20

SetSearch = Callable[[bytes], list[int] | None]

Combination = tuple[int, ...]  # the numbers of the expressions that match a string, in order

NONE_FOUND: Final = 0  # the number of the empty combination

_UNKNOWN: Final = -1
# Strings from rows are new items in every query, and are cached; those of segments stay, and are many.
_MAX_REMEMBERED_AT_ONCE: Final = 10_000
_MAX_REMEMBERED_BYTES: Final = 8 << 20  # some 50,000 titles
_BYTES_BESIDE_STRING: Final = 100

_CONTROL_CHARACTER: Final = r"[\x00-\x1f\x7f]"
_ALWAYS_FOUND: Final = ""


def compiled_set(patterns: Sequence[str], *, memory_bytes: int = MEMORY_BYTES) -> SetSearch | None:
    """A function that returns the numbers of the patterns that match a string; None if RE2 does not support them.

    A search that exceeds its memory also matches nothing, without an error: a pattern that always matches shows whether
    a search completed.
    """
    import re2  # imported here, so that queries without a pattern do not wait for it

    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    options.never_capture = True
    compiled = re2.Set.SearchSet(options)
    try:
        for pattern in patterns:
            compiled.Add(pattern)
        compiled.Compile()
    except re2.error:
        return None
    return compiled.Match


class Expression(Struct, frozen=True, eq=False):
    """A compiled pattern. `translation` is None if only `re` supports it."""

    text: str
    compiled: re.Pattern[str]
    translation: Translation | None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match by `re`. Raises PatternTooSlow if the pattern exceeds an active limit."""
        TIMER.text, TIMER.pattern = text, self.text
        try:
            return self.compiled.search(text)
        finally:
            TIMER.pattern = None


# Rules repeat from query to query, and checking whether RE2 supports one is half the work of compiling it.
@lru_cache(maxsize=1024)
def expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Compile a pattern. Raises PatternError."""
    compiled = compiled_pattern(text, ignore_case=ignore_case)
    translation = translate(text, ignore_case=ignore_case)
    if translation is not None and not _is_taken(translation):
        translation = None
    return Expression(text, compiled, translation)


def _is_taken(translation: Translation) -> bool:
    """Whether RE2 accepts it: it rejects what becomes too large when expanded."""
    return all(compiled_set([text]) for text in {translation.ascii_text, translation.other_text})


class Matcher:
    """Matches expressions against strings: with RE2 where it agrees with `re`, otherwise with `re` itself."""

    def __init__(self, expressions: Sequence[Expression]) -> None:
        self._expressions = expressions
        self.combinations: list[Combination] = [()]
        self._numbers: dict[Combination, int] = {(): NONE_FOUND}
        self._answers: WeakKeyDictionary[Items, Codes] = WeakKeyDictionary()
        self._remembered: dict[bytes, int] = {}
        self._remembered_bytes = 0

    def answers(self, items: Items, needed: Codes) -> Codes:
        """For each needed item the number of its combination. Anything but a string matches nothing."""
        answers = self._answers.get(items)
        if answers is None:
            answers = np.where(items.is_string, np.int32(_UNKNOWN), np.int32(NONE_FOUND))
            self._answers[items] = answers
        unknown = needed[answers[needed] == _UNKNOWN]
        if len(unknown) > _MAX_REMEMBERED_AT_ONCE:
            answers[unknown] = np.fromiter(self._search(items.raws(unknown)), np.int32, len(unknown))
        elif len(unknown):
            answers[unknown] = self._recall(list(items.raws(unknown)))
        return answers

    def _recall(self, raws: list[bytes]) -> list[int]:
        new = [raw for raw in raws if raw not in self._remembered]
        if not new:
            return list(map(self._remembered.__getitem__, raws))
        answers = dict(zip(new, self._search(new), strict=True))
        outcomes = [answers[raw] if raw in answers else self._remembered[raw] for raw in raws]
        self._remember(answers)
        return outcomes

    def _remember(self, answers: dict[bytes, int]) -> None:
        size = sum(map(len, answers)) + _BYTES_BESIDE_STRING * len(answers)
        if self._remembered_bytes + size > _MAX_REMEMBERED_BYTES:
            self._remembered, self._remembered_bytes = {}, 0
        if size <= _MAX_REMEMBERED_BYTES:
            self._remembered.update(answers)
            self._remembered_bytes += size

    def _search(self, raws: Iterable[bytes]) -> Iterator[int]:
        for raw in raws:
            search = self._in_ascii if raw.isascii() else self._in_others
            matches = tuple(search.find(raw) or ())
            number = search.numbers.get(matches)
            yield self._judged(search, matches, raw) if number is None else number

    def _judged(self, search: "_Search", matches: tuple[int, ...], raw: bytes) -> int:
        """The number for a result of a set; cached if the result alone is conclusive."""
        outcome = search.outcomes.get(matches) or search.outcome(matches)
        if outcome.doubtful:
            text = raw.decode()
            certain = [number for number in outcome.doubtful if self._expressions[number].search(text)]
            return self._number(tuple(sorted((*outcome.certain, *certain))))
        number = search.numbers[matches] = self._number(outcome.certain)
        return number

    def _number(self, combination: Combination) -> int:
        number = self._numbers.get(combination)
        if number is None:
            number = len(self.combinations)
            # In this order: a query may be interrupted between the two.
            self.combinations.append(combination)
            self._numbers[combination] = number
        return number

    @cached_property
    def _in_ascii(self) -> "_Search":
        return _Search(
            [(each.translation.ascii_text, True) if each.translation else None for each in self._expressions]
        )

    @cached_property
    def _in_others(self) -> "_Search":
        translations = [each.translation for each in self._expressions]
        return _Search([(each.other_text, each.is_exact) if each else None for each in translations])


class _Outcome(Struct, frozen=True):
    """The result of RE2: expressions that certainly match, and those that only `re` can decide."""

    certain: Combination
    doubtful: Combination


class _Search:
    """Expressions as one RE2 set, for strings of one kind."""

    def __init__(self, members: Sequence[tuple[str, bool] | None]) -> None:
        """For each expression its text and whether that is exact, None if RE2 does not support it."""
        self._members = [number for number, member in enumerate(members) if member]
        self._only_python = [number for number, member in enumerate(members) if not member]
        self._exact = {number for number, member in enumerate(members) if member and member[1]}
        self.find: SetSearch = self._compiled([member[0] for member in members if member])
        self.outcomes: dict[tuple[int, ...], _Outcome] = {}
        self.numbers: dict[tuple[int, ...], int] = {}  # of conclusive results

    def outcome(self, matches: tuple[int, ...]) -> _Outcome:
        """The meaning of a result of the set."""
        control, always = len(self._members), len(self._members) + 1
        if always not in matches or control in matches:
            outcome = _Outcome((), tuple(sorted(self._members + self._only_python)))
        else:
            members = sorted(self._members[index] for index in matches if index < control)
            doubtful = [number for number in members if number not in self._exact]
            certain = tuple(number for number in members if number in self._exact)
            outcome = _Outcome(certain, tuple(sorted(doubtful + self._only_python)))
        self.outcomes[matches] = outcome
        return outcome

    def _compiled(self, texts: list[str]) -> SetSearch:
        return compiled_set([*texts, _CONTROL_CHARACTER, _ALWAYS_FOUND]) or _no_answer


def _no_answer(_raw: bytes) -> None:
    """Replaces a set that is too large for RE2: `re` decides for every string."""


class Pattern:
    """A pattern in the dialect of Python's `re`. Raises PatternError if it is invalid.

    Results are cached as long as the items are, also for later patterns with the same text.
    """

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        self.text = text
        self.uses_re2 = expression(text, ignore_case=ignore_case).translation is not None
        self._matcher = _matcher(text, ignore_case=ignore_case)

    def found_in(self, items: Items, needed: Codes) -> Flags:
        """For each of the needed items whether it is a string that the pattern matches."""
        return np.not_equal(self._matcher.answers(items, needed)[needed], NONE_FOUND)


@lru_cache(maxsize=64)
def _matcher(text: str, *, ignore_case: bool) -> Matcher:
    return Matcher([expression(text, ignore_case=ignore_case)])
