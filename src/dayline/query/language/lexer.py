"""Splits text into tokens."""

import re
import unicodedata
from typing import Final

from msgspec import Struct

from dayline.query.errors import QueryParseError
from dayline.query.language.ast import SourceText

NAME: Final = "a name"
NUMBER: Final = "a number"
STRING: Final = "a string"
END: Final = "the end"

KEYWORDS: Final = frozenset({"if", "elif", "else", "return", "true", "false", "True", "False"})

# A string ends at the first quote without a preceding backslash, and may contain anything else. All quantifiers are
# possessive: lexing takes linear time, whatever the text.
_TOKEN: Final = re.compile(
    r"""(?:[ \t\r\n]++|\#[^\r\n]*+)*+
    (?:
        ([^\W\d]\w*+)
      | ("[^"]*+(?:(?<=\\)"[^"]*+)*+"|'[^']*+(?:(?<=\\)'[^']*+)*+')
      | (==|[-=+*/%(){}\[\],:;])
      | ([0-9]++(?:\.[0-9]*+)?+)
      | (.)
      | \Z
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORD_GROUP, _STRING_GROUP, _SIGN_GROUP, _NUMBER_GROUP = 1, 2, 3, 4

_HINTS: Final = {
    "<": "values can be compared with `==` only",
    ">": "values can be compared with `==` only",
    "!": "values can be compared with `==` only",
    "&": "conditions cannot be joined; use one `if` inside another",
    "|": "conditions cannot be joined; use `elif`",
    ".": "a number begins with a digit, and values have no members",
}


class Token(Struct, frozen=True, gc=False):
    """A word, sign, number or string. The `kind` of a keyword or sign is its own text.

    The `text` of a string is its value: without its quotes and the backslashes before quotes within it.
    """

    kind: str
    text: str
    offset: int
    end: int


def tokens(source: SourceText) -> list[Token]:
    """All tokens, with END as the last. Raises QueryParseError for an unexpected character or an unclosed string."""
    listed: list[Token] = []
    end = 0
    for found in _TOKEN.finditer(source.text):
        group = found.lastindex
        if group is None:
            break
        text = found[group]
        offset, end = found.span(group)
        if group == _SIGN_GROUP:
            kind = text
        elif group == _WORD_GROUP:
            kind = text if text in KEYWORDS else NAME
            if not text.isascii() and not (text[0].isalpha() or text[0] == "_"):
                raise _unknown(source, offset)
        elif group == _STRING_GROUP:
            kind, text = STRING, _unquoted(text)
        elif group == _NUMBER_GROUP:
            kind = NUMBER
        else:
            raise _unknown(source, offset)
        listed.append(Token(kind, text, offset, end))
    # The end is reported after the last token, where something is missing, not after comments.
    listed.append(Token(END, "", end, end))
    return listed


def _unquoted(text: str) -> str:
    inner = text[1:-1]
    return inner.replace("\\" + text[0], text[0]) if "\\" in inner else inner


def _unknown(source: SourceText, offset: int) -> QueryParseError:
    character = source.text[offset]
    place = source.place(offset)
    if character in "\"'":
        has_escape = f"\\{character}" in source.text[offset:]
        return QueryParseError(
            f"the string that starts here has no closing {character}",
            hint=f"a {character} after a backslash never closes a string, not even after two" if has_escape else None,
            place=place,
            expected=(f"`{character}`",),
        )
    called = unicodedata.name(character, "")
    named = f"{character!r}" if character.isascii() or not called else f"{character!r} ({called})"
    return QueryParseError(f"unexpected character {named}", hint=_HINTS.get(character), place=place)
