"""Calculating agrees with an obvious evaluator, whatever is written."""

import math
from random import Random
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.errors import QueryInterpretError
from dayline.query.language.ast import BinaryOperation, Chain, Constant, Expression, Operator, Simple
from tests.query.language.parsing.trees import NUMBERS
from tests.query.language.parsing.writing import written
from tests.query.language.running import result_of
from tests.support.profile import examples

WORDS = st.sampled_from(["", "a", "b", "ab"])
VALUES: st.SearchStrategy[float | str | bool] = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0]), NUMBERS, WORDS, st.booleans()
)
OPERATORS = st.sampled_from(get_args(Operator))


def chains(smaller: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    operations = st.builds(BinaryOperation, st.just(0), OPERATORS, smaller)
    return st.builds(Chain, st.just(0), smaller, st.lists(operations, min_size=1, max_size=3).map(tuple))


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    st.builds(Constant, st.just(0), VALUES), chains, max_leaves=10
)


@settings(max_examples=examples(300))
@given(EXPRESSIONS, st.integers(0, 2**32))
def test_an_expression_has_the_value_that_plain_python_gives(expression: Expression, seed: int) -> None:
    text = written([Simple(0, 0, "RETURN", expression, is_return=False)], Random(seed))
    try:
        expected = obvious(expression)
    except (TypeError, ArithmeticError):
        expected = None

    try:
        found = result_of(text)
    except QueryInterpretError:
        found = None

    assert (type(found), found) == (type(expected), expected)


def obvious(expression: Expression) -> float | str | bool:
    """The value; TypeError or ArithmeticError where there is none."""
    if isinstance(expression, Constant):
        return expression.value
    assert isinstance(expression, Chain)
    value = obvious(expression.first)
    for operation in expression.operations:
        value = step(operation.operator, value, obvious(operation.operand))
    return value


def step(operator: str, left: float | str | bool, right: float | str | bool) -> float | str | bool:
    if type(left) is not type(right):
        raise TypeError
    if operator == "==":
        return left == right
    if isinstance(left, str) and isinstance(right, str) and operator == "+":
        return left + right
    if not isinstance(left, float) or not isinstance(right, float):
        raise TypeError
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            if not right:
                raise ZeroDivisionError
            # The remainder of dividing without the signs, with the sign of the dividend.
            return math.copysign(abs(left) % abs(right), left)
