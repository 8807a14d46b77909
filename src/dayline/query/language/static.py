"""Checks a program before it runs: names and numbers of arguments."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from dayline.query.errors import QueryError
from dayline.query.language.ast import (
    Call,
    Chain,
    DictLiteral,
    Expression,
    If,
    ListLiteral,
    Program,
    Simple,
    Statement,
    Variable,
)
from dayline.query.language.checking import check_count
from dayline.query.language.environment import PROVIDED, RESULT
from dayline.query.language.errors import no_function, no_result, no_variable, placed
from dayline.query.language.signatures import SIGNATURES

_Node: TypeAlias = Statement | Expression


def check(program: Program, functions: Collection[str]) -> None:
    """Raise the first error that a run would meet at that position, or that of a missing RETURN.

    Detects unknown functions, wrong numbers of arguments, and variables that nothing assigns.
    """
    assigned = PROVIDED | _assigned(program)
    for node in _nodes(program):
        try:
            if isinstance(node, Variable) and node.name not in assigned:
                raise no_variable(node.name, assigned, functions)
            if isinstance(node, Call):
                if node.name not in functions:
                    raise no_function(node.name, assigned, functions)
                check_count(SIGNATURES[node.name], len(node.arguments))
        except QueryError as error:
            before = f"{node.name}: " if isinstance(node, Call) and node.name in functions else ""
            raise placed(error, program.source.place(node.offset), before=before) from error
    if RESULT not in assigned:
        raise no_result()


def _assigned(program: Program) -> frozenset[str]:
    simples = [node for node in _nodes(program) if isinstance(node, Simple)]
    targets = {simple.target for simple in simples if simple.target is not None}
    return frozenset(targets | {RESULT for simple in simples if simple.is_return})


def _nodes(program: Program) -> Iterator[_Node]:
    """All statements and expressions, in the order of the text."""
    waiting: list[_Node] = list(reversed(program.statements))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(_parts(node)))


def _parts(node: _Node) -> Sequence[_Node]:
    match node:
        case Simple():
            return (node.value,)
        case If():
            branches = [part for branch in node.branches for part in (branch.condition, *branch.body)]
            return [*branches, *node.otherwise]
        case Call():
            return node.arguments
        case ListLiteral():
            return node.items
        case DictLiteral():
            return [entry.value for entry in node.entries]
        case Chain():
            return [node.first, *(operation.operand for operation in node.operations)]
        case _:
            return ()
