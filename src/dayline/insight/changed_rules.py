"""A changed rule set beside the current one: only rules that are new are looked for. Only query processes import this.

What the current rules match is known from earlier answers; a preview at every key would else search a hundred thousand
titles for all of them again.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Combinations
from dayline.insight.classify import NO_PLACE, Classifier, Matching
from dayline.model.categories import Category, Path
from dayline.query.rule_parsing import Rule
from dayline.storage.columns.source import Codes

_Look: TypeAlias = tuple[bool, bool, str, frozenset[str] | None]  # all that decides what a rule matches


class Assigned(Struct, frozen=True, eq=False):
    """For each recorded combination its category by a rule set, and all rules of that set that match it."""

    categories: Codes  # numbers of `names`
    names: Sequence[Path]
    matching: Matching


def assigned(combinations: Combinations, current: Classifier, changed: Classifier) -> Assigned:
    """What the changed rules make of combinations, of which the current ones are known."""
    known = {_look(current, rule): rule.number for rule in current.rules}
    new = [rule for rule in changed.rules if _look(changed, rule) not in known]
    matching = _renumbered(combinations.matching(current), current, changed)
    if new:
        matching = matching.joined(_new_matching(combinations, changed, new))
    places = [
        max((changed.place_of(changed.rules[number]) for number in numbers), default=NO_PLACE)
        for numbers in matching.sets
    ]
    categories = changed.categories(np.array(places, dtype=np.int32))
    return Assigned(categories[matching.codes], changed.names, matching)


def _renumbered(matching: Matching, current: Classifier, changed: Classifier) -> Matching:
    """What the current rules match, told by the rules of the changed set that look for the same."""
    alike: dict[_Look, list[int]] = {}
    for rule in changed.rules:
        alike.setdefault(_look(changed, rule), []).append(rule.number)
    now = {rule.number: alike.get(_look(current, rule), []) for rule in current.rules}
    return Matching(
        matching.codes, [frozenset(each for number in numbers for each in now[number]) for numbers in matching.sets]
    )


def _new_matching(combinations: Combinations, changed: Classifier, new: Sequence[Rule]) -> Matching:
    classifier = Classifier([_alone(changed, rule) for rule in new])
    found = combinations.matching(classifier)
    return Matching(found.codes, [frozenset(new[number].number for number in numbers) for numbers in found.sets])


def _alone(classifier: Classifier, rule: Rule) -> Category:
    """A category that has one rule of another, and nothing else."""
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
