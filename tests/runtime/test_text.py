from dayline.runtime.text import quantity


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
