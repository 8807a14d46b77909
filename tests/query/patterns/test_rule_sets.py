"""Many rules at once, held against one rule after the other by `re`."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.query.language.values import Value
from dayline.query.patterns.rules import RuleSet
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import Codes
from tests.query.patterns.generated import simple_patterns, strings
from tests.support.profile import examples

Data = dict[str, Value]
FIELDS = ("app", "title", "url")


def dictionary_of(values: Sequence[Data]) -> TextDictionary:
    return TextDictionary([canonical_json(value) for value in values])


def winners(classes: list[Value], values: Sequence[Data]) -> list[int]:
    data = dictionary_of(values)
    numbers: list[int] = RuleSet.of(classes).winners(data.column, data.fields(), everything(values)).tolist()
    return numbers


def tags(classes: list[Value], values: Sequence[Data]) -> list[list[str]]:
    data = dictionary_of(values)
    tagged = RuleSet.of_tags(classes).matches(data.column, data.fields(), everything(values))
    return [tagged.tags[code] for code in tagged.codes.tolist()]


def everything(values: Sequence[Data]) -> Codes:
    return np.arange(len(values), dtype=np.int32)


def regex(pattern: str, **more: Value) -> Value:
    return {"type": "regex", "regex": pattern, **more}


def is_matched(rule: dict[str, Value], data: Data) -> bool:
    pattern = rule.get("regex")
    if rule.get("type", "regex") == "none" or not isinstance(pattern, str) or not pattern:
        return False
    keys = rule.get("select_keys")
    looked_at = [value for key, value in data.items() if not isinstance(keys, list) or key in keys]
    flags = re.IGNORECASE if rule.get("ignore_case") else re.NOFLAG
    return any(isinstance(value, str) and re.search(pattern, value, flags) for value in looked_at)


def expected_winner(classes: list[tuple[list[str], dict[str, Value]]], data: Data) -> int:
    best, best_rank = -1, 0.0
    for number, (category, rule) in enumerate(classes):
        priority = rule.get("priority", 10.0 * len(category))
        assert isinstance(priority, float)
        if category and is_matched(rule, data) and (best == -1 or priority >= best_rank):
            best, best_rank = number, priority
    return best


_rules = st.fixed_dictionaries(
    {"regex": simple_patterns},
    optional={
        "type": st.sampled_from(["regex", "regex", "none"]),
        "ignore_case": st.booleans(),
        "select_keys": st.lists(st.sampled_from([*FIELDS, "absent"]), min_size=1, max_size=2),
        "priority": st.sampled_from([-5.0, 0.0, 10.0, 20.0, 1e300]),
    },
)
_data = st.dictionaries(
    st.sampled_from(FIELDS),
    st.one_of(strings, strings, st.sampled_from([None, True, 1.5, ["a"], {"k": "a"}])),
    max_size=3,
)
_values = st.lists(_data, min_size=1, max_size=12, unique_by=canonical_json)


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.lists(st.sampled_from("AB"), max_size=3), _rules), max_size=6), _values)
def test_the_winner_is_the_one_that_a_plain_loop_finds(
    classes: list[tuple[list[str], dict[str, Value]]], values: list[Data]
) -> None:
    given_classes: list[Value] = [[list(category), rule] for category, rule in classes]

    assert winners(given_classes, values) == [expected_winner(classes, value) for value in values]


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.sampled_from("ABCD"), _rules), max_size=6), _values)
def test_the_tags_are_those_that_a_plain_loop_finds(
    classes: list[tuple[str, dict[str, Value]]], values: list[Data]
) -> None:
    assert tags([[tag, rule] for tag, rule in classes], values) == [
        sorted({tag for tag, rule in classes if is_matched(rule, value)}) for value in values
    ]


def test_the_longest_path_wins() -> None:
    classes: list[Value] = [[["A", "B"], regex("x")], [["C"], regex("x")]]

    assert winners(classes, [{"app": "x"}]) == [0]


def test_of_equal_paths_the_later_rule_wins() -> None:
    classes: list[Value] = [[["A"], regex("x")], [["B"], regex("x")], [["C"], regex("y")]]

    assert winners(classes, [{"app": "x"}]) == [1]


def test_a_category_named_uncategorized_is_like_any_other() -> None:
    assert winners([[["Uncategorized"], regex("x")]], [{"app": "x"}, {"app": "y"}]) == [0, -1]


def test_an_empty_category_never_wins() -> None:
    assert winners([[[], regex("x", priority=100.0)]], [{"app": "x"}]) == [-1]


@pytest.mark.parametrize("name", ["priority", "weight"])
def test_a_priority_counts_more_than_depth(name: str) -> None:
    classes: list[Value] = [[["A"], regex("x", **{name: 21.0})], [["A", "B"], regex("x")]]

    assert winners(classes, [{"app": "x"}]) == [0]


def test_depth_counts_ten_a_level_beside_priorities() -> None:
    classes: list[Value] = [[["A", "B"], regex("x")], [["A"], regex("x", priority=20.0)]]

    assert winners(classes, [{"app": "x"}]) == [1]


@pytest.mark.parametrize(
    "rule", [{"type": "none"}, {"type": "none", "regex": "x"}, {"type": None}, regex(""), {"regex": ""}]
)
def test_a_rule_without_a_pattern_never_matches(rule: Value) -> None:
    assert winners([[["A"], rule]], [{"app": "x"}]) == [-1]


def test_a_rule_without_a_type_is_a_pattern() -> None:
    assert winners([[["A"], {"regex": "x"}]], [{"app": "x"}]) == [0]


def test_a_rule_looks_at_every_string_of_the_data_and_at_nothing_else() -> None:
    values: list[Data] = [{"$domain": "x"}, {"n": ["x"]}, {"n": {"m": "x"}}, {"x": "y"}, {"n": None}]

    assert winners([[["A"], regex("x")]], values) == [0, -1, -1, -1, -1]


def test_a_rule_with_keys_looks_at_these_alone() -> None:
    classes: list[Value] = [[["A"], regex("x", select_keys=["title", "url"])]]

    assert winners(classes, [{"app": "x"}, {"title": "x"}, {"url": "x"}, {}]) == [-1, 0, 0, -1]


def test_tags_are_sorted_and_each_there_once() -> None:
    classes: list[Value] = [["b", regex("x")], ["a", regex("y")], ["b", regex("z")]]

    assert tags(classes, [{"app": "x", "title": "yz"}, {"app": "z"}, {"app": "q"}]) == [["a", "b"], ["b"], []]


def test_rules_that_only_re_can_do_are_named() -> None:
    classes: list[Value] = [[["A"], regex("a(?=b)")], [["B"], regex("b")], [["C"], regex("a(?=b)")]]

    assert RuleSet.of(classes).fallbacks == ["a(?=b)"]


def test_the_same_rules_are_read_once() -> None:
    assert RuleSet.of([[["A"], regex("a")]]) is RuleSet.of([[["A"], regex("a")]])
    assert RuleSet.of([[["A"], regex("a")]]) is not RuleSet.of([[["A"], regex("b")]])


def test_values_are_asked_for_in_any_order_and_any_number() -> None:
    data = dictionary_of([{"app": "x"}, {"app": "y"}])
    asked = np.array([1, 0, 0], dtype=np.int32)

    assert RuleSet.of([[["A"], regex("x")]]).winners(data.column, data.fields(), asked).tolist() == [-1, 0, 0]
    assert RuleSet.of([]).winners(data.column, data.fields(), asked).tolist() == [-1, -1, -1]
