"""What is wrong with a rule is said, with the rule's number and category."""

import pytest

from dayline.query.columns.table import no_events
from dayline.query.errors import QueryFunctionError
from dayline.query.language.values import Value
from dayline.query.patterns.rules import RuleSet

GOOD: Value = [["Work"], {"type": "regex", "regex": "a"}]


def in_category(rule: Value) -> Value:
    return [["Work", "Code"], rule]


REFUSED: list[tuple[Value, str]] = [
    ("x", "rule 2: expected a pair of a category and a rule, not a string"),
    ([["A"]], "rule 2: expected a pair of a category and a rule, not a list of 1"),
    ([["A"], {}, 1.0], "rule 2: expected a pair of a category and a rule, not a list of 3"),
    ([["A"], "x"], "rule 2: the rule must be a dict, not a string"),
    (["Work", {"regex": "x"}], "rule 2: the category must be a list of strings, not a string"),
    ([["A", 1.0], {"regex": "x"}], "rule 2: the category must be a list of strings, and one of them is a number"),
    (in_category({}), "rule 2 (Work > Code): the rule has neither a type nor a regex"),
    (in_category({"type": "glob"}), "rule 2 (Work > Code): the type must be 'regex' or 'none', not 'glob'"),
    (in_category({"type": 1.0}), "rule 2 (Work > Code): the type must be 'regex' or 'none', not a number"),
    (in_category({"type": "regex"}), "rule 2 (Work > Code): a rule of type regex must have a regex"),
    (in_category({"regex": 1.0}), "rule 2 (Work > Code): regex must be a string, not a number"),
    (in_category({"regex": None}), "rule 2 (Work > Code): regex must be a string, not nothing"),
    (
        in_category({"regex": "x(y"}),
        "rule 2 (Work > Code): the regular expression 'x(y' is wrong at position 1: missing ), unterminated subpattern",
    ),
    (
        in_category({"regex": "x", "ignore_case": 1.0}),
        "rule 2 (Work > Code): ignore_case must be a boolean, not a number",
    ),
    (
        in_category({"regex": "x", "select_keys": "title"}),
        "rule 2 (Work > Code): select_keys must be a list of strings, not a string",
    ),
    (
        in_category({"regex": "x", "select_keys": []}),
        "rule 2 (Work > Code): select_keys must name at least one key",
    ),
    (
        in_category({"regex": "x", "select_keys": ["a", None]}),
        "rule 2 (Work > Code): select_keys must be a list of strings, and one of them is nothing",
    ),
    (
        in_category({"regex": "x", "priority": 1.5}),
        "rule 2 (Work > Code): priority must be a whole number, not 1.5",
    ),
    (
        in_category({"regex": "x", "priority": True}),
        "rule 2 (Work > Code): priority must be a whole number, not a boolean",
    ),
    (
        in_category({"regex": "x", "weight": "high"}),
        "rule 2 (Work > Code): weight must be a whole number, not a string",
    ),
]


@pytest.mark.parametrize(("pair", "message"), REFUSED)
def test_a_bad_rule_is_rejected_by_name(pair: Value, message: str) -> None:
    with pytest.raises(QueryFunctionError) as refused:
        RuleSet.of([GOOD, pair])

    assert refused.value.message == message
    assert refused.value.hint


def test_a_tag_is_a_string() -> None:
    with pytest.raises(QueryFunctionError, match="rule 1: the tag must be a string, not a list"):
        RuleSet.of_tags([[["Work"], {"regex": "x"}]])


def test_a_bad_rule_of_a_tag_is_named_by_its_tag() -> None:
    with pytest.raises(QueryFunctionError, match=r"rule 1 \(urgent\): regex must be a string, not a boolean"):
        RuleSet.of_tags([["urgent", {"regex": True}]])


def test_events_are_no_rule() -> None:
    with pytest.raises(
        QueryFunctionError, match="rule 1: expected a pair of a category and a rule, not a list of events"
    ):
        RuleSet.of([no_events()])


def test_unknown_fields_of_a_rule_are_ignored() -> None:
    assert RuleSet.of([[["A"], {"regex": "x", "note": no_events()}]]).fallbacks == []


def test_a_bad_rule_is_rejected_every_time() -> None:
    for _ in range(2):
        with pytest.raises(QueryFunctionError):
            RuleSet.of([[["A"], {"regex": "("}]])
