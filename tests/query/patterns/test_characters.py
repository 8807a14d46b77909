"""What is taken for granted of Unicode when a class of characters is written for RE2, asked of the Unicode we have."""

import re
from functools import cache

from dayline.query.patterns.dialect import characters
from dayline.query.patterns.matching import compiled_set

EVERYTHING = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@cache
def cased() -> str:
    return "".join(letter for letter in EVERYTHING if letter.lower() != letter or letter.upper() != letter)


def same_case(letters: str, among: str) -> str:
    return "".join(re.findall(f"[{re.escape(letters)}]", among, re.IGNORECASE))


def test_only_four_characters_beyond_ascii_have_a_letter_of_ascii_for_their_other_case() -> None:
    ascii_letters = "abcdefghijklmnopqrstuvwxyz"

    assert same_case(ascii_letters, EVERYTHING[0x80:]) == "\u0130\u0131\u017f\u212a"


def test_both_cases_of_a_letter_are_in_one_plane_of_unicode() -> None:
    first_plane = "".join(letter for letter in cased() if "\x80" <= letter <= "\uffff")
    later_planes = "".join(letter for letter in cased() if letter > "\uffff")

    assert same_case(first_plane, later_planes) == ""
    assert same_case(later_planes, first_plane) == ""


def test_every_cased_letter_is_found_in_its_other_cases() -> None:
    for letter in cased()[::37] + "iksIKS":
        search = compiled_set([characters(re.escape(letter), ignore_case=True).text])
        assert search is not None

        found = "".join(each for each in cased() if search(each.encode()))

        assert found == same_case(letter, cased())


def test_a_class_of_ascii_has_all_beyond_ascii_or_none() -> None:
    search = compiled_set([characters("[^a-y]", ignore_case=False).text, characters("[a-y]", ignore_case=False).text])
    assert search is not None

    assert {tuple(search(letter.encode()) or ()) for letter in EVERYTHING[0x80::101]} == {(0,)}
    assert search(b"b") == [1]
