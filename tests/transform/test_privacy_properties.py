"""What holds for every set of privacy rules and all data."""

import re
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.privacy.rules import PrivacyRule
from dayline.transform.privacy import PrivacyRules
from tests.support.privacy import rule

FIELDS = ("title", "tab.url", "*")
# Mean the same to Python, so that it can report what is right; one of them makes longer what it matches.
PATTERNS = ("a", "b|ä", "^ab", "[ac]{2}", "", "(a)(b)?", "b$")
ACTIONS = st.sampled_from(["drop", "redact", "rewrite"])
BUCKETS = ("x1", "x2", "y")
RULES = st.lists(
    st.builds(
        rule,
        st.sampled_from(PATTERNS),
        field=st.sampled_from(FIELDS),
        action=ACTIONS,
        buckets=st.sampled_from([[], ["x*"], ["x1", "y"]]),
        replacement=st.sampled_from(["", "b", "aab", "REDACTED"]),
        enabled=st.sampled_from([True, True, False]),
    ),
    max_size=5,
)
TEXTS = st.text("abcä", max_size=4)
DATA = st.fixed_dictionaries(
    {},
    optional={
        "title": TEXTS | st.integers(),
        "tab": st.fixed_dictionaries({"url": TEXTS}) | TEXTS,
        "l": st.lists(TEXTS),
    },
)


def plainly(rules: list[PrivacyRule], bucket_id: str, data: Any) -> Any:
    """The rules as they are described, applied one after the other by Python's `re`."""
    for each in rules:
        names = [".*".join(map(re.escape, name.split("*"))) for name in each.buckets]
        if not each.enabled or (names and not any(re.fullmatch(name, bucket_id) for name in names)):
            continue
        if each.action == "drop" and any(re.search(each.pattern, text) for text in texts_at(data, each.field)):
            return None
        data = changed(data, each, each.field)
    return data


def texts_at(data: object, field: str) -> list[str]:
    match data:
        case str() if field in ("*", ""):
            return [data]
        case dict() | list():
            return [
                text for child, rest in children(cast("list[object]", data), field) for text in texts_at(child, rest)
            ]
        case _:
            return []


def changed(data: object, each: PrivacyRule, field: str) -> object:
    match data:
        case str() if field in ("*", ""):
            if each.action == "rewrite":
                return re.sub(each.pattern, lambda _: each.replacement, data)
            return each.replacement if re.search(each.pattern, data) else data
        case dict():
            fields = cast("dict[str, object]", data)
            return dict(
                zip(fields, (changed(*child_and(each, child)) for child in children(fields, field)), strict=True)
            )
        case list():
            return [changed(*child_and(each, child)) for child in children(cast("list[object]", data), field)]
        case _:
            return data


def child_and(each: PrivacyRule, child: tuple[object, str]) -> tuple[object, PrivacyRule, str]:
    return child[0], each, child[1]


def children(data: dict[str, object] | list[object], field: str) -> list[tuple[object, str]]:
    """What is in it, each with the rest of the path; a path that leads elsewhere ends in `-`, where nothing is."""
    if isinstance(data, list):
        return [(item, "*" if field == "*" else "-") for item in data]
    key, _, rest = field.partition(".")
    return [(value, "*" if field == "*" else rest if name == key else "-") for name, value in data.items()]


@given(RULES, st.lists(st.tuples(st.sampled_from(BUCKETS), DATA), max_size=8))
def test_what_is_remembered_equals_what_is_worked_out_and_what_python_makes_of_it(
    own: list[PrivacyRule], sent: list[tuple[str, dict[str, Any]]]
) -> None:
    rules = PrivacyRules.of(None, own)

    for bucket_id, data in [*sent, *sent]:  # the second time from memory
        text = canonical_json(data)
        expected = plainly(own, bucket_id, data)
        kept = rules.applied(bucket_id, text)
        assert kept == (None if expected is None else canonical_json(expected))
        assert kept == rules.traced(bucket_id, text).data
        assert (kept is text) == (kept == text)


def test_more_data_than_can_be_remembered_are_still_right() -> None:
    rules = PrivacyRules.of(None, [rule("a", field="*")])
    texts = [b'{"title":"%d a"}' % number for number in range(4200)]

    first = [rules.applied("x", text) for text in texts]

    assert set(first) == {b'{"title":"REDACTED"}'}
    assert [rules.applied("x", text) for text in texts] == first
