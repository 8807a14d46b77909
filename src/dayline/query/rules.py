"""All rules of a query at once: which category each event gets, and which tags."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, cast

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import canonical_json
from dayline.query.matching import Combination, Matcher
from dayline.query.rule_parsing import Rule, category_rules, tag_rules
from dayline.query.slow_patterns import TIMER, SkippedRule
from dayline.query.values import Value
from dayline.storage.columns.source import MISSING, Codes, Column

NO_RULE: Final = -1

_decode = msgspec.json.Decoder().decode


class Tagged(Struct, frozen=True, eq=False):
    """For each value which of the distinct lists of tags it has. Tags are sorted, each once."""

    codes: Codes
    tags: list[list[str]]


class RuleSet:
    """Rules that belong together. What they say of a string is kept for as long as they and the string are."""

    def __init__(self, rules: Sequence[Rule], *, skipped: frozenset[str] = frozenset()) -> None:
        """All of the rules but those whose pattern is among `skipped`."""
        self.skipped = [
            SkippedRule(label=tuple(rule.label), pattern=rule.expression.text)
            for rule in rules
            if rule.expression.text in skipped
        ]
        rules = [rule for rule in rules if rule.expression.text not in skipped]
        self._rules = rules
        self._named = frozenset(field for rule in rules for field in rule.fields or ())
        self._by_field: dict[str | None, _FieldRules] = {}
        self.fallbacks = list(
            dict.fromkeys(rule.expression.text for rule in rules if rule.expression.translation is None)
        )
        # The winner of several rules is the last in this order: by rank, and of equal ones the later rule.
        ordered = sorted(rules, key=lambda rule: (rule.rank, rule.number))
        self._winners = np.array([NO_RULE, *(rule.number for rule in ordered)], dtype=np.int32)
        self._places = {rule.number: place for place, rule in enumerate(ordered, start=1)}

    @classmethod
    def of(cls, classes: list[Value]) -> "RuleSet":
        """The rules of `categorize`. Raises QueryFunctionError, naming the rule."""
        key, skipped = _key(classes), TIMER.skipped
        found = _categories(key, skipped) if key is not None else cls(category_rules(classes), skipped=skipped)
        TIMER.note(found.skipped)
        return found

    @classmethod
    def of_tags(cls, classes: list[Value]) -> "RuleSet":
        """The rules of `tag`. Raises QueryFunctionError, naming the rule."""
        key, skipped = _key(classes), TIMER.skipped
        found = _tags(key, skipped) if key is not None else cls(tag_rules(classes), skipped=skipped)
        TIMER.note(found.skipped)
        return found

    def winners(self, column_of: Callable[[str], Column], fields: Sequence[str], values: Codes) -> Codes:
        """For each value the number of the rule that wins, NO_RULE where none matches."""
        best = np.zeros(len(values), dtype=np.int32)
        for field in fields:
            rules = self._rules_of(field)
            if rules.rules:
                np.maximum(best, rules.best(column_of(field), values, self._places), out=best)
        return self._winners[best]

    def matches(self, column_of: Callable[[str], Column], fields: Sequence[str], values: Codes) -> Tagged:
        """For each value the tags of all rules that match."""
        numbers: dict[frozenset[str], int] = {frozenset(): 0}
        codes = np.zeros(len(values), dtype=np.int32)
        for field in fields:
            rules = self._rules_of(field)
            if not rules.rules:
                continue
            found = rules.combinations(column_of(field), values)
            size = len(rules.matcher.combinations)
            pairs, inverse = np.unique(codes.astype(np.int64) * size + found, return_inverse=True)
            known = list(numbers)
            distinct: list[int] = pairs.tolist()
            joined = [known[pair // size] | rules.tags(pair % size) for pair in distinct]
            codes = np.array([numbers.setdefault(tags, len(numbers)) for tags in joined], dtype=np.int32)[inverse]
        return Tagged(codes, [sorted(tags) for tags in numbers])

    def _rules_of(self, field: str) -> "_FieldRules":
        # All fields that no rule names share one search, and what it knows.
        key = field if field in self._named else None
        rules = self._by_field.get(key)
        if rules is None:
            looking = [rule for rule in self._rules if rule.fields is None or key in rule.fields]
            rules = self._by_field[key] = _FieldRules(looking)
        return rules


class _FieldRules:
    """The rules that look at a field."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.matcher = Matcher([rule.expression for rule in rules])
        self._best: list[int] = []

    def best(self, column: Column, values: Codes, places: dict[int, int]) -> Codes:
        """For each value the highest place of the rules found in it, 0 where there is none."""
        combinations = self.combinations(column, values)
        for combination in self.matcher.combinations[len(self._best) :]:
            self._best.append(max((places[self.rules[each].number] for each in combination), default=0))
        return np.array(self._best, dtype=np.int32)[combinations]

    def combinations(self, column: Column, values: Codes) -> Codes:
        """For each value the number of the matcher's combination, 0 (none found) where it lacks the field."""
        codes = column.codes[values]
        is_there = codes != MISSING
        present = codes[is_there]
        is_needed = np.zeros(len(column.items), dtype=np.bool_)
        is_needed[present] = True
        answers = self.matcher.answers(column.items, np.flatnonzero(is_needed).astype(np.int32))
        combinations = np.zeros(len(values), dtype=np.int32)
        combinations[is_there] = answers[present]
        return combinations

    def tags(self, number: int) -> frozenset[str]:
        """The tags of the rules of a combination."""
        combination: Combination = self.matcher.combinations[number]
        return frozenset(label for each in combination for label in self.rules[each].label)


def _key(classes: list[Value]) -> bytes | None:
    """The rules as text, to know them again; None where something in them is no JSON, such as events."""
    try:
        return canonical_json(classes)
    except (TypeError, ValueError):
        return None


# Few: a set of rules with all it knows may take tens of megabytes.
@lru_cache(maxsize=8)
def _categories(key: bytes, skipped: frozenset[str]) -> RuleSet:
    return RuleSet(category_rules(cast("list[Value]", _decode(key))), skipped=skipped)


@lru_cache(maxsize=8)
def _tags(key: bytes, skipped: frozenset[str]) -> RuleSet:
    return RuleSet(tag_rules(cast("list[Value]", _decode(key))), skipped=skipped)
