"""The setting `privacy_filters`, rule by rule (protocol 7)."""

from typing import Any

import msgspec
import pytest

from dayline.model.data import canonical_json
from dayline.model.errors import Malformed
from dayline.transform.privacy import PrivacyRules
from tests.support.privacy import filter_of, filters, outcome


def test_without_the_setting_nothing_is_filtered() -> None:
    rules = PrivacyRules.of(None)

    assert rules.is_empty
    assert outcome(rules, title="payroll") == {"title": "payroll"}


def test_an_empty_list_filters_nothing() -> None:
    assert filters().is_empty


def test_drop_discards_the_event() -> None:
    rules = filters(filter_of("(?i)incognito", action="drop"))

    assert outcome(rules, title="Incognito - Browser") is None


def test_redact_sets_the_field_and_leaves_the_others() -> None:
    rules = filters(filter_of("(?i)payroll"))

    assert outcome(rules, title="Payroll May", app="Calc") == {"title": "REDACTED", "app": "Calc"}


def test_the_pattern_is_found_anywhere_in_the_text() -> None:
    assert outcome(filters(filter_of("roll")), title="payroll may") == {"title": "REDACTED"}


def test_matching_is_case_sensitive_unless_the_pattern_ignores_case() -> None:
    assert outcome(filters(filter_of("payroll")), title="Payroll") == {"title": "Payroll"}


def test_data_without_a_match_stay_the_same_object() -> None:
    data = canonical_json({"title": "notes"})

    assert filters(filter_of("payroll")).applied("any", data) is data


def test_a_rule_that_is_not_enabled_does_nothing() -> None:
    rules = filters(filter_of("payroll", enabled=False))

    assert rules.is_empty
    assert outcome(rules, title="payroll") == {"title": "payroll"}


def test_a_prefix_confines_a_rule_to_the_buckets_that_begin_with_it() -> None:
    rules = filters(filter_of("payroll", bucket_prefix="aw-watcher-web"))

    assert outcome(rules, "aw-watcher-web-firefox", title="payroll") == {"title": "REDACTED"}
    assert outcome(rules, "my-aw-watcher-web", title="payroll") == {"title": "payroll"}


def test_a_star_in_a_prefix_is_a_star() -> None:
    assert outcome(filters(filter_of("x", bucket_prefix="a*")), "abc", title="x") == {"title": "x"}


def test_a_dotted_path_leads_into_the_data() -> None:
    rules = filters(filter_of("secret", field="tab.url"))

    assert outcome(rules, tab={"url": "secret", "n": 1}, url="secret") == {
        "tab": {"url": "REDACTED", "n": 1},
        "url": "secret",
    }


@pytest.mark.parametrize("value", [7, True, None, ["payroll"], {"payroll": "payroll"}])
def test_what_is_no_string_does_not_match(value: Any) -> None:
    assert outcome(filters(filter_of(".*", action="drop")), title=value) == {"title": value}


def test_a_path_that_does_not_exist_does_not_match() -> None:
    assert outcome(filters(filter_of("", field="a.b.c")), a={"b": "text"}) == {"a": {"b": "text"}}


def test_later_rules_see_what_earlier_ones_have_made() -> None:
    rules = filters(filter_of("payroll", replacement="hidden"), filter_of("hidden", action="drop"))

    assert outcome(rules, title="payroll") is None


def test_rules_behind_a_drop_are_not_evaluated() -> None:
    rules = filters(filter_of("payroll", action="drop"), filter_of("payroll", replacement="hidden"))

    assert outcome(rules, title="payroll") is None


def test_an_earlier_redaction_can_keep_a_later_rule_from_matching() -> None:
    rules = filters(filter_of("payroll"), filter_of("payroll", action="drop"))

    assert outcome(rules, title="payroll") == {"title": "REDACTED"}


def test_letters_of_every_script_are_matched() -> None:
    assert outcome(filters(filter_of("(?i)ЗАРПЛАТА|gehälter")), title="Моя зарплата") == {"title": "REDACTED"}


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ({}, "must be a list"),
        ([7], "rule 1"),
        ([filter_of("a"), {"field": "title", "pattern": "a", "action": "drop"}], "rule 2: .*enabled"),
        ([{"enabled": True, "field": "title", "action": "drop"}], "rule 1: .*pattern"),
        ([{"enabled": True, "field": "title", "pattern": "a"}], "rule 1: .*action"),
        ([{"enabled": True, "pattern": "a", "action": "drop"}], "rule 1: .*field"),
        ([filter_of("a", field="")], "rule 1: `field` is empty"),
        ([filter_of("a", action="burn")], "rule 1: .*burn"),
        ([filter_of("a", replacement="")], "rule 1: `replacement` is required"),
        ([{"enabled": True, "field": "t", "pattern": "a", "action": "redact"}], "rule 1: `replacement` is required"),
        ([filter_of("a"), filter_of("(", enabled=False)], "rule 2: the pattern .* is wrong at character 1: "),
        ([filter_of("a(?=b)")], r"rule 1: the pattern .* is wrong at character 2: invalid perl operator"),
        ([filter_of(r"(a)\1")], r"rule 1: the pattern .* is wrong at character 4: invalid escape sequence"),
        ([filter_of("x" * 4097)], "rule 1: the pattern has 4097 bytes; the limit is 4096"),
        ([filter_of("a")] * 1001, "1,001 privacy rules"),
    ],
)
def test_one_bad_rule_invalidates_the_list_and_is_named(entries: Any, named: str) -> None:
    with pytest.raises(Malformed, match=named):
        PrivacyRules.of(msgspec.json.encode(entries))


def test_an_error_names_the_field() -> None:
    with pytest.raises(Malformed) as raised:
        filters(filter_of("a"), filter_of("("))

    assert raised.value.field == "[1].pattern"
