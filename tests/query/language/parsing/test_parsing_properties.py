"""What holds for every program, and for every text that is none."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.errors import QueryParseError
from dayline.query.language.ast import SourceText, Statement
from dayline.query.language.parser import STRING, parse, tokens
from tests.query.language.parsing.trees import PROGRAMS, bare
from tests.query.language.parsing.writing import written
from tests.support.profile import examples

FRAGMENTS = st.sampled_from(
    ["if", "elif", "else", "return", "true", "f(", "==", '"a"', "2.", *"()[]{},:;=+-x1\\\"'.#\n é½§\x00"]
)


@settings(max_examples=examples(300))
@given(PROGRAMS, st.integers(0, 2**32))
def test_a_program_reads_the_same_however_it_is_written(statements: tuple[Statement, ...], seed: int) -> None:
    text = written(statements, Random(seed))

    assert bare(parse(SourceText(text)).statements) == bare(statements)
    check_is_read_or_refused(text[: seed % (len(text) + 1)])


@settings(max_examples=examples(300))
@given(st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=40).map("".join)))
def test_a_text_is_a_program_or_is_rejected_with_a_place(text: str) -> None:
    check_is_read_or_refused(text)


@settings(max_examples=examples(300))
@given(st.text(st.sampled_from("\\\"'ab\n#;"), max_size=20), st.sampled_from("\"'"))
def test_a_string_ends_at_the_first_quote_without_a_backslash_before_it(inside: str, quote: str) -> None:
    text = quote + inside + quote
    expected = scanned(text)
    if expected is None:
        with pytest.raises(QueryParseError) as caught:
            tokens(SourceText(text))
        assert caught.value.place is not None
        assert (caught.value.place.line, caught.value.place.column) == (1, 1)
        return

    value, end = expected
    first = tokens(SourceText(text[:end]))[0]
    assert (first.kind, first.text, first.offset, first.end) == (STRING, value, 0, end)


def check_is_read_or_refused(text: str) -> None:
    refusal: QueryParseError | None = None
    try:
        parse(SourceText(text))
    except QueryParseError as error:
        refusal = error
    if refusal is not None:
        assert refusal.place is not None
        assert 1 <= refusal.place.line <= 1 + text.count("\n") + text.count("\r")
        assert 1 <= refusal.place.column <= len(text) + 1


def scanned(text: str) -> tuple[str, int] | None:
    """The value of the string at the beginning and where it ends, character by character; None: it does not end."""
    quote = text[0]
    value = ""
    for position in range(1, len(text)):
        character = text[position]
        if character != quote:
            value += character
        elif text[position - 1] == "\\":
            value = value[:-1] + quote
        else:
            return value, position + 1
    return None
