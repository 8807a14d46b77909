"""What is distinct among numbers, as numpy itself finds it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dayline.query.columns.distinct import distinct, lookup, used_codes
from dayline.storage.columns.source import MISSING

NUMBERS = st.lists(st.integers(-(2**62), 2**62) | st.integers(-3, 3))


@given(NUMBERS)
def test_each_value_comes_once_in_order(values: list[int]) -> None:
    found = distinct(np.array(values, dtype=np.int64))

    assert found.dtype == np.int64
    assert found.tolist() == sorted(set(values))


@given(st.lists(st.integers(MISSING, 9)), st.integers(10, 1000))
def test_codes_that_are_used_are_found_among_few_and_many(codes: list[int], size: int) -> None:
    assert used_codes(np.array(codes, dtype=np.int32), size).tolist() == sorted({*codes} - {MISSING})


@given(st.lists(st.booleans()), st.data())
def test_what_has_no_code_gets_the_value_for_missing(values: list[bool], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(MISSING, len(values) - 1)))

    found = lookup(np.array(values, dtype=np.bool_), np.array(codes, dtype=np.int32), True)

    assert found.dtype == np.bool_
    assert found.tolist() == [True if code == MISSING else values[code] for code in codes]
