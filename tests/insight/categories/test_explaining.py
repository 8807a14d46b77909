"""Why something has its category: explaining agrees with categorizing, and conditions mean what they say."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.insight.categories.classify import NO_PLACE, Classifier, base_layer, category_of
from dayline.insight.categories.explain import explanation
from dayline.insight.now.model import Layer
from dayline.model.category import Category, ClassicRule, Condition, Operator
from dayline.model.data import canonical_json
from dayline.query.functions.categories import CATEGORY, categorize
from dayline.storage.columns.dictionaries import TextDictionary
from tests.insight.categories import rule_sets
from tests.query.reference.events import Event
from tests.support.query.tables import context_of, events_of, table_of

Layers = dict[Layer, dict[str, Any]]


@given(st.lists(rule_sets.categories, max_size=6).map(tuple), rule_sets.layers)
def test_explaining_and_categorizing_agree(categories: tuple[Category, ...], layers: Layers) -> None:
    reported = explanation(Classifier.of(categories), layers)

    assert reported.category == category_of(Classifier.of(categories), layers)
    for match in [*([reported.winner] if reported.winner else []), *reported.others]:
        assert 0 <= match.start <= match.end <= len(match.text)
    assert (reported.winner is None) == (reported.category == ("Uncategorized",))


@given(st.lists(rule_sets.categories, min_size=1, max_size=6).map(tuple), rule_sets.layers)
def test_the_rule_that_is_reported_is_the_one_that_the_classifier_took(
    categories: tuple[Category, ...], layers: Layers
) -> None:
    reported, classifier = explanation(Classifier.of(categories), layers), Classifier.of(categories)
    places = [place_in(classifier, data, is_base=layer == base_layer(layers)) for layer, data in layers.items()]
    ordered = sorted(classifier.rules, key=lambda rule: (rule.rank, rule.number))
    source = [None, *(classifier.sources[rule.number] for rule in ordered)][max(places, default=NO_PLACE)]

    assert (source is None) == (reported.winner is None)
    if source is not None and reported.winner is not None:
        assert (reported.winner.category, reported.winner.condition) == (
            categories[source.category].name,
            source.condition,
        )


@given(st.lists(rule_sets.classic_categories, max_size=6).map(tuple), rule_sets.windows)
def test_classic_rules_alone_give_what_queries_give(categories: tuple[Category, ...], window: dict[str, Any]) -> None:
    [event] = events_of(categorize(context_of({}), table_of([Event(0, 1, window, None)]), classes_of(categories)))

    assert explanation(Classifier.of(categories), {"window": window}).category == tuple(event.data[CATEGORY])


@pytest.mark.parametrize("op", ["is", "has", "starts", "ends", "word"])
@given(value=st.text("aAbB. +é\n", min_size=1, max_size=3), text=st.text("aAbB. +é\n", max_size=8), fold=st.booleans())
def test_a_condition_means_what_it_says(op: Operator, value: str, text: str, fold: bool) -> None:
    condition = Condition(field="title", op=op, value=value, ignore_case=fold)
    category = Category(id=0, name=("A",), conditions=(condition,))
    reported = explanation(Classifier.of((category,)), {"window": {"title": text}})

    assert (reported.winner is not None) == plainly(op, *((value.lower(), text.lower()) if fold else (value, text)))


def plainly(op: Operator, value: str, text: str) -> bool:
    """What an operator says, by the methods of strings."""
    match op:
        case "is":
            return text == value
        case "has":
            return value in text
        case "starts":
            return text.startswith(value)
        case "ends":
            return text.endswith(value)
        case "word":
            starts = [place for place in range(len(text)) if text.startswith(value, place)]
            return any(is_apart(text, place, place + len(value)) for place in starts)
        case "regex":
            return re.search(value, text) is not None


def is_apart(text: str, start: int, end: int) -> bool:
    """Whether no word continues before or behind a part of a text."""
    continues_before = start > 0 and is_letter(text[start - 1]) and is_letter(text[start])
    continues_behind = end < len(text) and is_letter(text[end]) and is_letter(text[end - 1])
    return not continues_before and not continues_behind


def is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def test_the_matching_piece_is_reported() -> None:
    docs = Condition(field="domain", op="is", value="docs.python.org")
    reported = explanation(
        Classifier.of((Category(id=0, name=("Work", "Docs"), conditions=(docs,)),)),
        {"window": {"app": "Firefox"}, "tab": {"url": "https://docs.python.org/3/library/re.html"}},
    )

    assert reported.category == ("Work", "Docs")
    assert reported.winner is not None
    assert (reported.winner.layer, reported.winner.field, reported.winner.text) == ("tab", "domain", "docs.python.org")
    assert (reported.winner.start, reported.winner.end, reported.winner.op) == (0, 15, "is")


def test_losing_rules_are_reported_with_the_reason() -> None:
    work = Category(id=0, name=("Work",), rule=ClassicRule(regex="ref"))
    early = Category(id=1, name=("Work", "Early"), rule=ClassicRule(regex="rfc", ignore_case=True))
    late = Category(
        id=2,
        name=("Work", "Late"),
        rule=ClassicRule(regex="RFC"),
        conditions=(Condition(field="title", op="word", value="9110"),),
    )
    reported = explanation(Classifier.of((work, early, late)), {"window": {"title": "RFC 9110, a reference"}})

    assert reported.winner is not None
    assert (reported.winner.category, reported.winner.condition) == (("Work", "Late"), 0)
    assert [(each.category, each.condition, each.lost_by) for each in reported.others] == [
        (("Work", "Late"), None, "same category"),
        (("Work", "Early"), None, "order"),
        (("Work",), None, "priority"),
    ]


def test_a_priority_goes_before_depth() -> None:
    shallow = Category(id=0, name=("Media",), rule=ClassicRule(regex="x"), priority=100)
    deep = Category(id=1, name=("Work", "Code", "Tests"), rule=ClassicRule(regex="x"))

    assert explanation(Classifier.of((shallow, deep)), {"window": {"title": "x"}}).category == ("Media",)


def test_a_classic_rule_looks_at_the_window_or_at_what_there_is_without_one() -> None:
    rule = Category(id=0, name=("Docs",), rule=ClassicRule(regex="^docs"))
    docs, other = {"title": "docs"}, {"title": "other"}

    def is_found(layers: Layers) -> bool:
        return explanation(Classifier.of((rule,)), layers).winner is not None

    assert is_found({"window": docs, "tab": other})
    assert not is_found({"window": other, "tab": docs})
    assert is_found({"tab": docs})
    assert is_found({"file": docs})


def test_a_classic_rule_does_not_look_at_parts_of_a_url() -> None:
    rule = Category(id=0, name=("Docs",), rule=ClassicRule(regex="^docs"))

    assert explanation(Classifier.of((rule,)), {"window": {"url": "https://docs.python.org/docs"}}).winner is None


def test_a_bad_rule_leaves_the_others_in_force() -> None:
    bad = Category(id=0, name=("Bad",), rule=ClassicRule(regex="(x"))
    good = Category(id=1, name=("Good",), rule=ClassicRule(regex="x"))
    classifier = Classifier.of((bad, good))

    assert explanation(Classifier.of((bad, good)), {"window": {"title": "x"}}).category == ("Good",)
    assert [(fault.source.category, fault.position) for fault in classifier.faults] == [(0, 0)]


def classes_of(categories: tuple[Category, ...]) -> list[Any]:
    """Classic rules in the form that queries take."""
    return [[list(each.name), rule_of(each.rule)] for each in categories]


def rule_of(rule: ClassicRule | None) -> dict[str, Any]:
    if rule is None:
        return {"type": "none"}
    fields: dict[str, Any] = {"type": "regex", "regex": rule.regex, "ignore_case": rule.ignore_case}
    if rule.select_keys is not None:
        fields["select_keys"] = list(rule.select_keys)
    return fields if rule.priority is None else {**fields, "priority": rule.priority}


def place_in(classifier: Classifier, data: dict[str, Any], *, is_base: bool) -> int:
    """The place that a layer gets on its own."""
    places = classifier.places(TextDictionary([canonical_json(data)]), np.zeros(1, dtype=np.int32), is_base=is_base)
    return max(int(places[0]), NO_PLACE)
