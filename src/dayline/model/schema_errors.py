"""Errors of msgspec as sentences: the field, what it must be, an example, and the value that was given.

This is the only place that knows how msgspec words them, so that no type, pattern or path of its own is shown.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

_LOCATION: Final = re.compile(r"(?P<reason>.*?) - at `(?:key in )?\$\.?(?P<field>[^`]*)`", re.DOTALL)
_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+|\.\.\.)\]")
_NAMES: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a string",
}
_ORDERS: Final = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "==": "exactly"}
_UNITS: Final = {"str": "character", "array": "item", "object": "entry"}
_SECRETS: Final = frozenset({"key", "code", "secret", "ticket", "token"})  # a message may be written to a log
_MAX_SHOWN: Final = 40  # characters of a value


class SchemaError(Struct, frozen=True):
    """A value that does not fit its type: its field, None for the whole value, and a sentence."""

    field: str | None
    message: str


def schema_error(
    error: msgspec.ValidationError, kind: Any, value: object = msgspec.UNSET, *, subject: str = "the body"
) -> SchemaError:
    """The error as a sentence. `kind` is the type that was expected, and `value` what was given, if it is known.

    `subject` names the whole value, in errors that are not about a field of it.
    """
    match = _LOCATION.fullmatch(str(error))
    reason, field = (str(error), "") if match is None else (match["reason"], match["field"])
    for pattern, text in (
        (r"Object missing required field `([^`]*)`", "{} is missing"),
        (r"Object contains unknown field `([^`]*)`", "unknown field {!r}"),
    ):
        named = re.fullmatch(pattern, reason)
        if named is not None:
            path = f"{field}.{named[1]}" if field else named[1]
            return SchemaError(path, text.format(path))
    steps = [name or index for name, index in _STEP.findall(field)]
    expected = _expected(reason, list(_leaves(kind, steps)))
    if expected is None:
        return SchemaError(field or None, f"{field or subject}: {reason[:1].lower()}{reason[1:]}")
    return SchemaError(field or None, f"{field or subject} {expected}{_got(value, steps, reason)}")


def _expected(reason: str, leaves: list["_Leaf"]) -> str | None:
    """What the value must be; None for a reason that is not known."""
    example = next((each.example for each in leaves if each.example is not None), None)
    such_as = "" if example is None else f", such as {example}"
    patterns: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
        (r"Expected `(int|float)` (>=|<=|>|<) (\S+)", lambda match: f"must be {_ORDERS[match[2]]} {match[3]}"),
        (r"Expected `(str|array|object)` of length (>=|<=|==) (\d+)", _length),
        (r"Expected `(array)` of (?:at least )?length (\d+)(?: to \d+)?.*", _items),
        (
            r"Expected `str` matching regex .*",
            lambda _: "must be written differently" if example is None else f"must be written like {example}",
        ),
        (r"Invalid enum value .*", lambda _: f"must be one of {', '.join(_choices(leaves))}"),
        (r"Invalid RFC3339 .*", lambda _: "must be a time such as 2026-03-05T14:30:00Z"),
        (r"(?:Integer value|Number) out of range", lambda _: "is too large"),
        (r"Expected `([^`]+)`(?:, got `[^`]+`)?", lambda match: _types(match, leaves, such_as)),
    )
    for pattern, sentence in patterns:
        match = re.fullmatch(pattern, reason, re.DOTALL)
        if match is not None:
            return sentence(match)
    return None


def _length(match: re.Match[str]) -> str:
    unit, order, count = _UNITS[match[1]], _ORDERS[match[2]], int(match[3])
    if (match[2], count) == (">=", 1):
        return "must not be empty"
    return f"must have {order} {count:,} {unit}{'' if count == 1 else 's'}"


def _items(match: re.Match[str]) -> str:
    return f"must be a list of {match[2]} items"


def _types(match: re.Match[str], leaves: list["_Leaf"], such_as: str) -> str:
    choices = _choices(leaves)
    if choices:
        return f"must be one of {', '.join(choices)}"
    names = [_NAMES.get(name, name) for name in match[1].split(" | ")]
    return f"must be {' or '.join(names)}{such_as if len(names) == 1 or 'null' in names else ''}"


class _Leaf(Struct, frozen=True):
    """A type at the end of a path."""

    type: msgspec.inspect.Type
    example: str | None


def _leaves(kind: Any, steps: list[str]) -> Iterator[_Leaf]:
    yield from _walk(msgspec.inspect.type_info(kind), steps, None)


def _walk(kind: msgspec.inspect.Type, steps: list[str], example: str | None) -> Iterator[_Leaf]:
    match kind:
        case msgspec.inspect.Metadata():
            examples: list[Any] = cast("dict[str, Any]", kind.extra_json_schema or {}).get("examples", [])
            inner = _as_text(examples[0]) if examples and not steps else example
            yield from _walk(kind.type, steps, inner)
        case msgspec.inspect.UnionType():
            for each in kind.types:
                yield from _walk(each, steps, example)
        case _ if not steps:
            yield _Leaf(kind, example)
        case _:
            for child in _children(kind, steps[0]):
                yield from _walk(child, steps[1:], None)


def _children(kind: msgspec.inspect.Type, step: str) -> Iterator[msgspec.inspect.Type]:
    match kind:
        case msgspec.inspect.StructType():
            yield from (field.type for field in kind.fields if field.encode_name == step)
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType() | msgspec.inspect.SetType():
            yield kind.item_type
        case msgspec.inspect.TupleType() if step.isdecimal() and int(step) < len(kind.item_types):
            yield kind.item_types[int(step)]
        case msgspec.inspect.DictType():
            yield kind.value_type
        case _:
            return


def _choices(leaves: list[_Leaf]) -> list[str]:
    values: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf.type, msgspec.inspect.LiteralType):
            values.extend(leaf.type.values)
        elif isinstance(leaf.type, msgspec.inspect.EnumType):
            values.extend(member.value for member in leaf.type.cls)
    return [str(each) for each in values]


def _got(value: object, steps: list[str], reason: str) -> str:
    """The value that was given, as far as it is known, no secret, and short enough to help."""
    if steps and steps[-1] in _SECRETS:
        return ""
    for step in steps:
        if isinstance(value, dict):
            value = cast("dict[str, object]", value).get(step, msgspec.UNSET)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(cast("list[object]", value)):
            value = cast("list[object]", value)[int(step)]
        else:
            value = msgspec.UNSET
    if isinstance(value, list | tuple):
        return " (got a list)" if " of length" not in reason else ""
    if isinstance(value, dict):
        return " (got an object)"
    if value is msgspec.UNSET:
        kind = re.search(r", got `([^`]+)`$", reason)
        return "" if kind is None else f" (got {_NAMES.get(kind[1], kind[1])})"
    return f" (got {_as_text(value)})" if not isinstance(value, str) else f" (got {_shortened(value)!r})"


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
