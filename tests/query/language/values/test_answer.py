"""Values into JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.columns.json import Answer
from dayline.query.columns.table import no_events
from dayline.query.errors import QueryInterpretError
from dayline.query.language.values import Value, single_events
from tests.query.language.running import table_of
from tests.support.profile import examples

EVENTS = table_of([(1_000_000, 2_500_000, {"a": 1}, 5), (3_000_000, 0, {"é": None}, 6)])
FIRST = '{"id":5,"timestamp":"1970-01-01T00:00:01Z","duration":2.5,"data":{"a":1}}'
SECOND = '{"id":6,"timestamp":"1970-01-01T00:00:03Z","duration":0.0,"data":{"é":null}}'

WRITTEN: list[tuple[Value, str]] = [
    (1.0, "1.0"),
    (0.1, "0.1"),
    (123456789.0, "123456789.0"),
    (None, "null"),
    (True, "true"),
    ('a"\n', '"a\\"\\n"'),
    ([], "[]"),
    ({}, "{}"),
    ([1.0, "a", None, [False]], '[1.0,"a",null,[false]]'),
    ({"a": [1.0], "b": {}}, '{"a":[1.0],"b":{}}'),
    (no_events(), "[]"),
    (EVENTS, f"[{FIRST},{SECOND}]"),
    ({"e": EVENTS, "n": 2.0}, f'{{"e":[{FIRST},{SECOND}],"n":2.0}}'),
    ([EVENTS, []], f"[[{FIRST},{SECOND}],[]]"),
    ([1.0, *single_events(EVENTS)], f"[1.0,{FIRST},{SECOND}]"),
]

PLAIN: st.SearchStrategy[Value] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda smaller: st.one_of(st.lists(smaller, max_size=4), st.dictionaries(st.text(), smaller, max_size=4)),
)


def written(*values: Value, max_bytes: int = 1 << 20) -> str:
    answer = Answer(max_bytes=max_bytes)
    for value in values:
        answer.add(value)
    text = b"".join(answer.pieces())
    assert answer.size == len(text)
    return text.decode()


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_a_value_has_its_json(value: Value, text: str) -> None:
    assert written(value) == f"[{text}]"


def test_there_is_one_element_for_each_value() -> None:
    assert written() == "[]"
    assert written(1.0, [], None) == "[1.0,[],null]"


@settings(max_examples=examples(300))
@given(st.lists(PLAIN, max_size=3))
def test_plain_values_come_back_from_json(values: list[Value]) -> None:
    back = json.loads(written(*values))

    assert repr(back) == repr(values)


def test_values_of_the_deepest_nesting_are_written() -> None:
    value: Value = []
    for _ in range(299):
        value = [value]

    assert written(value) == "[" * 301 + "]" * 301


def test_an_answer_may_be_as_large_as_it_says() -> None:
    assert written("a" * 96, max_bytes=100) == '["' + "a" * 96 + '"]'


@pytest.mark.parametrize("value", ["a" * 97, ["a"] * 50, {"a": "b" * 95}, EVENTS, [[], "a" * 97]])
def test_a_larger_answer_is_rejected(value: Value) -> None:
    with pytest.raises(QueryInterpretError) as caught:
        written(value, max_bytes=100)

    assert caught.value.message == "the result is larger than 100 bytes"
    assert "limit_events" in str(caught.value.hint)


def test_an_answer_that_grows_by_sharing_is_rejected_before_it_is_written() -> None:
    word: list[Value] = ["a" * 1_000_000]
    long: Value = word * 100_000
    doubled: Value = [1.0]
    for _ in range(150):
        doubled = [doubled, doubled]

    for value in (long, doubled):
        with pytest.raises(QueryInterpretError):
            written(value)
