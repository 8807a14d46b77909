"""Text into tokens."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.query.errors import QueryParseError
from dayline.query.language.ast import SourceText
from dayline.query.language.parser import END, NAME, NUMBER, STRING, tokens
from tests.support.hostile import hostile_texts, linear_time


def read(text: str) -> list[tuple[str, str]]:
    """Kind and text of every token but the end."""
    return [(token.kind, token.text) for token in tokens(SourceText(text))][:-1]


def refused(text: str) -> QueryParseError:
    with pytest.raises(QueryParseError) as caught:
        tokens(SourceText(text))
    return caught.value


def test_a_token_knows_where_it_begins_and_ends() -> None:
    assert [(token.kind, token.offset, token.end) for token in tokens(SourceText(' x="é" '))] == [
        (NAME, 1, 2),
        ("=", 2, 3),
        (STRING, 3, 6),
        (END, 6, 6),
    ]


def test_signs_and_keywords_are_kinds_of_their_own() -> None:
    words = ["if", "elif", "else", "return", "true", "false", "True", "False", "==", *"()[]{},:;=+-*/%"]

    assert read(" ".join(words)) == [(word, word) for word in words]


def test_two_equals_signs_together_compare_and_apart_are_two() -> None:
    assert [kind for kind, _ in read("== = = ===")] == ["==", "=", "=", "==", "="]


@pytest.mark.parametrize("name", ["iffy", "elsewhere", "returned", "truename", "IF", "RETURN", "TRUE", "_", "a1_b2"])
def test_what_merely_begins_like_a_keyword_is_a_name(name: str) -> None:
    assert read(name) == [(NAME, name)]


@pytest.mark.parametrize("name", ["été", "ß", "переменная", "変数", "x²", "a٣"])
def test_names_may_have_the_letters_and_digits_of_any_script(name: str) -> None:
    assert read(name) == [(NAME, name)]


@pytest.mark.parametrize("text", ["5", "5.", "1.25", "007", "0.0"])
def test_numbers_are_digits_with_or_without_a_point(text: str) -> None:
    assert read(text) == [(NUMBER, text)]


def test_a_comment_goes_to_the_end_of_its_line() -> None:
    assert read('a # "b" c\nd#\r\ne#f') == [(NAME, "a"), (NAME, "d"), (NAME, "e")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('""', ""),
        ("''", ""),
        ('"semi;colon # x"', "semi;colon # x"),
        ('"two\nlines"', "two\nlines"),
        ('"it\'s"', "it's"),
        ("'say \"so\"'", 'say "so"'),
        (r'"a\"b"', 'a"b'),
        (r"'it\'s'", "it's"),
        (r'"it\'s"', r"it\'s"),
        (r'"\d \\ \n A"', r"\d \\ \n A"),
        (r'"\\"b"', r"\"b"),
    ],
)
def test_in_strings_only_the_backslash_before_the_delimiting_quote_is_an_escape(text: str, value: str) -> None:
    assert read(text) == [(STRING, value)]


@pytest.mark.parametrize("text", ['x = "abc', "x = 'abc\"", r'x = "a\"b\d\\";', 'x = "'])
def test_an_unterminated_string_is_reported_at_its_start(text: str) -> None:
    error = refused(text)

    assert error.message == f"the string that starts here has no closing {text[4]}"
    assert error.expected == (f"`{text[4]}`",)
    assert error.place is not None
    assert (error.place.line, error.place.column) == (1, 5)


def test_a_string_that_a_backslash_keeps_open_gets_a_hint() -> None:
    assert refused(r'"a\\";').hint == 'a " after a backslash never closes a string, not even after two'
    assert refused('"a;').hint is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a § b", "'§' (SECTION SIGN)"),
        ("a @ b", "'@'"),
        ("a \xa0 b", "'\\xa0' (NO-BREAK SPACE)"),
        ("a \x00 b", "'\\x00'"),
        ("a \x0c b", "'\\x0c'"),
        ("a ½ b", "'½' (VULGAR FRACTION ONE HALF)"),
        ("a ̈ b", "'̈' (COMBINING DIAERESIS)"),
        ("a \\ b", "'\\\\'"),
        ("a . b", "'.'"),
    ],
)
def test_a_character_of_no_token_is_rejected_by_name(text: str, named: str) -> None:
    error = refused(text)

    assert error.message == f"unexpected character {named}"
    assert error.place is not None
    assert (error.place.line, error.place.column) == (1, 3)


@pytest.mark.parametrize("sign", ["<", ">", "!", "&", "|", "."])
def test_signs_of_other_languages_get_a_hint(sign: str) -> None:
    assert refused(f"a {sign} b").hint is not None


def test_the_end_is_where_the_last_token_ends() -> None:
    assert tokens(SourceText("a = (  # comment\n\n"))[-1].offset == 5


@given(st.text(st.sampled_from("\"'\\a #\n"), max_size=12), st.sampled_from("\"'"))
def test_a_string_ends_at_the_first_quote_without_a_backslash_before_it(rest: str, quote: str) -> None:
    end = next((n for n, each in enumerate(rest) if each == quote and rest[n - 1 : n] != "\\"), None)
    if end is None:
        assert "has no closing" in refused(quote + rest).message
        return

    # What follows may not be a token.
    assert read(quote + rest[: end + 1]) == [(STRING, rest[:end].replace(f"\\{quote}", quote))]


@hostile_texts
@pytest.mark.parametrize("start", ["", "'"])
def test_a_hostile_text_takes_linear_time(start: str, text: str) -> None:
    with linear_time(), suppress(QueryParseError):
        tokens(SourceText(start + text))
