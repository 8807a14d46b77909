"""Domains in ASCII, as the URL standard asks for: other letters mapped (UTS #46) and written in punycode.

Close to the standard, not the same: what a character is mapped to and whether it may stand there is taken from Python's
`unicodedata`, not from the standard's own table, of which this differs in a few rare signs; the order of right-to-left
letters is not checked; a joiner is taken after a virama only.
"""

import re
import unicodedata
from typing import Final

PREFIX: Final = "xn--"

_FULL_STOPS: Final = str.maketrans("\u3002\uff0e\uff61", "...")
_LEFT_OUT: Final = re.compile(
    "[\u00ad\u034f\u180b-\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)  # hyphens, blanks and variants that are not seen
_KEPT: Final = "\u00df\u03c2\u200c\u200d"  # sharp s, final sigma and the joiners mean something in names
_REPLACEMENT: Final = "\ufffd"
_NO_SIGNS: Final = re.compile("[\u2ff0-\u2fff\ufffc\ufffd]")  # what describes or replaces a character
_JOINERS: Final = "\u200c\u200d"
_VIRAMA: Final = 9  # the combining class
# Control and format characters, what is unassigned or private, and all blanks.
_NO_LETTERS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


def domain_to_ascii(domain: str) -> str | None:
    """The domain in lower case and in ASCII; None where it cannot be one."""
    if domain.isascii() and PREFIX not in domain.lower():
        return domain.lower()
    labels = [_label_to_ascii(label) for label in _mapped(domain).split(".")]
    written = [label for label in labels if label is not None]
    return ".".join(written) if len(written) == len(labels) else None


def _mapped(domain: str) -> str:
    visible = _LEFT_OUT.sub("", domain.translate(_FULL_STOPS))
    return unicodedata.normalize("NFC", "".join(map(_mapped_character, visible)))


def _mapped_character(character: str) -> str:
    if character in _KEPT:
        return character
    folded = character.lower() if character == "\u1e9e" else character.casefold()
    mapped = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    # A sign such as a number with a full stop must not make two labels of one.
    return mapped if "." not in mapped or character == "." else _REPLACEMENT


def _label_to_ascii(label: str) -> str | None:
    if label.startswith(PREFIX):
        return label if _is_punycode(label) else None
    if label.isascii():
        return label
    return PREFIX + label.encode("punycode").decode("ascii") if _is_valid(label) else None


def _is_punycode(label: str) -> bool:
    """Whether a label that is in punycode already stands for one that had to be."""
    try:
        decoded = label.removeprefix(PREFIX).encode("ascii").decode("punycode")
        return not decoded.isascii() and _is_valid(decoded) and _label_to_ascii(decoded) == label
    except (UnicodeError, ValueError, OverflowError):
        return False


def _is_valid(label: str) -> bool:
    if _mapped(label) != label or unicodedata.category(label[0]).startswith("M") or _NO_SIGNS.search(label):
        return False
    return all(_may_follow(character, before) for before, character in zip(f" {label}", label, strict=False))


def _may_follow(character: str, before: str) -> bool:
    if character in _JOINERS:
        return unicodedata.combining(before) == _VIRAMA
    return unicodedata.category(character) not in _NO_LETTERS
