"""Errors of functions: the message begins with the function, and the place is that of the call."""

import pytest

from dayline.model.errors import BucketNotFound, StoreUnusable
from dayline.query.errors import QueryFunctionError, QueryInterpretError, QueryTimeoutError
from dayline.query.language.environment import Context
from dayline.query.language.values import Value
from tests.query.language.running import context_of, place_of, result_of, task_refusal
from tests.support.query.tables import MemorySource


def missing(context: Context, bucket: str) -> Value:
    raise BucketNotFound(bucket)


def fussy(context: Context, *arguments: Value) -> Value:
    raise QueryFunctionError("that will not do", hint="try something else")


def slow(context: Context, *arguments: Value) -> Value:
    raise QueryTimeoutError("it took too long")


def broken(context: Context, *arguments: Value) -> Value:
    raise StoreUnusable("the disk is gone")


def test_an_error_gets_the_name_of_the_function_and_the_place_of_the_call() -> None:
    error = task_refusal("a = [];\nRETURN = 1 + flood(\n  a);", QueryFunctionError, functions={"flood": fussy})

    assert error.message == "flood: that will not do"
    assert error.hint == "try something else"
    place = place_of(error)
    assert (place.line, place.column, place.excerpt) == (2, 14, "RETURN = 1 + flood(\n             ^")


def test_an_error_of_an_inner_call_is_not_reported_as_one_of_the_outer_call() -> None:
    error = task_refusal("RETURN = concat([], flood([]));", QueryFunctionError, functions={"flood": fussy})

    assert error.message == "flood: that will not do"
    assert place_of(error).column == 21


def test_an_unknown_bucket_is_an_error_of_the_function() -> None:
    context = context_of(MemorySource({"aw-watcher-window_laptop": []}))
    text = 'RETURN = query_bucket("aw-watcher-window_labtop");'

    error = task_refusal(text, QueryFunctionError, functions={"query_bucket": missing}, context=context)

    assert error.message == "query_bucket: there is no bucket 'aw-watcher-window_labtop'"
    assert error.hint == "did you mean `aw-watcher-window_laptop`?"
    assert place_of(error).column == 10


def test_an_unknown_bucket_with_no_like_name_explains_how_to_list_them() -> None:
    error = task_refusal('RETURN = query_bucket("x");', QueryFunctionError, functions={"query_bucket": missing})

    assert error.hint == "query_bucket_names() lists the buckets"


def test_the_kind_of_an_error_stays() -> None:
    assert (
        task_refusal("RETURN = nop();", QueryTimeoutError, functions={"nop": slow}).message == "nop: it took too long"
    )


def test_what_is_no_error_of_the_query_goes_up_as_it_is() -> None:
    with pytest.raises(StoreUnusable):
        result_of("RETURN = nop();", functions={"nop": broken})


def test_arguments_are_worked_out_before_their_number_is_checked() -> None:
    error = task_refusal("RETURN = nop(x);", QueryInterpretError, functions={"nop": fussy})

    assert error.message == "no variable named `x`"
