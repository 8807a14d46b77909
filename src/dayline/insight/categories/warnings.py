"""Likely mistakes in changed rules: they match nothing, never win, match too much, or are slow.

Only new rules are searched for. What the current rules match is cached; otherwise a preview would search a hundred
thousand titles for all rules at every keystroke. Only query processes import this.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.insight.active.combinations import Combinations
from dayline.insight.active.pieces import Pieces
from dayline.insight.categories.classify import NO_PLACE, Classifier, Matching, PatternSource, column_of, fields_of
from dayline.insight.categories.model import PreviewWarning, WarningKind
from dayline.insight.categories.tasks import CheckPatternsTask, PatternToCheck, SlowPattern
from dayline.insight.now.buckets import layer_of
from dayline.model.category import UNCATEGORIZED, Category, Path
from dayline.model.time import SECOND
from dayline.query.patterns.limits import TIMER, PatternTooSlow, SkippedRule
from dayline.query.patterns.matching import Matcher, expression
from dayline.query.patterns.python import shortened
from dayline.query.patterns.rules import Rule
from dayline.storage.columns.source import Codes, ColumnSource, Flags, Items, ReadReport, Times

_Look: TypeAlias = tuple[bool, bool, str, frozenset[str] | None]  # everything that decides what a rule matches

_BROAD: Final = 0.1  # share of the time of another category
_MIN_TIME: Final = 60 * SECOND  # shorter time is not worth a warning


class Assignment(Struct, frozen=True, eq=False):
    """The category of each recorded combination by a rule set, and all matching rules of that set."""

    categories: Codes  # indices of `names`
    names: Sequence[Path]
    matching: Matching


def assign(combinations: Combinations, current: Classifier, changed: Classifier) -> Assignment:
    """Classify combinations by the changed rules, reusing the results of the current ones."""
    known = {_look(current, rule): rule.number for rule in current.rules}
    new = [rule for rule in changed.rules if _look(changed, rule) not in known]
    matching = _renumber_rules(combinations.matching(current), current, changed)
    if new:
        matching = matching.union(_new_matching(combinations, changed, new))
    places = [
        max((changed.place_of(changed.rules[number]) for number in numbers), default=NO_PLACE)
        for numbers in matching.sets
    ]
    categories = changed.categories(np.array(places, dtype=np.int32))
    return Assignment(categories[matching.codes], changed.names, matching)


def _renumber_rules(matching: Matching, current: Classifier, changed: Classifier) -> Matching:
    """The matches of the current rules, as numbers of the equal rules in the changed set."""
    alike: dict[_Look, list[int]] = {}
    for rule in changed.rules:
        alike.setdefault(_look(changed, rule), []).append(rule.number)
    now = {rule.number: alike.get(_look(current, rule), []) for rule in current.rules}
    return Matching(
        matching.codes, [frozenset(each for number in numbers for each in now[number]) for numbers in matching.sets]
    )


def _new_matching(combinations: Combinations, changed: Classifier, new: Sequence[Rule]) -> Matching:
    classifier = Classifier([_alone(changed, rule) for rule in new])
    matching = combinations.matching(classifier)
    return Matching(matching.codes, [frozenset(new[number].number for number in numbers) for numbers in matching.sets])


def _alone(classifier: Classifier, rule: Rule) -> Category:
    """A category that has only this rule."""
    source = classifier.sources[rule.number]
    category = classifier.all[source.category]
    if source.condition is None:
        return Category(id=0, name=category.name, rule=category.rule)
    return Category(id=0, name=category.name, conditions=(category.conditions[source.condition],))


def _look(classifier: Classifier, rule: Rule) -> _Look:
    source = classifier.sources[rule.number]
    category = classifier.all[source.category]
    if source.condition is not None:
        ignore_case = category.conditions[source.condition].ignore_case
    else:
        ignore_case = category.rule is not None and category.rule.ignore_case
    return source.condition is None, ignore_case, rule.expression.text, rule.fields


class _Time(Struct, frozen=True, eq=False):
    """The time of each recorded combination, with its category before and after the change."""

    time: Times
    now: Codes
    names: Sequence[Path]
    new: Assignment


def warnings_of(
    current: Classifier, changed: Classifier, pieces: Pieces, now: Codes, names: Sequence[Path], new: Assignment
) -> list[PreviewWarning]:
    """Warnings about categories whose rules have changed."""
    time = np.zeros(len(pieces.combinations), dtype=np.int64)
    np.add.at(time, pieces.combination, pieces.duration)
    count = pieces.combinations.recorded_count
    spent = _Time(time[:count], now[:count], names, new)
    known = {_content_of(category) for category in current.all}
    warnings: list[PreviewWarning] = []
    for number, category in enumerate(changed.all):
        if _content_of(category) not in known:
            rules = [rule for rule in changed.rules if changed.sources[rule.number].category == number]
            warnings.extend(_about_rules(changed, category, rules, spent))
            warnings.extend(_too_broad(category, rules, spent))
    warnings.extend(_slow_warning(rule) for rule in changed.skipped)
    return warnings


def _slow_warning(rule: SkippedRule) -> PreviewWarning:
    return PreviewWarning(
        kind="slow",
        category=rule.label,
        condition=None,
        other=None,
        share=None,
        message=f"the regular expression {shortened(rule.pattern)} takes too long for a title and is skipped",
    )


def _about_rules(
    changed: Classifier, category: Category, rules: Sequence[Rule], spent: _Time
) -> Iterator[PreviewWarning]:
    for rule in rules:
        source = changed.sources[rule.number]
        if rule.expression.translation is None:
            yield _warning("slow", category, source, "it needs Python's re, which takes many times as long")
        time = np.where(_matches(spent.new, {rule.number}), spent.time, 0)
        if not time.any():
            yield _warning("never_matches", category, source, "it matches nothing in this range")
            continue
        winners = np.zeros(len(spent.new.names), dtype=np.int64)
        np.add.at(winners, spent.new.categories, time)
        largest = int(winners.argmax())
        names = list(spent.new.names)
        if category.name not in names or not winners[names.index(category.name)]:
            other = names[largest]
            message = f"all that it matches goes to other categories, mostly to {' > '.join(other)}"
            yield _warning("shadowed", category, source, message, other=other)


def _too_broad(category: Category, rules: Sequence[Rule], spent: _Time) -> Iterator[PreviewWarning]:
    if not rules:
        return
    is_matched = _matches(spent.new, {rule.number for rule in rules})
    whole = _sums(spent.now, spent.time, len(spent.names))
    matched = _sums(spent.now, np.where(is_matched, spent.time, 0), len(spent.names))
    for number, name in enumerate(spent.names):
        if name in (UNCATEGORIZED, category.name) or _are_related(name, category.name):
            continue
        if whole[number] >= _MIN_TIME and matched[number] >= _BROAD * whole[number]:
            share = int(matched[number]) / int(whole[number])
            message = f"it also matches {share:.0%} of {' > '.join(name)}"
            yield _warning("too_broad", category, None, message, other=name, share=share)


def _matches(new: Assignment, rules: set[int]) -> Flags:
    has = np.array([not numbers.isdisjoint(rules) for numbers in new.matching.sets], dtype=np.bool_)
    return has[new.matching.codes]


def _sums(codes: Codes, time: Times, size: int) -> npt.NDArray[np.int64]:
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, codes, time)
    return sums


def _are_related(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _content_of(category: Category) -> tuple[object, ...]:
    return category.name, category.rule, category.conditions, category.priority


def _warning(
    kind: WarningKind,
    category: Category,
    source: PatternSource | None,
    message: str,
    *,
    other: Path | None = None,
    share: float | None = None,
) -> PreviewWarning:
    return PreviewWarning(
        kind=kind,
        category=category.name,
        condition=None if source is None else source.condition,
        other=other,
        share=share,
        message=message,
    )


def check_patterns(task: CheckPatternsTask, source: ColumnSource) -> list[SlowPattern]:
    """The task: the patterns that are too slow for what was recorded."""
    doubtful = [(number, pattern) for number, pattern in enumerate(task.patterns) if _may_backtrack(pattern)]
    searched = list(_searched_items(task, source)) if doubtful else []
    verdicts = [_slow(number, pattern, searched) for number, pattern in doubtful]
    return [each for each in verdicts if each is not None]


def _may_backtrack(pattern: PatternToCheck) -> bool:
    """Whether some texts are searched by `re`. The time of RE2 is linear in the length of the text."""
    translation = expression(pattern.text, ignore_case=pattern.ignore_case).translation
    return translation is None or not translation.is_exact


def _searched_items(task: CheckPatternsTask, source: ColumnSource) -> Iterator[Items]:
    """The items of every field that rules can check."""
    for bucket in source.buckets():
        if layer_of(bucket.type) is not None:
            data = source.events(bucket.id, task.start, task.end, ReadReport()).dictionary
            yield from (column_of(data, field).items for field in fields_of(data))


def _slow(number: int, pattern: PatternToCheck, searched: list[Items]) -> SlowPattern | None:
    if pattern.text in TIMER.skipped:
        return SlowPattern(number=number, text="")
    matcher = Matcher([expression(pattern.text, ignore_case=pattern.ignore_case)])
    try:
        for items in searched:
            matcher.answers(items, np.arange(len(items), dtype=np.int32))
    except PatternTooSlow as error:
        return SlowPattern(number=number, text=error.text)
    return None
