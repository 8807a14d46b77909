import pytest

from dayline.runtime.text import cell, quantity


def test_one_thing_has_the_singular_and_any_other_number_the_plural() -> None:
    assert [quantity(number, "event") for number in (0, 1, 2, 1204)] == [
        "0 events",
        "1 event",
        "2 events",
        "1,204 events",
    ]


def test_an_irregular_plural_is_given() -> None:
    assert quantity(1, "entry", "entries") == "1 entry"
    assert quantity(3, "entry", "entries") == "3 entries"


# A space or a byte order mark before the equals sign hid the formula from us, and not from the spreadsheet.
@pytest.mark.parametrize(
    "text",
    [
        "=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "\ufe661",
        " =1", "\u00a0=1", "\v=1", "\f=1", "\ufeff=1", " \u00a0\ufeff\u200b-1", "\u3000@x", "\0=1", "\x85=1",
    ],
)  # fmt: skip
def test_a_formula_gets_an_apostrophe_whatever_precedes_it(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", " ", "\ufeff", " title", "a=1", "\u2212x", "~/=x"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text
