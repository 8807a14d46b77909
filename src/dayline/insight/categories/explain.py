"""Explains a category: every matching rule, and the text that it matched. Only query processes import this.

Checks rule by rule with `re`, while the classifier checks all at once. Both must always agree.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.active.pieces import active_pieces
from dayline.insight.categories.classify import Classifier, base_layer, column_of, fields_of, stated_field
from dayline.insight.categories.events import BucketEvents, EventCategories
from dayline.insight.categories.model import Explanation, LostBy, RuleMatch
from dayline.insight.categories.tasks import EventToExplain, ExplainTask
from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest, Scope
from dayline.model.category import UNCATEGORIZED
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound
from dayline.query.patterns.rules import Rule
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import MISSING, Column, ColumnSource, Dictionary


class _Found(Struct, frozen=True):
    """A match of a rule."""

    rule: Rule
    layer: Layer
    field: str
    match: re.Match[str]


def explanation(classifier: Classifier, layers: Mapping[Layer, Mapping[str, Any]]) -> Explanation:
    """Why the data of these layers has its category."""
    data: dict[Layer, Dictionary] = {
        layer: TextDictionary([canonical_json(fields)]) for layer, fields in layers.items()
    }
    matches = [match for rule in classifier.rules if (match := _first_match(classifier, rule, data)) is not None]
    matches.sort(key=lambda match: classifier.place_of(match.rule), reverse=True)
    if not matches:
        return Explanation(category=UNCATEGORIZED, winner=None, others=[])
    winner = matches[0]
    return Explanation(
        category=classifier.all[classifier.sources[winner.rule.number].category].name,
        winner=_rule_match(classifier, winner, None),
        others=[_rule_match(classifier, each, _lost_by(classifier, winner.rule, each.rule)) for each in matches[1:]],
    )


def explain_category(task: ExplainTask, source: ColumnSource) -> Explanation:
    """The task: why something has its category, without patterns for callers who may not see them."""
    explained = _explain(task, source)
    return explained if task.shows_patterns else _without_patterns(explained)


def _explain(task: ExplainTask, source: ColumnSource) -> Explanation:
    layers = task.layers if task.event is None else _layers_of(task.event, task.common.scope, source)
    if layers is None:
        return _at_moment(task.common, source)
    return replace(explanation(Classifier.of(task.common.scope.categories), layers), data=layers)


def _without_patterns(explained: Explanation) -> Explanation:
    return replace(
        explained,
        winner=replace(explained.winner, pattern="") if explained.winner else None,
        others=[replace(other, pattern="") for other in explained.others],
    )


def _layers_of(event: EventToExplain, scope: Scope, source: ColumnSource) -> dict[Layer, dict[str, Any]]:
    """The data that decides the category of an event: its own, and what was active with it."""
    bucket = next((each for each in source.buckets() if each.id == event.bucket), None)
    if bucket is None:  # deleted concurrently
        raise BucketNotFound(event.bucket)
    events = BucketEvents(
        bucket,
        np.array([event.start]),
        np.array([event.end]),
        np.zeros(1, dtype=np.int32),
        TextDictionary([canonical_json(event.data)]),
    )
    return EventCategories(source, scope).layers(events)


def _at_moment(common: CommonRequest, source: ColumnSource) -> Explanation:
    """Explain the category of what was active at the start of the range."""
    pieces = active_pieces(source, common.scope, common.start, common.end, common)
    if not len(pieces):
        return Explanation(category=UNCATEGORIZED, winner=None, others=[], is_active=False)
    number = int(pieces.combination[0])
    texts = pieces.combinations.data(number)
    data: dict[Layer, dict[str, Any]] = {layer: msgspec.json.decode(text) for layer, text in texts.items()}
    explained = replace(explanation(Classifier.of(common.scope.categories), data), data=data)
    annotation = pieces.combinations.annotation(number)
    if annotation is None:
        return explained
    others = [*([replace(explained.winner, lost_by="annotation")] if explained.winner else []), *explained.others]
    category = annotation.category or UNCATEGORIZED
    return replace(explained, category=category, winner=None, others=others, annotation=annotation.id)


def _first_match(classifier: Classifier, rule: Rule, data: Mapping[Layer, Dictionary]) -> _Found | None:
    is_classic, base = classifier.is_classic(rule), base_layer(data)
    for layer, dictionary in data.items():
        if is_classic and layer != base:
            continue
        for field, text in _classic_texts(dictionary) if is_classic else _texts(dictionary):
            hit = rule.expression.search(text) if rule.fields is None or field in rule.fields else None
            if hit is not None:
                return _Found(rule, layer, field, hit)
    return None


def _texts(data: Dictionary) -> Iterator[tuple[str, str]]:
    """The texts that conditions check."""
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


def _rule_match(classifier: Classifier, match: _Found, lost_by: LostBy | None) -> RuleMatch:
    source = classifier.sources[match.rule.number]
    category = classifier.all[source.category]
    return RuleMatch(
        category=category.name,
        condition=source.condition,
        pattern=match.rule.expression.text if source.condition is None else category.conditions[source.condition].value,
        op="regex" if source.condition is None else category.conditions[source.condition].op,
        layer=match.layer,
        field=stated_field(match.field),
        text=match.match.string,
        start=match.match.start(),
        end=match.match.end(),
        priority=match.rule.rank,
        lost_by=lost_by,
    )
