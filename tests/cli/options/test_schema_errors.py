"""Errors of msgspec as sentences, for every way in which it words them."""

from typing import Annotated, Any, Final, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from dayline.model.schema_errors import schema_error


class Item(Struct, forbid_unknown_fields=True):
    value: str = ""
    size: Annotated[int, Meta(ge=1, le=9)] = 1


class Whole(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=5)] = "a"
    port: Annotated[int, Meta(le=65535)] | None = None
    hours: Annotated[str, Meta(pattern="^[0-9]{2}:[0-9]{2}$", examples=["09:00"])] | None = None
    level: Literal["low", "high"] = "low"
    share: Annotated[float, Meta(gt=0)] = 1.0
    items: Annotated[list[Item], Meta(max_length=2)] = []
    by_name: dict[str, Item] = {}
    pair: tuple[int, int] = (1, 2)
    is_on: bool = True
    secret: Annotated[str, Meta(max_length=5)] = ""


CASES: Final[list[tuple[Any, str | None, str]]] = [
    ([], None, "the body must be an object (got a list)"),
    ({"name": 5}, "name", "name must be a string (got 5)"),
    ({"name": ""}, "name", "name must not be empty (got '')"),
    ({"name": "abcdef"}, "name", "name must have at most 5 characters (got 'abcdef')"),
    ({"port": "x"}, "port", "port must be a whole number or null (got 'x')"),
    ({"port": 99999}, "port", "port must be at most 65535 (got 99999)"),
    ({"port": 1.5}, "port", "port must be a whole number or null (got 1.5)"),
    ({"hours": "9"}, "hours", "hours must be written like 09:00 (got '9')"),
    ({"hours": 9}, "hours", "hours must be a string or null, such as 09:00 (got 9)"),
    ({"level": "loud"}, "level", "level must be one of high, low (got 'loud')"),
    ({"level": 3}, "level", "level must be one of high, low (got 3)"),
    ({"share": 0}, "share", "share must be more than 0.0 (got 0)"),
    ({"is_on": None}, "is_on", "is_on must be true or false (got null)"),
    ({"items": {}}, "items", "items must be a list (got an object)"),
    ({"items": [{}, {"size": 0}]}, "items[1].size", "items[1].size must be at least 1 (got 0)"),
    ({"items": [{}, {}, {}]}, "items", "items must have at most 2 items"),
    ({"items": [{"valu": 1}]}, "items[0].valu", "unknown field 'items[0].valu'"),
    ({"by_name": {"x.y": {"size": "a"}}}, "by_name[...].size", "by_name[...].size must be a whole number"),
    ({"pair": [1]}, "pair", "pair must be a list of 2 items"),
    ({"secret": "abcdef"}, "secret", "secret must have at most 5 characters"),
]


@pytest.mark.parametrize(("value", "field", "message"), CASES)
def test_an_error_of_a_schema_is_a_sentence_without_types_or_patterns(
    value: Any, field: str | None, message: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Whole)

    fault = schema_error(raised.value, Whole, value)

    assert fault.field == field
    assert fault.message.startswith(message)
    assert "`" not in fault.message
    assert "secret" not in value or "abcdef" not in fault.message
