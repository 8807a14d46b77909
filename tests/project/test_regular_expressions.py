"""No possessive quantifier (`x*+`, `x++`, `x?+`, `x{1,2}+`) is in the package.

Before Python 3.11.5, `re` matches the possessive repetition of a group wrongly (CPython's issue 106052), so that a
program which is right on a new Python fails on Debian 12. Use an atomic group, `(?>x*)`, or better a pattern that needs
neither: a group that is repeated needs memory for every repetition.
"""

import ast
import importlib
import re
import warnings
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.project.files import ROOT

PACKAGE: Final = ROOT / "src" / "dayline"

# In a fragment that is no pattern of its own: a quantifier followed by a plus.
_IN_FRAGMENT: Final = re.compile(r"(?<!\\)(?:[*+?]|\{[0-9,]+\})\+")
_parser: Final[Any] = importlib.import_module("re._parser")


def possessive(source: str) -> list[tuple[int, str]]:
    """The line and text of each string in a module that has a possessive quantifier."""
    return [(line, text) for line, text in _strings(ast.parse(source)) if _is_possessive(text)]


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            yield node.lineno, value if isinstance(value, str) else value.decode("latin-1")


def _is_possessive(text: str) -> bool:
    if not _IN_FRAGMENT.search(text):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(text, re.VERBOSE if "\n" in text else 0)
    except re.error:
        return True
    return "POSSESSIVE_REPEAT" in repr(tree)


def test_no_pattern_has_a_possessive_quantifier() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in possessive(path.read_text())
    ]

    listed = "\n".join(found)
    assert not found, (
        f"possessive quantifiers are matched wrongly before Python 3.11.5; use an atomic group, (?>x*):\n{listed}"
    )


@pytest.mark.parametrize(
    "source",
    [
        r"""re.compile(r"a*+")""",
        r"""re.compile(rb'"(?:[^"\\]++|\\.)*+"')""",
        r"""A = rb"\[(?:" + B + rb")*+\]" """,
        r"""A = f"{B}++" """,
        r"""A = "(?:ab){1,2}+" """,
        '''A = r"""(?: a  # a comment\n)?+\n"""''',
    ],
)
def test_each_way_to_write_one_is_found(source: str) -> None:
    assert possessive(source)


@pytest.mark.parametrize("source", ['A = "[*+?]+"', r'A = r"C\++"', 'A = f"{b}+{c}"', 'A = "a+b*c?"', "# a*+"])
def test_other_texts_are_not_taken_for_one(source: str) -> None:
    assert not possessive(source)
