"""Classifies by all rules of all categories at once. Only query processes import this.

What is active at a time has up to three layers: the window, the tab in it, and the file in it. A condition checks every
layer that has its field. A classic rule checks one layer only, like other programs that read the setting `classes`: the
window, or a tab or file if no window is known.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from dayline.insight.categories.checking import pattern_of
from dayline.insight.now.model import Layer, NowCategoriesRequest
from dayline.model.category import ANY_FIELD, UNCATEGORIZED, Category, Path
from dayline.model.data import canonical_json
from dayline.query.columns.distinct import lookup
from dayline.query.functions.urls import DOMAIN, URL, UrlPart
from dayline.query.patterns.limits import TIMER, SkippedRule
from dayline.query.patterns.matching import Expression, expression
from dayline.query.patterns.python import PatternError
from dayline.query.patterns.rules import RANK_OF_A_LEVEL, Rule, RuleSet, Tagged
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import Codes, Column, ColumnSource, Dictionary

LAYERS: Final[tuple[Layer, ...]] = ("window", "tab", "file")
NO_PLACE: Final = 0

_DERIVED: Final = {"domain": DOMAIN, "path": "$path"}  # fields of conditions that are computed from the URL
URL_PARTS: Final = tuple(_DERIVED.values())
_FIRST: Final = np.zeros(1, dtype=np.int32)


class PatternSource(Struct, frozen=True):
    """Where a rule is: its category, and the index of its condition. None is the classic rule."""

    category: int
    condition: int | None


class Fault(Struct, frozen=True):
    """A rule that cannot be used, and the reason. Other rules still apply."""

    source: PatternSource
    message: str
    position: int | None


class Matching(Struct, frozen=True, eq=False):
    """The rules that match each of some items, as an index into distinct sets of rules."""

    codes: Codes
    sets: list[frozenset[int]]  # numbers of rules

    def union(self, other: "Matching") -> "Matching":
        """The union of two results for the same items."""
        pairs, inverse = np.unique(self.codes.astype(np.int64) * len(other.sets) + other.codes, return_inverse=True)
        distinct: list[int] = pairs.tolist()
        sets = [self.sets[pair // len(other.sets)] | other.sets[pair % len(other.sets)] for pair in distinct]
        return Matching(inverse.astype(np.int32), sets)


class Classifier:
    """The categories of one version of the rules. If several rules match, the one with the highest place wins."""

    def __init__(self, categories: Sequence[Category]) -> None:
        """Takes all rules except those that are skipped for this response."""
        self.all = tuple(categories)
        self.skipped: list[SkippedRule] = []
        self.faults: list[Fault] = []
        self.sources: list[PatternSource] = []
        rules: list[Rule] = []
        for number, category in enumerate(categories):
            for source, text, ignore_case, fields in _patterns(number, category):
                rule = self._rule(len(self.sources), category, source, text, ignore_case, fields)
                if rule is not None:
                    self.sources.append(source)
                    rules.append(rule)
        ordered = sorted(rules, key=lambda rule: (rule.rank, rule.number))
        names = [categories[self.sources[rule.number].category].name for rule in ordered]
        self.rules = rules
        self.names: list[Path] = list(dict.fromkeys([UNCATEGORIZED, *names]))
        numbers = {name: number for number, name in enumerate(self.names)}
        self._name_of = np.array([0, *(numbers[name] for name in names)], dtype=np.int32)
        self._is_always = np.array(
            [False, *(categories[self.sources[rule.number].category].is_always_active for rule in ordered)]
        )
        self._place_of = np.full(len(rules), NO_PLACE, dtype=np.int32)
        for position, rule in enumerate(ordered, start=1):
            self._place_of[rule.number] = position
        self._classic = RuleSet([rule for rule in rules if self.is_classic(rule)])
        self._conditions = RuleSet([rule for rule in rules if not self.is_classic(rule)])
        TIMER.note(self.skipped)

    @staticmethod
    def of(categories: Sequence[Category]) -> "Classifier":
        """The classifier of these categories, cached because it remembers the texts that it has searched."""
        classifier = _classifier(msgspec.msgpack.encode(categories), TIMER.skipped)
        TIMER.note(classifier.skipped)
        return classifier

    @property
    def has_always_active(self) -> bool:
        """Whether any category counts without input."""
        return bool(self._is_always.any())

    def places(self, data: Dictionary, values: Codes, *, is_base: bool) -> Codes:
        """The place of the winning rule for each value; NO_PLACE if none matches.

        With `is_base` classic rules apply too: the values belong to a window, or there is no window.
        """
        fields = fields_of(data)
        winners = self._conditions.winners(lambda field: column_of(data, field), fields, values)
        places = lookup(self._place_of, winners, NO_PLACE)
        if is_base:
            classic = self._classic.winners(data.column, data.fields(), values)
            np.maximum(places, lookup(self._place_of, classic, NO_PLACE), out=places)
        return places

    def matching(self, data: Dictionary, values: Codes, *, is_base: bool) -> Matching:
        """All matching rules of each value, not only the winner."""
        conditions = self._conditions.matches(lambda field: column_of(data, field), fields_of(data), values)
        matching = Matching(conditions.codes, _sets(conditions))
        if not is_base:
            return matching
        classic = self._classic.matches(data.column, data.fields(), values)
        return matching.union(Matching(classic.codes, _sets(classic)))

    def place_of(self, rule: Rule) -> int:
        """The place of a rule."""
        return int(self._place_of[rule.number])

    @property
    def has_conditions(self) -> bool:
        """Whether any rule checks more than one layer."""
        return any(not self.is_classic(rule) for rule in self.rules)

    def is_classic(self, rule: Rule) -> bool:
        """Whether it is a classic rule, which other programs know and which checks one layer only."""
        return self.sources[rule.number].condition is None

    def categories(self, places: Codes) -> Codes:
        """The category of each place, as an index into `names`. Index 0 is Uncategorized."""
        return self._name_of[places]

    def is_always_active(self, places: Codes) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Whether the category of each place counts without input."""
        flags: np.ndarray[tuple[int], np.dtype[np.bool_]] = self._is_always[places]
        return flags

    def _rule(
        self, number: int, category: Category, source: PatternSource, text: str, ignore_case: bool,
        fields: frozenset[str] | None,
    ) -> Rule | None:  # fmt: skip
        try:
            compiled: Expression = expression(text, ignore_case=ignore_case)
        except PatternError as error:
            self.faults.append(Fault(source, error.message, error.position))
            return None
        if text in TIMER.skipped:
            self.skipped.append(SkippedRule(label=category.name, pattern=text))
            return None
        # The number is the label, so that all matching rules can be identified, not only the winner.
        return Rule(number=number, label=(str(number),), expression=compiled, fields=fields, rank=_rank(category))


def base_layer(layers: Iterable[Layer]) -> Layer:
    """The layer that classic rules check: the first one that exists."""
    there = set(layers)
    for layer in LAYERS:
        if layer in there:
            return layer
    return "window"


def category_of(classifier: Classifier, layers: Mapping[Layer, Mapping[str, Any]]) -> Path:
    """The category of the data of these layers."""
    places = np.full(1, NO_PLACE, dtype=np.int32)
    base = base_layer(layers)
    for layer, fields in layers.items():
        winners = classifier.places(TextDictionary([canonical_json(fields)]), _FIRST, is_base=layer == base)
        np.maximum(places, winners, out=places)
    return classifier.names[int(classifier.categories(places)[0])]


def _patterns(number: int, category: Category) -> list[tuple[PatternSource, str, bool, frozenset[str] | None]]:
    """The rules of a category: position, pattern, whether case is ignored, and the fields that it checks."""
    if not category.name:
        return []
    patterns: list[tuple[PatternSource, str, bool, frozenset[str] | None]] = []
    rule = category.rule
    if rule is not None and rule.regex:  # an empty pattern would match every text; it is not finished yet
        fields = None if rule.select_keys is None else frozenset(rule.select_keys)
        patterns.append((PatternSource(number, None), rule.regex, rule.ignore_case, fields))
    for index, condition in enumerate(category.conditions):
        named = _DERIVED.get(condition.field, condition.field)
        fields = None if condition.field == ANY_FIELD else frozenset((named,))
        patterns.append((PatternSource(number, index), pattern_of(condition), condition.ignore_case, fields))
    return patterns


def _sets(tagged: Tagged) -> list[frozenset[int]]:
    return [frozenset(map(int, numbers)) for numbers in tagged.tags]


def stated_field(field: str) -> str:
    """The name of a field in conditions."""
    return next((name for name, column in _DERIVED.items() if column == field), field)


def _rank(category: Category) -> int:
    given = category.priority
    if given is None and category.rule is not None:
        given = category.rule.priority
    return RANK_OF_A_LEVEL * len(category.name) if given is None else given


def fields_of(data: Dictionary) -> list[str]:
    """The fields that conditions can check: those of the data, and those computed from a URL."""
    return [*data.fields(), *(URL_PARTS if URL in data.fields() else ())]


def column_of(data: Dictionary, field: str) -> Column:
    """The column of such a field."""
    if field in URL_PARTS:
        return UrlPart(data.column(URL), field).of(np.arange(len(data), dtype=np.int32))
    return data.column(field)


# Few: with its cached texts, a classifier may take tens of megabytes.
@lru_cache(maxsize=4)
def _classifier(encoded: bytes, skipped: frozenset[str]) -> Classifier:
    assert skipped == TIMER.skipped  # only part of the cache key; the classifier reads the timer itself
    return Classifier(msgspec.msgpack.decode(encoded, type=tuple[Category, ...]))


def now_categories(asked: NowCategoriesRequest, source: ColumnSource) -> list[Path]:
    """The task: the category of each active window."""
    classifier = Classifier.of(asked.categories)
    return [category_of(classifier, front) for front in asked.fronts]
