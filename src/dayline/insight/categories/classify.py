"""All rules of all categories at once: which category something belongs to. Only query processes import this.

What is in front at a moment has up to three layers: the window, the tab within it, the file within it. A condition
looks at every layer that has its field. A classic rule looks at one layer, as in all programs that read `classes`: at
the window, or at a tab or file alone, if no window is known.
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
from dayline.query.functions.fields import DOMAIN, URL, UrlPart
from dayline.query.patterns.expressions import Expression, expression
from dayline.query.patterns.python import PatternError
from dayline.query.patterns.rules import NO_RULE, RANK_OF_A_LEVEL, Rule, RuleSet, Tagged
from dayline.query.patterns.slow import TIMER, SkippedRule
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import Codes, Column, ColumnSource, Dictionary

LAYERS: Final[tuple[Layer, ...]] = ("window", "tab", "file")
NO_PLACE: Final = 0

_DERIVED: Final = {"domain": DOMAIN, "path": "$path"}  # what conditions call the fields that follow from the URL
URL_PARTS: Final = tuple(_DERIVED.values())
_FIRST: Final = np.zeros(1, dtype=np.int32)


class PatternSource(Struct, frozen=True):
    """Where a rule stands: in which category, and which of its conditions it is; None: the classic rule."""

    category: int
    condition: int | None


class Fault(Struct, frozen=True):
    """A rule that cannot be used, and why. The others stay in force."""

    source: PatternSource
    message: str
    position: int | None


class Matching(Struct, frozen=True, eq=False):
    """For each of some things which of the distinct sets of rules match it."""

    codes: Codes
    sets: list[frozenset[int]]  # of the numbers of rules

    def joined(self, other: "Matching") -> "Matching":
        """What either of two has found, of the same things."""
        pairs, inverse = np.unique(self.codes.astype(np.int64) * len(other.sets) + other.codes, return_inverse=True)
        distinct: list[int] = pairs.tolist()
        sets = [self.sets[pair // len(other.sets)] | other.sets[pair % len(other.sets)] for pair in distinct]
        return Matching(inverse.astype(np.int32), sets)


class Classifier:
    """The categories of one version of the rules. Places order all rules: of several that match, the highest wins."""

    def __init__(self, categories: Sequence[Category]) -> None:
        """All of their rules but those that this answer does without."""
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
        self.source_of: list[PatternSource | None] = [None, *(self.sources[rule.number] for rule in ordered)]
        self._name_of = np.array([0, *(numbers[name] for name in names)], dtype=np.int32)
        self._is_always = np.array(
            [False, *(categories[self.sources[rule.number].category].is_always_active for rule in ordered)]
        )
        # By the number of a rule; NO_RULE is the last entry.
        self._place_of = np.full(len(rules) + 1, NO_PLACE, dtype=np.int32)
        for place, rule in enumerate(ordered, start=1):
            self._place_of[rule.number] = place
        self._classic = RuleSet([rule for rule in rules if self.is_classic(rule)])
        self._conditions = RuleSet([rule for rule in rules if not self.is_classic(rule)])
        TIMER.note(self.skipped)

    @staticmethod
    def of(categories: Sequence[Category]) -> "Classifier":
        """The classifier of these categories, made once: what it has learnt of texts is worth keeping."""
        found = _classifier(msgspec.msgpack.encode(categories), TIMER.skipped)
        TIMER.note(found.skipped)
        return found

    @property
    def has_always_active(self) -> bool:
        """Whether the time of any category counts without input."""
        return bool(self._is_always.any())

    def places(self, data: Dictionary, values: Codes, *, is_base: bool) -> Codes:
        """For each of these values of a dictionary the place of the rule that wins; NO_PLACE where none matches.

        `is_base` says that classic rules look at them, too: they are of a window, or by themselves.
        """
        assert NO_RULE == -1  # the last entry
        fields = fields_of(data)
        places = self._place_of[self._conditions.winners(lambda field: column_of(data, field), fields, values)]
        if is_base:
            classic = self._classic.winners(data.column, data.fields(), values)
            np.maximum(places, self._place_of[classic], out=places)
        return places

    def matching(self, data: Dictionary, values: Codes, *, is_base: bool) -> Matching:
        """For each of these values all rules that match, whichever wins."""
        conditions = self._conditions.matches(lambda field: column_of(data, field), fields_of(data), values)
        found = Matching(conditions.codes, _sets(conditions))
        if not is_base:
            return found
        classic = self._classic.matches(data.column, data.fields(), values)
        return found.joined(Matching(classic.codes, _sets(classic)))

    def place_of(self, rule: Rule) -> int:
        """The place of a rule."""
        return int(self._place_of[rule.number])

    @property
    def has_conditions(self) -> bool:
        """Whether any rule looks at more than one layer."""
        return any(not self.is_classic(rule) for rule in self.rules)

    def is_classic(self, rule: Rule) -> bool:
        """Whether it is one of those that other programs know, and that look at one layer alone."""
        return self.sources[rule.number].condition is None

    def categories(self, places: Codes) -> Codes:
        """For each place the number of its category among `names`; the first of them is Uncategorized."""
        return self._name_of[places]

    def is_always_active(self, places: Codes) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """For each position whether its category counts without input."""
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
        # Its number as the label identifies all matching rules, not only the winner.
        return Rule(number=number, label=(str(number),), expression=compiled, fields=fields, rank=_rank(category))


def base_layer(layers: Iterable[Layer]) -> Layer:
    """The layer that classic rules look at: the first that is there."""
    there = set(layers)
    for layer in LAYERS:
        if layer in there:
            return layer
    return "window"


def category_of(classifier: Classifier, layers: Mapping[Layer, Mapping[str, Any]]) -> Path:
    """The category of what is in front, given as the data of each layer that there is."""
    places = np.full(1, NO_PLACE, dtype=np.int32)
    base = base_layer(layers)
    for layer, fields in layers.items():
        found = classifier.places(TextDictionary([canonical_json(fields)]), _FIRST, is_base=layer == base)
        np.maximum(places, found, out=places)
    return classifier.names[int(classifier.categories(places)[0])]


def _patterns(number: int, category: Category) -> list[tuple[PatternSource, str, bool, frozenset[str] | None]]:
    """The rules of a category: where each stands, its pattern, whether it ignores case, and the fields it looks at."""
    if not category.name:
        return []
    found: list[tuple[PatternSource, str, bool, frozenset[str] | None]] = []
    rule = category.rule
    if rule is not None and rule.regex:  # an empty pattern is in every text, and is only still to be written
        fields = None if rule.select_keys is None else frozenset(rule.select_keys)
        found.append((PatternSource(number, None), rule.regex, rule.ignore_case, fields))
    for place, condition in enumerate(category.conditions):
        named = _DERIVED.get(condition.field, condition.field)
        fields = None if condition.field == ANY_FIELD else frozenset((named,))
        found.append((PatternSource(number, place), pattern_of(condition), condition.ignore_case, fields))
    return found


def _sets(found: Tagged) -> list[frozenset[int]]:
    return [frozenset(map(int, numbers)) for numbers in found.tags]


def stated_field(field: str) -> str:
    """What conditions call a field."""
    return next((name for name, column in _DERIVED.items() if column == field), field)


def _rank(category: Category) -> int:
    given = category.priority
    if given is None and category.rule is not None:
        given = category.rule.priority
    return RANK_OF_A_LEVEL * len(category.name) if given is None else given


def fields_of(data: Dictionary) -> list[str]:
    """The fields that conditions look at: those of the data, and what follows from a URL among them."""
    return [*data.fields(), *(URL_PARTS if URL in data.fields() else ())]


def column_of(data: Dictionary, field: str) -> Column:
    """One of these fields."""
    if field in URL_PARTS:
        return UrlPart(data.column(URL), field).of(np.arange(len(data), dtype=np.int32))
    return data.column(field)


# Few: with all that it knows of texts, one may take tens of megabytes.
@lru_cache(maxsize=4)
def _classifier(encoded: bytes, skipped: frozenset[str]) -> Classifier:
    assert skipped == TIMER.skipped  # part of the key only: the classifier looks there itself
    return Classifier(msgspec.msgpack.decode(encoded, type=tuple[Category, ...]))


_request = msgspec.json.Decoder(NowCategoriesRequest)


def now_categories(request: bytes, source: ColumnSource) -> bytes:
    """The answer to a NowCategoriesRequest: a path for each of what is in front."""
    asked = _request.decode(request)
    classifier = Classifier.of(asked.categories)
    return msgspec.json.encode([category_of(classifier, front) for front in asked.fronts])
