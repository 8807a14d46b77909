"""Runs a program, statement by statement."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Final, TypeAlias

import numpy as np

from dayline.model.data import same_data
from dayline.model.errors import BucketNotFound
from dayline.query.columns.distinct import distinct
from dayline.query.columns.table import Table
from dayline.query.errors import QueryError, QueryInterpretError
from dayline.query.functions.selecting import concatenate
from dayline.query.language.ast import (
    Call,
    Chain,
    Constant,
    DictLiteral,
    Expression,
    If,
    ListLiteral,
    Operator,
    Program,
    Simple,
    Statement,
    Variable,
)
from dayline.query.language.checking import checked, no_bucket, no_function, no_result, no_variable, placed
from dayline.query.language.signatures import SIGNATURES
from dayline.query.language.values import (
    MAX_EVENTS,
    MAX_ITEMS,
    MAX_STRING_CHARACTERS,
    RESULT,
    Context,
    Environment,
    Function,
    SingleEvent,
    Trace,
    Value,
    check_levels,
    is_list,
    kind_of,
    single_events,
)


def same_events(one: Table, other: Table) -> bool:
    """Equal starts, durations and data, in the same order. Ids do not count."""
    if len(one) != len(other):
        return False
    if not (np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)):
        return False
    size = len(other.data)
    pairs = distinct(one.value.astype(np.int64) * size + other.value)
    if one.data is other.data:
        pairs = pairs[pairs // size != pairs % size]
    texts = one.data.texts((pairs // size).astype(np.int32))
    other_texts = other.data.texts((pairs % size).astype(np.int32))
    return all(map(same_data, texts, other_texts))


# The operators of the language. They raise errors without a position, which only the interpreter knows.


_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": float.__add__,
    "-": float.__sub__,
    "*": float.__mul__,
    "/": float.__truediv__,
    "%": math.fmod,  # with the sign of the dividend
}


def applied(sign: Operator, left: Value, right: Value) -> Value:
    """The value of `left sign right`. Raises QueryInterpretError."""
    if isinstance(left, float) and isinstance(right, float) and sign != "==":
        return _calculated(sign, left, right)
    if sign == "==":
        if not _are_of_one_type(left, right):
            raise QueryInterpretError(f"`==` compares values of one type, not {kind_of(left)} with {kind_of(right)}")
        return equal(left, right)
    if sign != "+":
        raise QueryInterpretError(f"`{sign}` takes two numbers, not {kind_of(left)} and {kind_of(right)}")
    if isinstance(left, str) and isinstance(right, str):
        return _joined(left, right)
    if is_list(left) and is_list(right):
        return concatenated((left, right))
    raise QueryInterpretError(
        f"`+` takes two numbers, two strings or two lists, not {kind_of(left)} and {kind_of(right)}"
    )


def equal(left: Value, right: Value) -> bool:
    """Deep equality. Values of different types are not equal; lists of any kind are lists."""
    waiting: list[tuple[Value, Value]] = [(left, right)]
    compared: set[tuple[int, int]] = set()  # lists may share parts, which need not be compared again
    while waiting:
        one, other = waiting.pop()
        if not _are_of_one_type(one, other):
            return False
        if isinstance(one, list | dict | Table):
            if (id(one), id(other)) in compared:
                continue
            compared.add((id(one), id(other)))
            pairs = _pairs(one, other)
            if pairs is None:
                return False
            waiting.extend(pairs)
        elif not _same_alone(one, other):
            return False
    return True


def concatenated(parts: Sequence[list[Value] | Table]) -> list[Value] | Table:
    """Concatenate lists: a list of events if all items are events, otherwise a plain list."""
    size = sum(map(len, parts))
    filled = [part for part in parts if len(part)] or list(parts[:1])
    if len(filled) <= 1:
        return filled[0] if filled else []
    tables = [part for part in filled if isinstance(part, Table)]
    if len(tables) == len(filled):
        if size > MAX_EVENTS:
            raise QueryInterpretError(f"a list of {size:,} events is too long; it may have {MAX_EVENTS:,}")
        return concatenate(tables)
    if size > MAX_ITEMS:
        raise QueryInterpretError(f"a list of {size:,} items is too long; it may have {MAX_ITEMS:,}")
    return [item for part in filled for item in (single_events(part) if isinstance(part, Table) else part)]


def _calculated(sign: Operator, left: float, right: float) -> float:
    if right == 0 and sign in "/%":
        raise QueryInterpretError("division by zero" if sign == "/" else "the remainder of a division by zero")
    result = _ARITHMETIC[sign](left, right)
    if not math.isfinite(result):
        raise QueryInterpretError("the result is too large for a number")
    return result


def _joined(left: str, right: str) -> str:
    size = len(left) + len(right)
    if size > MAX_STRING_CHARACTERS:
        raise QueryInterpretError(f"a string of {size:,} characters is too long; it may have {MAX_STRING_CHARACTERS:,}")
    return left + right


def _are_of_one_type(one: Value, other: Value) -> bool:
    if isinstance(one, float):
        return isinstance(other, float)
    return type(one) is type(other) or (is_list(one) and is_list(other))


def _pairs(one: Value, other: Value) -> Iterable[tuple[Value, Value]] | None:
    """What must be equal for two lists or two dicts to be equal; None: they are not."""
    if isinstance(one, Table) and isinstance(other, Table):
        return () if same_events(one, other) else None
    if isinstance(one, dict) and isinstance(other, dict):
        return [(value, other[key]) for key, value in one.items()] if one.keys() == other.keys() else None
    if is_list(one) and is_list(other) and len(one) == len(other):
        return zip(_listed(one), _listed(other), strict=True)
    return None


def _listed(value: list[Value] | Table) -> list[Value]:
    return single_events(value) if isinstance(value, Table) else value


def _same_alone(one: Value, other: Value) -> bool:
    if isinstance(one, SingleEvent) and isinstance(other, SingleEvent):
        return same_events(one.table, other.table)
    return one == other


Report: TypeAlias = Callable[[Statement, float, Trace], None]  # a statement, its seconds, and its trace


def run(
    program: Program,
    context: Context,
    *,
    functions: Mapping[str, Function],
    name: str = "",
    report: Report | None = None,
) -> Value:
    """The value of RETURN. Raises QueryError, with its position in the program.

    With `report`, each statement has its own trace; otherwise `context.trace` is for all.
    """
    return _Run(program, context, functions, name, report).result()


class _Run:
    def __init__(
        self, program: Program, context: Context, functions: Mapping[str, Function], name: str, report: Report | None
    ) -> None:
        self._program = program
        self._context = context
        self._functions = functions
        self._environment = Environment(context.period, name=name)
        self._report = report

    def result(self) -> Value:
        for statement, last_named in zip(self._program.statements, self._program.last_named, strict=True):
            self._run_all((statement,))
            self._environment.forget(last_named)
        if RESULT not in self._environment:
            raise no_result()
        return self._environment[RESULT]

    def _run_all(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            following = self._done(statement) if self._report is None else self._reported(statement, self._report)
            self._run_all(following)

    def _reported(self, statement: Statement, report: Report) -> Sequence[Statement]:
        self._context.trace = trace = Trace()
        start = perf_counter()
        following = self._done(statement)
        report(statement, perf_counter() - start, trace)
        return following

    def _done(self, statement: Statement) -> Sequence[Statement]:
        """Run a statement; returns the statements to run next."""
        if isinstance(statement, If):
            return self._chosen(statement)
        self._simple(statement)
        return ()

    def _simple(self, statement: Simple) -> None:
        value = self._value(statement.value)
        if isinstance(value, Table):
            self._context.trace.events_out = len(value)
        elif isinstance(value, list | dict) and not isinstance(statement.value, Variable):
            try:
                check_levels(value)
            except QueryError as error:
                raise self._placed(error, statement.value.offset) from error
        if statement.target is not None:
            self._environment.assign(statement.target, value)
        if statement.is_return:
            # An assignment has no value of its own.
            self._environment.assign(RESULT, value if statement.target is None else None)

    def _chosen(self, statement: If) -> Sequence[Statement]:
        for branch in statement.branches:
            condition = self._value(branch.condition)
            if not isinstance(condition, bool):
                error = QueryInterpretError(f"a condition must be a boolean, not {kind_of(condition)}")
                raise self._placed(error, branch.condition.offset)
            if condition:
                return branch.body
        return statement.otherwise

    def _value(self, expression: Expression) -> Value:
        match expression:
            case Constant():
                return expression.value
            case Variable():
                return self._variable(expression)
            case Call():
                return self._call(expression)
            case ListLiteral():
                return [self._value(item) for item in expression.items]
            case DictLiteral():
                return {entry.key: self._value(entry.value) for entry in expression.entries}
            case Chain():
                return self._chain(expression)

    def _variable(self, variable: Variable) -> Value:
        if variable.name not in self._environment:
            error = no_variable(variable.name, self._environment.names, self._functions)
            raise self._placed(error, variable.offset)
        return self._environment[variable.name]

    def _chain(self, chain: Chain) -> Value:
        value = self._value(chain.first)
        for operation in chain.operations:
            operand = self._value(operation.operand)
            try:
                value = applied(operation.operator, value, operand)
            except QueryError as error:
                raise self._placed(error, operation.offset) from error
        return value

    def _call(self, call: Call) -> Value:
        name = call.name
        function = self._functions.get(name)
        if function is None:
            raise self._placed(no_function(name, self._environment.names, self._functions), call.offset)
        values = [self._value(argument) for argument in call.arguments]
        try:
            signature = SIGNATURES[name]
            arguments = checked(signature, values)
            if signature.is_over_period:
                self._context.period = self._environment.period()
            trace = self._context.trace
            for argument in arguments:
                if isinstance(argument, Table):
                    trace.events_in += len(argument)
            return function(self._context, *arguments)
        except BucketNotFound as error:
            buckets = (bucket.id for bucket in self._context.source.buckets())
            raise self._placed(no_bucket(str(values[0]), buckets), call.offset, before=f"{name}: ") from error
        except QueryError as error:
            raise self._placed(error, call.offset, before=f"{name}: ") from error

    def _placed(self, error: QueryError, offset: int, *, before: str = "") -> QueryError:
        return placed(error, self._program.source.place(offset), before=before)
