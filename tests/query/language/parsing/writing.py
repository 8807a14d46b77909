"""Writes a tree as the text of a program, with chance in everything that has no meaning."""

from collections.abc import Iterable, Sequence
from random import Random

from dayline.query.language.ast import (
    Call,
    Chain,
    Constant,
    DictLiteral,
    Expression,
    If,
    ListLiteral,
    Simple,
    Statement,
    Variable,
)

BLANKS = [" ", "\t", "\n", "\r\n", "\r", "# \"a comment; } with a ' quote\n", "#\r"]


def written(statements: Sequence[Statement], chance: Random) -> str:
    """A program that reads as these statements."""
    text = ""
    for token in _Writer(chance).statements(statements):
        must_part = text[-1:].isalnum() or text.endswith(("_", "."))
        blanks = chance.choices(BLANKS, k=chance.choice([0, 0, 1, 1, 2]))
        if must_part and (token[0].isalnum() or token[0] == "_") and not blanks:
            blanks = [" "]
        text += "".join(blanks) + token
    return text + "".join(chance.choices(BLANKS, k=chance.choice([0, 1])))


class _Writer:
    """The tokens of each part of a tree."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def statements(self, statements: Sequence[Statement]) -> Iterable[str]:
        for position, statement in enumerate(statements, 1):
            yield from self._semicolons()
            if isinstance(statement, If):
                yield from self._if(statement)
            else:
                yield from self._simple(statement)
                # The last one may do without.
                yield from [";"] if position < len(statements) else self._semicolons()
        yield from self._semicolons()

    def _semicolons(self) -> Iterable[str]:
        return [";"] * self._chance.choice([0, 0, 0, 1, 2])

    def _if(self, statement: If) -> Iterable[str]:
        for position, branch in enumerate(statement.branches):
            yield "elif" if position else "if"
            yield from self._expression(branch.condition)
            yield from self._block(branch.body)
        if statement.otherwise or self._chance.random() < 0.2:
            yield "else"
            yield from self._block(statement.otherwise)

    def _block(self, body: Sequence[Statement]) -> Iterable[str]:
        yield "{"
        yield from self.statements(body)
        yield "}"

    def _simple(self, statement: Simple) -> Iterable[str]:
        if statement.is_return:
            yield "return"
        if statement.target is not None:
            yield statement.target
            yield "="
        yield from self._expression(statement.value)

    def _expression(self, expression: Expression) -> Iterable[str]:
        match expression:
            case Constant():
                yield self._constant(expression.value)
            case Variable():
                yield expression.name
            case Call():
                yield expression.name
                yield from self._bracketed("(", [self._expression(each) for each in expression.arguments], ")")
            case ListLiteral():
                yield from self._bracketed("[", [self._expression(each) for each in expression.items], "]")
            case DictLiteral():
                entries = [
                    [self._constant(each.key), ":", *self._expression(each.value)] for each in expression.entries
                ]
                yield from self._bracketed("{", entries, "}")
            case Chain():
                yield from self._operand(expression.first)
                for operation in expression.operations:
                    yield operation.operator
                    yield from self._operand(operation.operand)

    def _operand(self, expression: Expression) -> Iterable[str]:
        # A chain within a chain needs parentheses; anything else may have them.
        if isinstance(expression, Chain) or self._chance.random() < 0.2:
            return ["(", *self._expression(expression), ")"]
        return self._expression(expression)

    def _bracketed(self, opening: str, items: Iterable[Iterable[str]], closing: str) -> Iterable[str]:
        yield opening
        for position, item in enumerate(items):
            if position:
                yield ","
            yield from item
        yield closing

    def _constant(self, value: float | str | bool) -> str:
        if isinstance(value, str):
            quote = self._chance.choice("\"'")
            return quote + value.replace(quote, f"\\{quote}") + quote
        if isinstance(value, bool):
            return self._chance.choice(["true", "True"] if value else ["false", "False"])
        if value.is_integer():
            return self._chance.choice(["{:.0f}", "{:.0f}.", "{:.0f}.00", "00{:.0f}"]).format(value)
        return repr(value)
