"""Checks the arguments of a call against the signature of its function."""

from collections.abc import Sequence
from typing import Final

from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryFunctionError, QueryInterpretError
from dayline.query.functions.ordering import concatenate
from dayline.query.language.signatures import Kind, Parameter, Signature
from dayline.query.language.values import MAX_ITEMS, SingleEvent, Value, kind_of

_WANTED: Final[dict[Kind, str]] = {
    "events": "a list of events",
    "string": "a string",
    "number": "a number",
    "boolean": "a boolean",
    "list": "a list of values",
    "keys": "a list of strings",
    "list or events": "a list",
    "list or dict": "a list or a dict",
    "any": "a value",
    "nothing": "nothing",
}


def check_count(signature: Signature, given: int) -> None:
    """Raise QueryInterpretError for too few or too many arguments."""
    fewest, most = signature.fewest, signature.most
    if most is None or fewest <= given <= most:  # those that take any number need none
        return
    wanted = f"{fewest}" if fewest == most else f"{fewest} or {most}"
    noun = "argument" if wanted == "1" else "arguments"
    raise QueryInterpretError(f"takes {wanted} {noun}, not {given}", hint=f"write {signature.form}")


def checked(signature: Signature, values: Sequence[Value]) -> list[Value]:
    """The arguments as the function gets them. Raises QueryInterpretError (count) or QueryFunctionError (kind)."""
    check_count(signature, len(values))
    parameters = signature.parameters
    last = len(parameters) - 1
    return [_taken(parameters[min(position, last)], value) for position, value in enumerate(values)]


def _taken(parameter: Parameter, value: Value) -> Value:
    match parameter.kind, value:
        case "any", _:
            return value
        case "events", Table():
            return value
        case "events", list():
            return _events(parameter, value)
        case ("string", str()) | ("number", float()) | ("boolean", bool()):
            return value
        case "list", list():
            return _plain(parameter, value)
        case "list", Table() if not len(value):
            return []
        case "keys", list() | Table():
            return _keys(parameter, value)
        case ("list or events", list() | Table()) | ("list or dict", list() | dict() | Table()):
            return value
        case _:
            raise _refused(parameter, kind_of(value))


def _events(parameter: Parameter, items: list[Value]) -> Table:
    if not items:
        return no_events()
    events = [item.table for item in items if isinstance(item, SingleEvent)]
    if len(events) == len(items):
        return concatenate(events)
    position, stranger = next((at, item) for at, item in enumerate(items, 1) if not isinstance(item, SingleEvent))
    raise _refused(parameter, f"a list whose item {position} is {kind_of(stranger)}")


def _keys(parameter: Parameter, items: list[Value] | Table) -> list[Value]:
    if isinstance(items, Table):
        if len(items):
            raise _refused(parameter, kind_of(items))
        return []
    for position, item in enumerate(items, 1):
        if not isinstance(item, str):
            raise _refused(parameter, f"a list whose item {position} is {kind_of(item)}")
    return items


def _plain(parameter: Parameter, value: list[Value]) -> Value:
    """The list itself; lists of events in it that are empty become plain lists."""
    size = 0
    has_events = False
    waiting: list[list[Value] | dict[str, Value]] = [value]
    while waiting:
        outer = waiting.pop()
        size += len(outer)
        # Counted as often as it occurs: a few variables that contain each other twice could be gigabytes of JSON.
        if size > MAX_ITEMS:
            raise _refused(parameter, f"one of more than {MAX_ITEMS:,} items in all")
        for item in outer.values() if isinstance(outer, dict) else outer:
            if isinstance(item, (list, dict)):
                waiting.append(item)
            elif isinstance(item, (Table, SingleEvent)):
                has_events = True
    return _without_tables(parameter, value) if has_events else value


def _without_tables(parameter: Parameter, value: Value) -> Value:
    match value:
        case list():
            return [_without_tables(parameter, item) for item in value]
        case dict():
            return {key: _without_tables(parameter, item) for key, item in value.items()}
        case Table() if not len(value):
            return []
        case Table() | SingleEvent():
            raise _refused(parameter, "a list with events in it")
        case _:
            return value


def _refused(parameter: Parameter, given: str) -> QueryFunctionError:
    return QueryFunctionError(f"`{parameter.name}` must be {_WANTED[parameter.kind]}, not {given}")
