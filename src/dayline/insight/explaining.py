"""Why something has its category: every rule that matches, and what it found. Only query processes import this.

Rule by rule with `re`, where the classifier looks for all at once: the two must always agree.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from msgspec import Struct

from dayline.insight.category_answers import Explanation, LostBy, RuleMatch
from dayline.insight.classify import NO_PLACE, Classifier, Layer, column_of, fields_of, stated_field
from dayline.model.categories import UNCATEGORIZED, Category
from dayline.model.data import canonical_json
from dayline.query.rule_parsing import Rule
from dayline.storage.columns import MISSING, Column, Dictionary, TextDictionary

_FIRST = np.zeros(1, dtype=np.int32)


class _Found(Struct, frozen=True):
    """Where a rule has found something."""

    rule: Rule
    layer: Layer
    field: str
    match: re.Match[str]


def explanation(categories: tuple[Category, ...], layers: Mapping[Layer, Mapping[str, Any]]) -> Explanation:
    """Why this, given as the data of each layer that there is, has its category."""
    classifier = Classifier.of(categories)
    data: dict[Layer, Dictionary] = {
        layer: TextDictionary([canonical_json(fields)]) for layer, fields in layers.items()
    }
    found = [match for rule in classifier.rules if (match := _first_match(classifier, rule, data)) is not None]
    found.sort(key=lambda match: classifier.place_of(match.rule), reverse=True)
    if not found:
        return Explanation(category=UNCATEGORIZED, winner=None, others=[])
    winner = found[0]
    return Explanation(
        category=categories[classifier.sources[winner.rule.number].category].name,
        winner=_stated(classifier, categories, winner, None),
        others=[
            _stated(classifier, categories, each, _lost_by(classifier, winner.rule, each.rule)) for each in found[1:]
        ],
    )


def category_of(categories: tuple[Category, ...], layers: Mapping[Layer, Mapping[str, Any]]) -> tuple[str, ...]:
    """The category by the classifier, which looks for all rules at once."""
    classifier = Classifier.of(categories)
    places = np.full(1, NO_PLACE, dtype=np.int32)
    for layer, fields in layers.items():
        np.maximum(places, classifier.places(layer, TextDictionary([canonical_json(fields)]), _FIRST), out=places)
    return classifier.names[int(classifier.categories(places)[0])]


def _first_match(classifier: Classifier, rule: Rule, data: Mapping[Layer, Dictionary]) -> _Found | None:
    is_classic = classifier.is_classic(rule)
    for layer, dictionary in data.items():
        if is_classic and layer != "window":
            continue
        for field, text in _classic_texts(dictionary) if is_classic else _texts(dictionary):
            found = rule.expression.is_found_in(text) if rule.fields is None or field in rule.fields else None
            if found is not None:
                return _Found(rule, layer, field, cast("re.Match[str]", found))
    return None


def _texts(data: Dictionary) -> Iterator[tuple[str, str]]:
    """What conditions look at."""
    for field in fields_of(data):
        yield from _text(field, column_of(data, field))


def _classic_texts(data: Dictionary) -> Iterator[tuple[str, str]]:
    for field in data.fields():
        yield from _text(field, data.column(field))


def _text(field: str, column: Column) -> Iterator[tuple[str, str]]:
    code = int(column.codes[0])
    if code != MISSING and column.items.is_string[code]:
        yield field, column.items.raw(code).decode()


def _lost_by(classifier: Classifier, winner: Rule, other: Rule) -> LostBy:
    if classifier.sources[winner.number].category == classifier.sources[other.number].category:
        return "same category"
    return "priority" if other.rank < winner.rank else "order"


def _stated(
    classifier: Classifier, categories: tuple[Category, ...], found: _Found, lost_by: LostBy | None
) -> RuleMatch:
    source = classifier.sources[found.rule.number]
    category = categories[source.category]
    return RuleMatch(
        category=category.name,
        condition=source.condition,
        pattern=found.rule.expression.text if source.condition is None else category.conditions[source.condition].value,
        op="regex" if source.condition is None else category.conditions[source.condition].op,
        layer=found.layer,
        field=stated_field(found.field),
        text=found.match.string,
        start=found.match.start(),
        end=found.match.end(),
        priority=found.rule.rank,
        lost_by=lost_by,
    )
