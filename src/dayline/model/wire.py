"""JSON bodies: decoded into structs, with every failure told in our family of errors."""

import re
from typing import TypeVar

import msgspec

from dayline.model.data import check_depth, reason_of
from dayline.model.errors import Invalid, Malformed

T = TypeVar("T")

_PLACE = re.compile(r"(?P<reason>.*?) - at `(?:key in )?\$\.?(?P<field>[^`]*)`", re.DOTALL)
_MISSING = re.compile(r"object missing required field `(?P<name>[^`]*)`")
_UNKNOWN = re.compile(r"object contains unknown field `(?P<name>[^`]*)`")


def decode_body(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode a request's body. Raises Malformed for what is not JSON, Invalid for JSON of another shape."""
    check_depth(body)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _invalid(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if not body.strip():
            raise Malformed("the body is empty where JSON is expected") from error
        raise Malformed(f"the body is not valid JSON: {reason_of(error)}") from error


def _invalid(error: msgspec.ValidationError) -> Invalid:
    reason, field = reason_of(error), None
    place = _PLACE.fullmatch(reason)
    if place is not None:
        reason, field = place["reason"], place["field"] or None
    missing = _MISSING.fullmatch(reason)
    if missing is not None:
        field = f"{field}.{missing['name']}" if field else missing["name"]
        return Invalid(f"{field} is missing", field=field)
    unknown = _UNKNOWN.fullmatch(reason)
    if unknown is not None:
        field = f"{field}.{unknown['name']}" if field else unknown["name"]
        return Invalid(f"there is no field {field!r} here", field=field)
    return Invalid(f"{field}: {reason}" if field else reason, field=field)
