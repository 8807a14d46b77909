"""An event's `data`: any JSON object, stored as canonical JSON text; and decoding requests.

Canonical means: keys sorted, no blanks, shortest numbers. `1` and `1.0` stay distinct in the text, so that they are
returned as they were sent, and are equal when compared.
"""

import re
import sys
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

import msgspec

from dayline.model.errors import Invalid, Malformed, TooLarge

CanonicalJson = bytes

EMPTY: Final[CanonicalJson] = b"{}"
UNLIMITED: Final = sys.maxsize  # bytes of an event's data
# Deeper than any real data, shallower than where a parser's recursion ends (protocol: 100 must work, 200 must not).
MAX_DEPTH: Final = 128

decode_value = msgspec.json.Decoder().decode
# The canonical text of a decoded JSON value.
canonical_json: Final = msgspec.json.Encoder(order="sorted").encode
_REPEATED_BYTES: Final = 1024  # what a watcher repeats is short; the cache below stays under 2 MiB
_STRING_OR_BRACKET = re.compile(rb'"[^"]*"?|[\[\]{}]')  # of a text without escaped quotes; a string may be unclosed
# An escape of a string: a whole surrogate pair, half of one (group 1), or anything else.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)

# A number with a fraction or an exponent. Strings may match too, which only costs time.
_MAY_HOLD_A_FLOAT: Final = re.compile(rb"(?:^|[\[:,])-?[0-9]+[.eE]")

T = TypeVar("T")


def canonical_data(raw: bytes | msgspec.Raw) -> CanonicalJson:
    """Canonical text of a JSON object as a client sent it. Raises Malformed or Invalid."""
    text = bytes(raw)
    return _canonical_again(text) if len(text) <= _REPEATED_BYTES else _canonical(text)


def check_data_size(data: CanonicalJson, limit: int) -> None:
    """Raise TooLarge if the data has more bytes than the limit."""
    if len(data) > limit:
        raise TooLarge(
            f"data has {len(data):,} bytes; the limit is {limit:,} bytes",
            hint="send less, or raise limits.event_kib in the server's settings",
            field="data",
        )


def decode_json(text: bytes, *, field: str | None = None) -> Any:
    """Decode any JSON value with bounded nesting; every failure is a DaylineError."""
    check_depth(text, field=field)
    try:
        return decode_value(text)
    except msgspec.ValidationError as error:  # a number that no double can hold
        raise Invalid(reason_of(error), field=field) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        lone = lone_surrogate(text)
        raise Malformed(reason_of(error) if lone is None else surrogate_reason(lone), field=field) from error


def lone_surrogate(text: bytes) -> str | None:
    r"""The first lone surrogate escape, such as `\ud800`, if it is the only reason why a text is rejected.

    The grammar of JSON allows it, but it is not a character and cannot be stored.
    """
    escapes = (escape for escape in _ESCAPE.finditer(text) if escape[1] is not None)
    first = next(escapes, None)
    if first is None:
        return None
    try:
        decode_value(_ESCAPE.sub(lambda escape: escape[0] if escape[1] is None else rb"\ufffd", text))
    except msgspec.ValidationError:
        pass  # valid JSON
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return first[0].decode()


def surrogate_reason(escape: str) -> str:
    """The message for a lone surrogate."""
    return f"the lone surrogate {escape} is not a character"


def same_data(one: CanonicalJson, other: CanonicalJson) -> bool:
    """Equality by value: key order is irrelevant, 99 equals 99.0, true is not 1."""
    if one == other:
        return True
    left, right = decode_value(one), decode_value(other)
    # Python's own comparison is right in nearly all cases: it is only wrong in treating true as 1.
    return bool(left == right) and _same_value(left, right)


def check_depth(text: bytes, *, field: str | None = None) -> None:
    """Raise Invalid if brackets nest deeper than MAX_DEPTH."""
    if len(text) <= MAX_DEPTH or text.count(b"{") + text.count(b"[") <= MAX_DEPTH:
        return
    if b"\\" in text:
        text = text.replace(rb"\\", b"").replace(rb"\"", b"")
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        byte = text[token.start()]
        if byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise Invalid(f"nested deeper than {MAX_DEPTH} levels", field=field)
        elif byte in b"]}":
            depth -= 1


def reason_of(error: Exception) -> str:
    """The decoder's message in our style."""
    if isinstance(error, UnicodeDecodeError):
        return f"not valid UTF-8 (byte {error.start})"
    message = str(error)
    if message == "Input data was truncated":
        return "unexpected end of the JSON text"
    return message if message.startswith("JSON") else message[:1].lower() + message[1:]


def kind_of(value: object) -> str:
    """The JSON type of a decoded value."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _canonical(text: bytes) -> CanonicalJson:
    value = decode_json(text, field="data")
    if type(value) is not dict:
        raise Invalid(f"data must be an object, not {kind_of(value)}", field="data")
    return canonical_json(value)


# A watcher repeats the same data, and the same text has the same canonical form.
_canonical_again = lru_cache(maxsize=1024)(_canonical)


def _same_value(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return left.keys() == right.keys() and all(_same_value(value, right[key]) for key, value in left.items())
    if isinstance(one, list) and isinstance(other, list):
        items, others = cast("list[object]", one), cast("list[object]", other)
        return len(items) == len(others) and all(map(_same_value, items, others))
    return one == other


def normal_form(text: CanonicalJson) -> bytes:
    """A text that equal values share: 1.0 is written as 1."""
    if _MAY_HOLD_A_FLOAT.search(text) is None:
        return text  # no number that could be written differently
    return canonical_json(_normal(decode_value(text)))


def _normal(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_normal(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in cast("dict[str, object]", value).items()}
    return value


def decode_body(body: bytes, kind: type[T]) -> T:
    """Decode a request's body. Raises Malformed for invalid JSON, Invalid for JSON of another shape."""
    check_depth(body)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise invalid(error, kind, _decoded(body)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if not body.strip():
            raise Malformed("the body is empty; JSON is required") from error
        raise Malformed(f"the body is not valid JSON: {reason_of(error)}") from error


def _decoded(body: bytes) -> object:
    try:
        return decode_value(body)
    except msgspec.DecodeError:  # a number that no double can hold
        return msgspec.UNSET


def invalid(error: msgspec.ValidationError, kind: Any, value: object, *, subject: str = "the body") -> Invalid:
    """The error of a decoded value that is not of this type."""
    from dayline.model.schema_errors import schema_error  # here, because only a wrong request needs it

    fault = schema_error(error, kind, value, subject=subject)
    return Invalid(fault.message, field=fault.field)
