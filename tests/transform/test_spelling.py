"""Words that are nearly the same."""

import pytest

from dayline.transform.text import distance, nearest


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [
        ("rust", "rust", 0),
        ("rust", "rsut", 1),
        ("rust", "ruts", 1),
        ("rust", "trust", 1),
        ("book", "back", 2),
        ("a", "xyz", 3),
    ],
)
def test_letters_that_differ_are_counted(one: str, other: str, changes: int) -> None:
    assert distance(one, other, max_changes=2) == distance(other, one, max_changes=2) == changes


def test_the_nearest_word_is_the_one_that_differs_least_and_occurs_most() -> None:
    assert nearest("lifetiems", [("lifetime", 9), ("lifetimes", 1), ("lifeboat", 50)]) == "lifetimes"
    assert nearest("boko", [("bok", 1), ("book", 5), ("bomo", 2)]) == "book"
    assert nearest("zebra", [("cobra", 1), ("zebu", 1)]) is None
