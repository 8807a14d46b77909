"""All category rules of a query at once: the category and the tags of each event."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, cast

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import canonical_json
from dayline.query.errors import QueryFunctionError
from dayline.query.language.values import Value, kind_of
from dayline.query.patterns.limits import TIMER, SkippedRule
from dayline.query.patterns.matching import Combination, Expression, Matcher, expression
from dayline.query.patterns.python import PatternError
from dayline.storage.columns.source import MISSING, Codes, Column

RANK_OF_A_LEVEL = 10  # rank per level of a category's depth; explicit priorities replace it


class Rule(Struct, frozen=True, kw_only=True, eq=False):
    """One rule that may match. `number` is its index among the given rules."""

    number: int
    label: Sequence[str]  # the path of the category, or the tag alone
    expression: Expression
    fields: frozenset[str] | None  # None: every field
    rank: int


def category_rules(classes: Sequence[Value]) -> list[Rule]:
    """The rules of `categorize` that can match and win. Raises QueryFunctionError."""
    return [rule for rule in _read(classes, _category) if rule.label]


def tag_rules(classes: Sequence[Value]) -> list[Rule]:
    """The rules of `tag` that can match. Raises QueryFunctionError."""
    return _read(classes, _tag)


def _read(classes: Sequence[Value], read_label: Callable[[Value], list[str]]) -> list[Rule]:
    read = (_rule(number, pair, read_label) for number, pair in enumerate(classes))
    return [rule for rule in read if rule is not None]


def _rule(number: int, pair: Value, read_label: Callable[[Value], list[str]]) -> Rule | None:
    """Decode a pair; None if it never matches."""
    name = f"rule {number + 1}"
    try:
        label, rule = _halves(pair)
        labels = read_label(label)
        name = f"{name} ({' > '.join(labels)[:80]})"
        return _with_label(number, labels, rule)
    except _WrongRule as error:
        raise QueryFunctionError(f"{name}: {error.message}", hint=error.hint) from error
    except PatternError as error:
        raise QueryFunctionError(f"{name}: {error.message}", hint=error.hint) from error


class _WrongRule(Exception):
    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


_EXAMPLE = '{"type": "regex", "regex": "GitHub|vim"}'


def _halves(pair: Value) -> tuple[Value, dict[str, Value]]:
    hint = f'write each rule as a pair, such as [["Work", "Code"], {_EXAMPLE}]'
    if not isinstance(pair, list):
        raise _WrongRule(f"expected a pair of a category and a rule, not {kind_of(pair)}", hint)
    if len(pair) != 2:
        raise _WrongRule(f"expected a pair of a category and a rule, not a list of {len(pair)}", hint)
    label, rule = pair
    if not isinstance(rule, dict):
        raise _WrongRule(f"the rule must be a dict, not {kind_of(rule)}", hint)
    return label, rule


def _category(label: Value) -> list[str]:
    hint = 'write the path from the root, such as ["Work", "Code"]'
    if not isinstance(label, list):
        raise _WrongRule(f"the category must be a list of strings, not {kind_of(label)}", hint)
    return _strings(label, "the category", hint)


def _tag(label: Value) -> list[str]:
    if not isinstance(label, str):
        raise _WrongRule(f"the tag must be a string, not {kind_of(label)}", 'write the tag alone, such as "urgent"')
    return [label]


def _with_label(number: int, label: list[str], rule: dict[str, Value]) -> Rule | None:
    if not _is_regex(rule):
        return None
    regex = _regex(rule)
    ignore_case = rule.get("ignore_case", False)
    if not isinstance(ignore_case, bool):
        raise _WrongRule(f"ignore_case must be a boolean, not {kind_of(ignore_case)}", "write true or false")
    fields, rank = _fields(rule), _rank(rule, len(label))
    compiled = expression(regex, ignore_case=ignore_case)
    # An empty pattern matches every string: a category whose pattern is not written yet would match everything.
    return Rule(number=number, label=label, expression=compiled, fields=fields, rank=rank) if regex else None


def _is_regex(rule: dict[str, Value]) -> bool:
    kind = rule.get("type", "regex" if "regex" in rule else None)
    if kind == "regex":
        return True
    if kind == "none" or ("type" in rule and kind is None):
        return False
    hint = f'write {_EXAMPLE}, or {{"type": "none"}} for a category without a rule'
    if "type" not in rule:
        raise _WrongRule("the rule has neither a type nor a regex", hint)
    shown = repr(kind[:80]) if isinstance(kind, str) else kind_of(kind)
    raise _WrongRule(f"the type must be 'regex' or 'none', not {shown}", hint)


def _regex(rule: dict[str, Value]) -> str:
    if "regex" not in rule:
        raise _WrongRule("a rule of type regex must have a regex", f"write {_EXAMPLE}")
    regex = rule["regex"]
    if not isinstance(regex, str):
        raise _WrongRule(f"regex must be a string, not {kind_of(regex)}", f"write {_EXAMPLE}")
    return regex


def _fields(rule: dict[str, Value]) -> frozenset[str] | None:
    if "select_keys" not in rule:
        return None
    hint = 'write the keys to look at, such as ["title", "app"], or leave select_keys out to look at all'
    keys = rule["select_keys"]
    if not isinstance(keys, list):
        raise _WrongRule(f"select_keys must be a list of strings, not {kind_of(keys)}", hint)
    if not keys:
        raise _WrongRule("select_keys must name at least one key", hint)
    return frozenset(_strings(keys, "select_keys", hint))


def _rank(rule: dict[str, Value], depth: int) -> int:
    name = "priority" if "priority" in rule else "weight"
    if name not in rule:
        return RANK_OF_A_LEVEL * depth
    priority = rule[name]
    if isinstance(priority, bool) or not isinstance(priority, float | int) or not float(priority).is_integer():
        shown = f"{priority}" if isinstance(priority, float) else kind_of(priority)
        hint = f"leave it out for {RANK_OF_A_LEVEL} times the depth of the category"
        raise _WrongRule(f"{name} must be a whole number, not {shown}", hint)
    return int(priority)


def _strings(values: list[Value], name: str, hint: str) -> list[str]:
    strings = [value for value in values if isinstance(value, str)]
    if len(strings) < len(values):
        wrong = next(value for value in values if not isinstance(value, str))
        raise _WrongRule(f"{name} must be a list of strings, and one of them is {kind_of(wrong)}", hint)
    return strings


NO_RULE: Final = -1

_decode = msgspec.json.Decoder().decode


class Tagged(Struct, frozen=True, eq=False):
    """For each value which of the distinct lists of tags it has. Tags are sorted and distinct."""

    codes: Codes
    tags: list[list[str]]


class RuleSet:
    """Rules that belong together. Results for a string are cached as long as the rules and the string are."""

    def __init__(self, rules: Sequence[Rule], *, skipped: frozenset[str] = frozenset()) -> None:
        """All of the rules except those whose pattern is in `skipped`."""
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
        # The winner of several rules is the last in this order: by rank, then the later rule.
        ordered = sorted(rules, key=lambda rule: (rule.rank, rule.number))
        self._winners = np.array([NO_RULE, *(rule.number for rule in ordered)], dtype=np.int32)
        self._places = {rule.number: rank for rank, rule in enumerate(ordered, start=1)}

    @classmethod
    def of(cls, classes: list[Value]) -> "RuleSet":
        """The rules of `categorize`. Raises QueryFunctionError, naming the rule."""
        key, skipped = _key(classes), TIMER.skipped
        rules = _categories(key, skipped) if key is not None else cls(category_rules(classes), skipped=skipped)
        TIMER.note(rules.skipped)
        return rules

    @classmethod
    def of_tags(cls, classes: list[Value]) -> "RuleSet":
        """The rules of `tag`. Raises QueryFunctionError, naming the rule."""
        key, skipped = _key(classes), TIMER.skipped
        rules = _tags(key, skipped) if key is not None else cls(tag_rules(classes), skipped=skipped)
        TIMER.note(rules.skipped)
        return rules

    def winners(self, column_of: Callable[[str], Column], fields: Sequence[str], values: Codes) -> Codes:
        """For each value the number of the winning rule, NO_RULE if none matches."""
        best = np.zeros(len(values), dtype=np.int32)
        for field in fields:
            rules = self._rules_of(field)
            if rules.rules:
                np.maximum(best, rules.best(column_of(field), values, self._places), out=best)
        return self._winners[best]

    def matches(self, column_of: Callable[[str], Column], fields: Sequence[str], values: Codes) -> Tagged:
        """For each value the tags of all matching rules."""
        numbers: dict[frozenset[str], int] = {frozenset(): 0}
        codes = np.zeros(len(values), dtype=np.int32)
        for field in fields:
            rules = self._rules_of(field)
            if not rules.rules:
                continue
            combinations = rules.combinations(column_of(field), values)
            size = len(rules.matcher.combinations)
            pairs, inverse = np.unique(codes.astype(np.int64) * size + combinations, return_inverse=True)
            known = list(numbers)
            distinct: list[int] = pairs.tolist()
            joined = [known[pair // size] | rules.tags(pair % size) for pair in distinct]
            codes = np.array([numbers.setdefault(tags, len(numbers)) for tags in joined], dtype=np.int32)[inverse]
        return Tagged(codes, [sorted(tags) for tags in numbers])

    def _rules_of(self, field: str) -> "_FieldRules":
        # All fields that no rule names share one search and its cache.
        key = field if field in self._named else None
        rules = self._by_field.get(key)
        if rules is None:
            looking = [rule for rule in self._rules if rule.fields is None or key in rule.fields]
            rules = self._by_field[key] = _FieldRules(looking)
        return rules


class _FieldRules:
    """The rules that apply to a field."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.matcher = Matcher([rule.expression for rule in rules])
        self._best: list[int] = []

    def best(self, column: Column, values: Codes, places: dict[int, int]) -> Codes:
        """For each value the highest position of the matching rules, 0 if there is none."""
        combinations = self.combinations(column, values)
        for combination in self.matcher.combinations[len(self._best) :]:
            self._best.append(max((places[self.rules[each].number] for each in combination), default=0))
        return np.array(self._best, dtype=np.int32)[combinations]

    def combinations(self, column: Column, values: Codes) -> Codes:
        """For each value the number of the matcher's combination, 0 (none) if it lacks the field."""
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
    """The rules as text, for caching; None if something in them is not JSON, such as events."""
    try:
        return canonical_json(classes)
    except (TypeError, ValueError):
        return None


# Few: a set of rules with its cache may take tens of megabytes.
@lru_cache(maxsize=8)
def _categories(key: bytes, skipped: frozenset[str]) -> RuleSet:
    return RuleSet(category_rules(cast("list[Value]", _decode(key))), skipped=skipped)


@lru_cache(maxsize=8)
def _tags(key: bytes, skipped: frozenset[str]) -> RuleSet:
    return RuleSet(tag_rules(cast("list[Value]", _decode(key))), skipped=skipped)
