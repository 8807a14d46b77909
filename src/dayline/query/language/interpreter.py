"""Runs a program, statement by statement."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TypeAlias

from dayline.model.errors import BucketNotFound
from dayline.query.columns.table import Table
from dayline.query.errors import QueryError, QueryInterpretError
from dayline.query.language.ast import (
    Call,
    Chain,
    Constant,
    DictLiteral,
    Expression,
    If,
    ListLiteral,
    Program,
    Simple,
    Statement,
    Variable,
)
from dayline.query.language.checking import checked
from dayline.query.language.environment import RESULT, Context, Environment, Function, Trace
from dayline.query.language.errors import no_bucket, no_function, no_result, no_variable, placed
from dayline.query.language.operators import applied
from dayline.query.language.signatures import SIGNATURES
from dayline.query.language.values import Value, check_levels, kind_of

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
