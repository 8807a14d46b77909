"""Dayline's own privacy rules: what they can say beyond the setting."""

from typing import Any

import msgspec
import pytest

from dayline.model.errors import Malformed
from dayline.transform.privacy import PrivacyRules
from tests.support.privacy import WINDOW, filter_of, outcome, rule, rules


def test_redact_has_a_replacement_of_its_own() -> None:
    assert outcome(rules(rule("payroll")), title="payroll") == {"title": "REDACTED"}


def test_rewrite_replaces_what_the_pattern_matches() -> None:
    by_group = rules(rule(r"(https://[^/]+/)[^ ]*", action="rewrite", replacement=r"\1…"))

    assert outcome(by_group, title="see https://a.example/x and https://b.example/y?z") == {
        "title": "see https://a.example/… and https://b.example/…"
    }


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [("", "ac"), (r"\0\0", "abbc"), (r"\\", r"a\c"), (r"<\1\2>", "a<b>c"), ("$1&{}", "a$1&{}c")],
)
def test_a_rewrite_knows_groups_and_backslashes(replacement: str, expected: str) -> None:
    assert outcome(rules(rule("(b)(x)?", action="rewrite", replacement=replacement)), title="abc") == {
        "title": expected
    }


@pytest.mark.parametrize("replacement", ["\\", r"\n", r"\2", r"\g<1>"])
def test_a_replacement_that_means_nothing_is_rejected(replacement: str) -> None:
    with pytest.raises(Malformed, match="rule 1") as raised:
        rules(rule("(b)", action="rewrite", replacement=replacement))

    assert raised.value.field == "[0].replacement"


def test_a_backslash_is_literal_if_a_whole_text_is_redacted() -> None:
    assert outcome(rules(rule("b", replacement=r"\1")), title="abc") == {"title": r"\1"}


def test_a_star_as_the_field_means_every_text_at_any_depth_and_no_key() -> None:
    data: dict[str, Any] = {"secret": "a secret", "n": 1, "list": ["secret", {"deep": "secret"}, 7], "app": "x"}

    assert outcome(rules(rule("secret", field="*")), **data) == {
        "secret": "REDACTED",
        "n": 1,
        "list": ["REDACTED", {"deep": "REDACTED"}, 7],
        "app": "x",
    }


def test_drop_with_a_star_drops_for_any_text() -> None:
    assert outcome(rules(rule("secret", field="*", action="drop")), list=[["a secret"]]) is None


@pytest.mark.parametrize(
    ("buckets", "is_meant"),
    [
        ([], True),
        ([WINDOW], True),
        (["aw-*"], True),
        (["*_laptop"], True),
        (["aw-*_laptop", "x"], True),
        (["aw-watcher-window"], False),
        (["*_desktop"], False),
        (["AW-*"], False),
    ],
)
def test_buckets_are_meant_by_id_or_by_a_name_with_stars(buckets: list[str], is_meant: bool) -> None:
    found = outcome(rules(rule("payroll", buckets=buckets)), WINDOW, title="payroll")

    assert (found == {"title": "REDACTED"}) == is_meant


def test_the_filters_of_the_setting_come_before_our_own_rules() -> None:
    both = PrivacyRules.of(
        msgspec.json.encode([filter_of("payroll", replacement="first")]),
        [rule("payroll", replacement="second"), rule("first", action="rewrite", replacement="third")],
    )

    assert outcome(both, title="payroll") == {"title": "third"}


def test_two_rules_that_cancel_out_change_nothing() -> None:
    there_and_back = rules(rule("^a$", replacement="b"), rule("^b$", replacement="a"))

    assert outcome(there_and_back, title="a") == {"title": "a"}
    assert there_and_back.traced(WINDOW, b'{"title":"a"}').acted == ()


def test_a_trace_names_the_rules_that_had_a_part() -> None:
    several = rules(rule("x"), rule("a", replacement="b"), rule("a"), rule("b", action="drop"), rule(""))

    traced = several.traced(WINDOW, b'{"title":"a"}')

    assert (traced.data, traced.acted) == (None, (1, 3))


def test_the_name_of_a_bucket_cannot_be_empty() -> None:
    with pytest.raises(Malformed, match="rule 2: '' is not a bucket id or pattern"):
        rules(rule("a"), rule("a", buckets=[""]))


def test_rules_survive_the_way_to_another_process() -> None:
    both = PrivacyRules.of(msgspec.json.encode([filter_of("payroll", bucket_prefix="aw")]), [rule("a", field="*")])

    again = PrivacyRules(msgspec.json.decode(msgspec.json.encode(both.book), type=type(both.book)))

    assert again.book == both.book
    assert outcome(again, title="payroll") == {"title": "REDACTED"}
