"""Splits text into tokens and parses them into a tree, by recursive descent with bounded nesting."""

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Final, TypeVar, cast

from msgspec import Struct

from dayline.model.time import shorten
from dayline.query.errors import QueryParseError
from dayline.query.language.ast import (
    BinaryOperation,
    Branch,
    Call,
    Chain,
    Constant,
    DictLiteral,
    Entry,
    Expression,
    If,
    ListLiteral,
    Operator,
    Program,
    Simple,
    SourceText,
    Statement,
    Variable,
)

NAME: Final = "a name"
NUMBER: Final = "a number"
STRING: Final = "a string"
END: Final = "the end"

KEYWORDS: Final = frozenset({"if", "elif", "else", "return", "true", "false", "True", "False"})

# A string ends at the first quote without a preceding backslash, and may contain anything else; most end at the first
# quote. Every repetition is of a single character: lexing takes linear time and no memory, whatever the text.
_TOKEN: Final = re.compile(
    r"""[ \t\r\n]*
    (?:
        ([^\W\d]\w*)
      | ("[^"]*(?<!\\)"|".*?(?<!\\)"|'[^']*(?<!\\)'|'.*?(?<!\\)')
      | (==|[-=+*/%(){}\[\],:;])
      | ([0-9]+(?:\.[0-9]*)?)
      | (\#[^\r\n]*)
      | (.)
      | \Z
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORD_GROUP, _STRING_GROUP, _SIGN_GROUP, _NUMBER_GROUP, _COMMENT_GROUP = 1, 2, 3, 4, 5

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
    for match in _TOKEN.finditer(source.text):
        group = match.lastindex
        if group is None:
            break
        if group == _COMMENT_GROUP:
            continue
        text = match[group]
        offset, end = match.span(group)
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
    position = source.place(offset)
    if character in "\"'":
        has_escape = f"\\{character}" in source.text[offset:]
        return QueryParseError(
            f"the string that starts here has no closing {character}",
            hint=f"a {character} after a backslash never closes a string, not even after two" if has_escape else None,
            place=position,
            expected=(f"`{character}`",),
        )
    called = unicodedata.name(character, "")
    named = f"{character!r}" if character.isascii() or not called else f"{character!r} ({called})"
    return QueryParseError(f"unexpected character {named}", hint=_HINTS.get(character), place=position)


MAX_BYTES: Final = 1 << 20
MAX_LEVELS: Final = 100
MAX_LITERAL_ITEMS: Final = 100_000

_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "=="})
_BOOLEANS: Final = {"true": True, "True": True, "false": False, "False": False}
_STRAY: Final = {
    "elif": "`elif` has no `if` before it",
    "else": "`else` has no `if` before it",
    "}": "this `}` closes nothing",
    "]": "this `]` closes nothing",
    ")": "this `)` closes nothing",
}
_VALUE: Final = "a value"

_Item = TypeVar("_Item")


def parse(source: SourceText) -> Program:
    """Parse a program. Raises QueryParseError, with the position and what was expected there."""
    size = len(source.text.encode(errors="surrogatepass"))
    if size > MAX_BYTES:
        raise QueryParseError(f"the program has {size:,} bytes; the maximum is {MAX_BYTES:,}")
    return _Parser(source).program()


class _Parser:
    """Reads tokens from left to right; every method parses one rule of the grammar."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._tokens = tokens(source)
        self._next = 0
        self._open: list[Token] = []  # unclosed brackets
        self._named: dict[str, int] = {}  # variables, and the last statement of the program that names them
        self._statement = 0  # of the program; nested ones do not count

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def program(self) -> Program:
        statements = self._statements(END)
        last_named: list[list[str]] = [[] for _ in statements]
        for name, statement in self._named.items():
            last_named[statement].append(name)
        return Program(self._source, statements, tuple(map(tuple, last_named)))

    def _statements(self, closing: str) -> tuple[Statement, ...]:
        """Statements up to the closing token, which is not consumed."""
        statements: list[Statement] = []
        while (kind := self._token.kind) != closing:
            if closing == END:
                self._statement = len(statements)
            if kind == ";":
                self._next += 1
            elif kind == "if":
                statements.append(self._if())
            elif kind in _STRAY:
                raise self._wrong(_STRAY[kind], "a statement")
            elif kind == END:
                raise self._unexpected(f"`{closing}`")
            else:
                statements.append(self._simple())
                if self._token.kind not in (";", closing):
                    raise self._unexpected("`;`", "`}`") if closing == "}" else self._unexpected("`;`")
        return tuple(statements)

    def _if(self) -> If:
        branches = [self._branch()]
        while self._token.kind == "elif":
            branches.append(self._branch())
        otherwise: tuple[Statement, ...] = ()
        if self._token.kind == "else":
            self._next += 1
            otherwise = self._block()
        return If(branches[0].offset, branches[0].end, tuple(branches), otherwise)

    def _branch(self) -> Branch:
        offset = self._take().offset
        condition = self._expression()
        end = self._tokens[self._next - 1].end
        return Branch(offset, end, condition, self._block())

    def _block(self) -> tuple[Statement, ...]:
        if self._token.kind != "{":
            raise self._unexpected("`{`")
        self._enter()
        statements = self._statements("}")
        self._leave()
        return statements

    def _simple(self) -> Simple:
        first = self._token
        is_return = first.kind == "return"
        if is_return:
            self._next += 1
        target: str | None = None
        name = self._token
        if name.kind == NAME and self._tokens[self._next + 1].kind == "=":
            target = name.text
            self._named[target] = self._statement
            self._next += 2
        value = self._expression()
        return Simple(first.offset, self._tokens[self._next - 1].end, target, value, is_return)

    def _expression(self) -> Expression:
        first = self._primary()
        if self._token.kind not in _OPERATORS:
            return first
        operations: list[BinaryOperation] = []
        while (token := self._token).kind in _OPERATORS:
            self._next += 1
            operator = cast("Operator", token.kind)  # it is one of them
            operations.append(BinaryOperation(token.offset, operator, self._primary()))
        return Chain(first.offset, first, tuple(operations))

    def _primary(self) -> Expression:
        token = self._tokens[self._next]
        kind = token.kind
        if kind == STRING:
            self._next += 1
            return Constant(token.offset, token.text)
        if kind == NAME:
            self._next += 1
            if self._token.kind == "(":
                return Call(token.offset, token.text, self._sequence(self._expression, ")"))
            self._named[token.text] = self._statement
            return Variable(token.offset, token.text)
        if kind == "[":
            return ListLiteral(token.offset, self._sequence(self._expression, "]"))
        if kind == "{":
            return DictLiteral(token.offset, self._sequence(self._entry, "}"))
        if kind == NUMBER:
            return Constant(token.offset, self._number())
        if kind in _BOOLEANS:
            self._next += 1
            return Constant(token.offset, _BOOLEANS[kind])
        if kind == "(":
            return self._parenthesised()
        raise self._unexpected(_VALUE)

    def _parenthesised(self) -> Expression:
        self._enter()
        inner = self._expression()
        if self._token.kind != ")":
            raise self._unexpected("`)`")
        self._leave()
        return inner

    def _sequence(self, read: Callable[[], _Item], closing: str) -> tuple[_Item, ...]:
        """Items separated by commas, from the opening bracket to the closing one."""
        self._enter()
        items: list[_Item] = []
        if self._token.kind != closing:
            items.append(read())
            while self._token.kind == ",":
                if len(items) == MAX_LITERAL_ITEMS:
                    raise self._wrong(f"more than {MAX_LITERAL_ITEMS:,} items between two brackets")
                self._next += 1
                items.append(read())
            if self._token.kind != closing:
                raise self._unexpected(f"`{closing}`", "`,`")
        self._leave()
        return tuple(items)

    def _entry(self) -> Entry:
        key = self._token
        if key.kind != STRING:
            raise self._unexpected("a string as key")
        self._next += 1
        if self._token.kind != ":":
            raise self._unexpected("`:`")
        self._next += 1
        return Entry(key.offset, key.text, self._expression())

    def _number(self) -> float:
        token = self._token
        number = float(token.text)
        if math.isinf(number):
            raise self._wrong("this number is too large")
        self._next += 1
        return number

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _enter(self) -> None:
        """Consume an opening bracket."""
        if len(self._open) == MAX_LEVELS:
            raise self._wrong(f"nested deeper than {MAX_LEVELS} levels", hint="assign inner parts to variables")
        self._open.append(self._take())

    def _leave(self) -> None:
        """Consume the closing bracket."""
        self._open.pop()
        self._next += 1

    def _unexpected(self, *expected: str) -> QueryParseError:
        token = self._token
        *others, last = expected
        wanted = f"{', '.join(others)} or {last}" if others else last
        return self._wrong(
            f"expected {wanted}, found {_named(token)}", *expected, hint=self._suggestion(token, expected)
        )

    def _suggestion(self, token: Token, expected: tuple[str, ...]) -> str | None:
        """A suggestion for an unexpected token."""
        if token.kind == END and self._open:
            opening = self._open[-1]
            return f"the `{opening.kind}` on line {self._source.line(opening.offset)} is not closed"
        before = self._tokens[self._next - 1].kind
        if token.kind == "=" and before in KEYWORDS:
            return f"`{before}` is a keyword, and cannot be assigned to"
        if token.kind == "=":
            return "only a variable can be assigned to, in a statement of its own; `==` compares"
        if token.kind in KEYWORDS:
            return f"`{token.kind}` is a keyword, and can only start a statement or continue an `if`"
        if token.kind in ("]", "}", ")") and before == ",":
            return f"leave out the comma before `{token.kind}`"
        if token.kind == "-" and _VALUE in expected:
            return "numbers have no sign; write 0 - 1 for -1"
        return None

    def _wrong(self, message: str, *expected: str, hint: str | None = None) -> QueryParseError:
        return QueryParseError(message, hint=hint, place=self._source.place(self._token.offset), expected=expected)


def _named(token: Token) -> str:
    if token.kind in (END, STRING):
        return token.kind
    return f"`{shorten(token.text)}`"
